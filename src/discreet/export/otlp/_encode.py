"""Sealed records and guarded spans as requests of OTLP."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from google.protobuf.json_format import Parse, ParseError
from google.protobuf.message import DecodeError
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest, ExportLogsServiceResponse
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, InstrumentationScope, KeyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord, ResourceLogs, ScopeLogs
from opentelemetry.proto.resource.v1.resource_pb2 import Resource as ResourceMessage
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans, ScopeSpans, Span
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan

from discreet.export.encode import timestamp
from discreet.export.ledger import LEDGER
from discreet.export.otlp.answers import Answer
from discreet.export.otlp.limits import MARK, kept_fields, kept_text, kept_time
from discreet.export.otlp.sender import Settle
from discreet.export.spans import nanoseconds
from discreet.seal.sealed import Sealed

_OUTSIDE: Final = frozenset({"timestamp", "level", "logger", "message", "trace_id", "span_id"})
"""Fields of a line of JSON for which OTLP has places of its own."""

_INT64: Final = range(-(2**63), 2**63)


@dataclass(frozen=True, slots=True)
class Log:
    """A record as it waits for its turn.

    Args:
        sealed: its sealed form.
        message: what becomes its body.

    .. versionadded:: 0.1.0
    """

    sealed: Sealed
    message: str


class _Logged(NamedTuple):
    """A record's message, and the logger that it stands under."""

    logger: str
    message: LogRecord


class LogEncoder:
    """Requests of log records.

    Args:
        resource: what sends them.

    .. versionadded:: 0.1.0
    """

    def __init__(self, resource: Resource) -> None:
        self._resource = ResourceMessage(
            attributes=[pair for key, value in resource.attributes.items() if (pair := _pair(key, value)) is not None]
        )

    def messages(self, records: Sequence[Log], settle: Settle) -> list[_Logged]:
        """Return one message for each record."""
        found: list[_Logged] = []
        cuts = 0
        now = time.time_ns()
        for record in records:
            try:
                message, cut = log_record(record, now)
            except Exception as error:
                # One record that can't be encoded must not take the others with it.
                LEDGER.failure("otlp_logs", error)
                settle(missing={"not_encodable": 1})
                continue
            found.append(_Logged(record.sealed.logger, message))
            cuts += cut
        if cuts:
            settle(cut=cuts)
        return found

    def body(self, messages: Sequence[_Logged]) -> bytes:
        """Return the request of some messages, by loggers: a logger's name is that of the scope."""
        group = ResourceLogs(resource=self._resource)
        scopes: dict[str, ScopeLogs] = {}
        for logger, message in messages:
            scope = scopes.get(logger)
            if scope is None:
                scope = scopes[logger] = group.scope_logs.add(scope=InstrumentationScope(name=_clean(logger)))
            scope.log_records.append(message)
        return ExportLogsServiceRequest(resource_logs=[group]).SerializeToString()

    def rejected(self, answer: Answer) -> int:
        """Return how many records an answer rejects."""
        return read_answer(answer, ExportLogsServiceResponse()).partial_success.rejected_log_records  # type: ignore[no-any-return]  # a message's number


class _Located(NamedTuple):
    """A span's message with those that it stands in."""

    resource: ResourceSpans
    scope: ScopeSpans
    span: Span


class SpanEncoder:
    """Requests of spans.

    Args:
        guarded: returns what may leave of a span; never raises.

    .. versionadded:: 0.1.0
    """

    def __init__(self, guarded: Callable[[ReadableSpan], ReadableSpan]) -> None:
        self._guarded = guarded

    def messages(self, records: Sequence[ReadableSpan], settle: Settle) -> list[_Located]:
        """Return the message of the guarded form of each span."""
        guarded = [self._guarded(span) for span in records]
        try:
            found = _located(encode_spans(guarded))
        except Exception:
            # Which one it is, only a try with each alone can tell.
            found = [one for span in guarded for one in self._alone(span, settle)]
        cuts = sum([cut_span(one.span) for one in found])
        if cuts:
            settle(cut=cuts)
        return found

    def body(self, messages: Sequence[_Located]) -> bytes:
        """Return the request of some messages."""
        request = ExportTraceServiceRequest()
        resources: dict[int, ResourceSpans] = {}
        scopes: dict[int, ScopeSpans] = {}
        for resource, scope, span in messages:
            within = scopes.get(id(scope))
            if within is None:
                above = resources.get(id(resource))
                if above is None:
                    above = resources[id(resource)] = request.resource_spans.add(
                        resource=resource.resource, schema_url=resource.schema_url
                    )
                within = scopes[id(scope)] = above.scope_spans.add(scope=scope.scope, schema_url=scope.schema_url)
            within.spans.append(span)
        return request.SerializeToString()

    def rejected(self, answer: Answer) -> int:
        """Return how many spans an answer rejects."""
        return read_answer(answer, ExportTraceServiceResponse()).partial_success.rejected_spans  # type: ignore[no-any-return]  # a message's number

    def _alone(self, span: ReadableSpan, settle: Settle) -> list[_Located]:
        try:
            return _located(encode_spans([span]))
        except Exception as error:
            LEDGER.failure("otlp_spans", error)
            settle(missing={"not_encodable": 1})
            return []


