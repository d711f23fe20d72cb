"""GuardedLogRecordExporter: what leaves of the log records that other instrumentations make."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from typing import Any, Final

from opentelemetry._logs import LogRecord, SeverityNumber
from opentelemetry.attributes import BoundedAttributes
from opentelemetry.context import Context
from opentelemetry.sdk._logs import ReadableLogRecord, ReadWriteLogRecord
from opentelemetry.sdk._logs.export import LogRecordExporter, LogRecordExportResult
from opentelemetry.sdk.resources import Resource
from opentelemetry.trace import NonRecordingSpan, SpanContext, TraceFlags, set_span_in_context

from discreet.contract import Registry, activate, active
from discreet.errors import ConfigurationError
from discreet.export.foreign_guard import ForeignGuard
from discreet.export.ledger import LEDGER
from discreet.export.span_names import EVENT
from discreet.export.span_rules import LEVELS, SpanRules, span_rules
from discreet.seal.peek import instance_dict, items
from discreet.seal.values import shown

__all__ = ["GuardedLogRecordExporter", "exporter_of", "withheld"]

_SEVERITIES: Final = LEVELS | {"WARN", "FATAL"} | {member.name for member in SeverityNumber}


class GuardedLogRecordExporter(LogRecordExporter):
    """Hand OpenTelemetry's log records on to another exporter without the text that they may carry.

    For records that others make with OpenTelemetry's own log API, such as instrumentations of language models. Each is
    made anew, by the same rules as :class:`discreet.GuardedSpanExporter` has for spans: attributes pass by key, from a
    list that is shipped, and only in the closed type of that key; declared attributes of contracts pass as well. An
    event's name passes when it is known. Of a body nothing passes but a number or a truth value: what wrote it can't
    be seen any more. Times, severity and trace ids stay. What is left out is counted, by scope.

    Args:
        exporter: the exporter that gets the guarded records.
        attributes: further attribute keys with their types, as in a contract.
        resource: the same for resource attributes.
        names: further names of events: constants of the operator's own program.
        name: what the ledger calls this sink, which counts log records.
        contracts: contracts to make active, as for every component.

    Raises:
        ConfigurationError: the exporter is none, or an option has a wrong value.

    .. versionadded:: 0.1.0
    """

    exporter: LogRecordExporter
    """The exporter behind the guard."""

    def __init__(
        self,
        exporter: LogRecordExporter,
        *,
        attributes: Mapping[str, Any] | None = None,
        resource: Mapping[str, Any] | None = None,
        names: Iterable[str] = (),
        name: str = "guarded_logs",
        contracts: Iterable[str | PathLike[str]] = (),
    ) -> None:
        if not callable(getattr(exporter, "export", None)):
            raise ConfigurationError("is no log exporter", place="exporter", remedy="Give an object with `export`.")
        self.exporter = exporter
        self._rules = span_rules().extended(attributes=attributes, resource=resource, names=names)
        self._name = name
        activate(contracts, None)

    def export(self, batch: Sequence[ReadableLogRecord]) -> LogRecordExportResult:
        """Hand the guarded forms of records on.

        Raises:
            Exception: what the exporter behind raises, after it was counted; the SDK's processors expect and handle
                it.
        """
        counts = LEDGER.sink(self._name)
        guarded = [self.guarded(record) for record in batch]
        result: LogRecordExportResult | None = None
        try:
            result = self.exporter.export(guarded)
        finally:
            if result is LogRecordExportResult.SUCCESS:
                counts.count_observed(len(guarded))
            else:
                counts.count_missing("export_failed", len(guarded))
        return result

    def guarded(self, record: ReadableLogRecord) -> ReadableLogRecord:
        """Return a record that holds what may be exported of another.

        When the guard itself fails, ids, times and severity are all that is left.

        Args:
            record: a finished record; it isn't changed.
        """
        return _guarded(self._rules, record)

    def shutdown(self) -> None:
        """Shut the exporter behind the guard down."""
        self.exporter.shutdown()  # type: ignore[no-untyped-call]  # as the SDK has it

    def force_flush(self, timeout_millis: int = 10_000) -> bool:
        """Flush the exporter behind the guard, if it can be.

        Args:
            timeout_millis: how long it may take, in milliseconds.
        """
        flush = getattr(self.exporter, "force_flush", None)
        return flush is None or bool(flush(timeout_millis))


def withheld(record: ReadWriteLogRecord) -> ReadWriteLogRecord:
    """Return what processors of others may get of a log record, by the shipped rules alone.

    Args:
        record: the record as it was emitted; it isn't changed.

    .. versionadded:: 0.1.0
    """
    resource = record.resource if record.resource is not None else Resource({})
    limits = record.limits
    made = _guarded(
        span_rules(), ReadableLogRecord(record.log_record, resource, record.instrumentation_scope, limits=limits)
    )
    dropped = made.dropped_attributes
    sealed = ReadWriteLogRecord(made.log_record, made.resource, made.instrumentation_scope, limits=limits)
    if isinstance(sealed.log_record.attributes, BoundedAttributes):
        # The SDK has put them into a new form, which doesn't know what is missing.
        sealed.log_record.attributes.dropped = dropped
    return sealed


def exporter_of(processor: object) -> Any:
    """Return the exporter of one of the SDK's processors, None if it has none that is known.

    Args:
        processor: the processor; none of its code is run.

    .. versionadded:: 0.1.0
    """
    own = items(instance_dict(processor))
    batch = items(instance_dict(own.get("_batch_processor")))
    places = (own.get("span_exporter"), own.get("_exporter"), batch.get("_exporter"), batch.get("exporter"))
    return next((found for found in places if found is not None), None)


def _guarded(rules: SpanRules, record: ReadableLogRecord) -> ReadableLogRecord:
    try:
        return _Guard(rules, active()).log(record)
    except Exception as error:
        LEDGER.failure("log_guard", error)
        return ReadableLogRecord(_bare(record.log_record), Resource({}))


class _Guard(ForeignGuard):
    """The work on one record."""

    def __init__(self, rules: SpanRules, registry: Registry) -> None:
        super().__init__(rules, registry, "log")

    def log(self, record: ReadableLogRecord) -> ReadableLogRecord:
        given = record.log_record
        scope = self.instrumentation(record.instrumentation_scope)
        made = _bare(given)
        made.attributes = self.attributes(given.attributes, record.dropped_attributes, "attribute")
        if given.body is not None:
            made.body = _safe_body(given.body)
            if made.body is not given.body:
                self.count("body")
        if given.event_name is not None:
            made.event_name = self._event_name(given.event_name)
        text = given.severity_text
        if text is not None:
            made.severity_text = text if type(text) is str and text.upper() in _SEVERITIES else None
        return ReadableLogRecord(made, self.resource(record.resource), scope)

    def _event_name(self, name: object) -> str:
        if type(name) is str and (name in self.rules.event_names or self.registry.is_event(name)):
            return name
        self.count("event name")
        return EVENT


def _safe_body(body: object) -> Any:
    # A number from outside may be a whole text; `shown` knows which are short enough.
    return body if type(body) is bool else shown(body)


def _bare(given: LogRecord) -> LogRecord:
    """Return a record without anything that a person or program wrote."""
    context = Context()
    if given.trace_id:
        flags = TraceFlags(given.trace_flags or 0)
        span = SpanContext(given.trace_id, given.span_id or 0, is_remote=False, trace_flags=flags)
        context = set_span_in_context(NonRecordingSpan(span), context)
    return LogRecord(
        timestamp=given.timestamp,
        observed_timestamp=given.observed_timestamp,
        context=context,
        severity_number=given.severity_number,
    )