def _located(request: ExportTraceServiceRequest) -> list[_Located]:
    return [
        _Located(resource, scope, span)
        for resource in request.resource_spans
        for scope in resource.scope_spans
        for span in scope.spans
    ]


def log_record(log: Log, now: int) -> tuple[LogRecord, bool]:
    """Return the message of one record, and whether something of it was cut.

    Args:
        log: the record.
        now: the present time in nanoseconds since the epoch.

    .. versionadded:: 0.1.0
    """
    sealed = log.sealed
    given = {**sealed.fields, "message": log.message}
    if "content" in given:
        # Nothing is withheld where everything is said.
        given.pop("withheld", None)
    fields, cut = kept_fields(given)
    out = LogRecord(
        time_unix_nano=nanoseconds(sealed.created),
        observed_time_unix_nano=now,
        severity_number=severity(sealed.levelno),  # type: ignore[arg-type]  # an enum's numbers
        severity_text=sealed.level,
        event_name=sealed.event or "",
    )
    text = fields["message"]
    out.body.string_value = text if text.isascii() else _clean(text)
    if sealed.trace_id:
        out.trace_id = sealed.trace_id.to_bytes(16, "big")
    if sealed.span_id:
        out.span_id = sealed.span_id.to_bytes(8, "big")
    pairs = out.attributes
    for name, value in fields.items():
        if name not in _OUTSIDE and (pair := _pair(name, value)) is not None:
            pairs.append(pair)
    if not kept_time(out.time_unix_nano, now):
        # A store would refuse it. Its own time stands where a line of JSON has it.
        pairs.append(KeyValue(key="timestamp", value=AnyValue(string_value=timestamp(sealed.created))))
        out.time_unix_nano = now
        if not cut:
            pairs.append(KeyValue(key=MARK, value=AnyValue(bool_value=True)))
        cut = True
    return out, cut


def severity(levelno: int) -> int:
    """Return the severity number of a level: DEBUG 5, INFO 9, WARNING 13, ERROR 17, CRITICAL 21.

    Levels between two of logging's own are as far above the lower one as they say, up to three. See
    https://opentelemetry.io/docs/specs/otel/logs/data-model/#severity-fields

    .. versionadded:: 0.1.0
    """
    if levelno < 10:  # noqa: PLR2004 - logging's DEBUG
        return 1
    base = min(levelno // 10, 5)
    return base * 4 + 1 + min(levelno - base * 10, 3)


def cut_span(span: Span) -> bool:
    """Cut the attributes of a span and its events to Tempo's limit, mark it, and tell whether that was needed.

    Args:
        span: the message; it is changed.

    .. versionadded:: 0.1.0
    """
    cut = False
    holders: list[Span | Span.Event] = [span, *span.events]
    for holder in holders:
        for pair in holder.attributes:
            short = kept_text(pair.value.string_value)
            if short is not None:
                pair.value.string_value = short
                cut = True
    if cut:
        span.attributes.add(key=MARK, value=AnyValue(bool_value=True))
    return cut


def _pair(key: str, value: object) -> KeyValue | None:
    """Return an attribute; None for what has no value, or none that OTLP could carry."""
    kind = type(value)
    if kind is str:
        found = AnyValue(string_value=value if value.isascii() else _clean(value))  # type: ignore[attr-defined, arg-type]  # a str
    elif kind is bool:
        found = AnyValue(bool_value=value)  # type: ignore[arg-type]  # as its type says
    elif kind is int:
        # https://opentelemetry.io/docs/specs/otel/common/#mapping-arbitrary-data-to-otlp-anyvalue
        found = AnyValue(int_value=value) if value in _INT64 else AnyValue(string_value=str(value))  # type: ignore[arg-type]  # the same
    elif kind is float:
        found = AnyValue(double_value=value) if math.isfinite(value) else AnyValue(string_value=_odd(value))  # type: ignore[arg-type]  # the same
    elif kind is tuple:
        # Of resources only.
        members = [pair.value for member in value if (pair := _pair(key, member)) is not None]  # type: ignore[attr-defined]  # a tuple
        found = AnyValue()
        found.array_value.values.extend(members)
    else:
        return None
    return KeyValue(key=key, value=found)


def _odd(number: float) -> str:
    """Return the word for a number that isn't finite, as Protocol Buffers have it in JSON.

    The protocol itself could carry the number, but a collector's exporter that writes JSON fails with its whole batch.
    """
    return "NaN" if math.isnan(number) else "Infinity" if number > 0 else "-Infinity"


def _clean(text: str) -> str:
    """Return a text that UTF-8 can hold."""
    return text.encode("utf-8", "replace").decode("utf-8")


def read_answer(answer: Answer, message: Any) -> Any:
    """Return the message of a successful answer.

    Raises:
        ValueError: It is none.
    """
    try:
        if not answer.body:
            return message
        if answer.content_type == "application/json":
            return Parse(answer.body, message, ignore_unknown_fields=True)
        if answer.content_type in ("application/x-protobuf", "application/protobuf", "application/octet-stream", ""):
            message.ParseFromString(answer.body)
            return message
    except (DecodeError, ParseError, ValueError, RecursionError) as error:
        raise ValueError("no answer of OTLP") from error
    raise ValueError("no answer of OTLP")
