"""OtelSpanHandler: sealed records as OpenTelemetry spans and span events."""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Iterable, Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any, Final

from opentelemetry import context as otel_context
from opentelemetry import trace

from discreet.contract import activate
from discreet.export.feedback import by_an_exporter
from discreet.export.ledger import LEDGER
from discreet.export.sending_handler import SendingHandler
from discreet.export.span_exceptions import exception_attributes
from discreet.export.span_options import check_places
from discreet.seal.record import Sealed, SealedRecord
from discreet.seal.sealing import seal

if TYPE_CHECKING:
    from opentelemetry.sdk.trace.export import SpanExporter

    from discreet.export.otlp.settings import Endpoint
    from discreet.export.span_provider import SpanPipeline

__all__ = ["SCOPE", "OtelSpanHandler"]

SCOPE: Final = "discreet"
"""The instrumentation scope of the spans that records become.

.. versionadded:: 0.1.0
"""

OTHER_ERROR: Final = "_OTHER"
"""What `error.type` says of a failure that has neither a code nor an exception.

The value is the one that the semantic conventions reserve for it:
https://opentelemetry.io/docs/specs/semconv/registry/attributes/error/

.. versionadded:: 0.1.0
"""

OF_A_CALL: Final = "call_finished"
"""The event of records about observed calls.

.. versionadded:: 0.1.0
"""

_LIMIT_NS: Final = 2**63 - 1
_INT64: Final = range(-(2**63), 2**63)


class NotRecorded(Exception):  # noqa: N818 - no error: the ledger's reason for a missing record
    """A key event that became no span.

    Args:
        reason: ``closed``, ``not_sampled`` or ``no_tracer_provider``.

    .. versionadded:: 0.1.0
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class OtelSpanHandler(SendingHandler):
    """Turn the key events among the records into OpenTelemetry spans.

    A record with an event and a `duration_ms` becomes a finished span, named by the event,
    that starts that long before the record and ends with it. Any other record with an event
    becomes an event of the span that is current and recording at the log call, or a span of
    no length when there is none. Records without an event are counted as filtered.

    A span has the record's event, codes, logger, level and declared attributes, and of an
    exception its type, code and chain. Its status is ERROR, without a description, for a
    record with an error code or of level ERROR and above; then `error.type` is there too.

    Records that are logged while spans are being exported never become spans: those of the
    exporting thread (which the SDK marks), those logged from within this handler, and those
    of `opentelemetry`'s own loggers.

    Args:
        level: As for any handler.
        tracer_provider: Where spans go; the global provider, also one set later, when
            neither this nor `exporter` is given. In a dictConfig: ``ext://app.provider``.
        otlp: Where spans are sent over OTLP: True for what OpenTelemetry's variables say, or the base
            URL of a collector, such as ``http://localhost:4318``. Needs the extra `otlp`.
        exporter: The path of a file for `SpanFileExporter`, or a span exporter, or the class
            of one (``ext://package.Exporter``). The handler then has a provider of its own,
            which `close` shuts down.
        service: The `service.name` of the spans; only together with `exporter` or `otlp`.
        all_spans: Whether the spans of every tracer of the process go to the same places too, through
            the guard; only together with `exporter` or `otlp`. This sets the global tracer provider,
            unless somebody else has, and then nobody else can.
        shutdown_timeout: Seconds that the end of the process may take to send over OTLP what waits.
        name: What the ledger calls this sink.
        contracts: Contracts to make active, as for every component.
        attributes: Attributes to declare for all loggers, as for every component.

    Raises:
        ConfigurationError: An option has a wrong value, or the file can't be opened.

    .. versionadded:: 0.1.0
    """

    def __init__(
        self,
        *,
        level: int | str = logging.NOTSET,
        tracer_provider: trace.TracerProvider | None = None,
        exporter: SpanExporter | type[SpanExporter] | str | PathLike[str] | None = None,
        service: str | None = None,
        all_spans: bool = False,
        otlp: bool | str | Endpoint = False,
        shutdown_timeout: float = 5.0,
        name: str = "spans",
        contracts: Iterable[str | PathLike[str]] = (),
        attributes: Mapping[str, Any] | None = None,
    ) -> None:
        self._pipeline: SpanPipeline | None = None
        self._leads = False
        self._closed = False
        self._busy = threading.local()
        super().__init__(level, sink=name)
        owns = exporter is not None or otlp is not False
        check_places(tracer_provider, service, owns=owns, all_spans=all_spans)
        activate(contracts, attributes)
        if owns:
            from discreet.export.otlp.setup import checked_shutdown, endpoint_of
            from discreet.export.span_provider import SpanPipeline

            self.shutdown_timeout = checked_shutdown(shutdown_timeout)
            self._pipeline = SpanPipeline(
                exporter, service=service, otlp=endpoint_of(otlp), shutdown_timeout=self.shutdown_timeout
            )
            tracer_provider = self._pipeline.provider
        # Without a provider this is a proxy, which finds the global one once it is set.
        self._tracer = trace.get_tracer(SCOPE) if tracer_provider is None else tracer_provider.get_tracer(SCOPE)
        self._is_global = tracer_provider is None
        if all_spans:
            self.lead_global_spans()

    def emit(self, record: logging.LogRecord) -> None:
        """Make a span or event of a record; whatever fails is counted and never raised."""
        counts = self.counts
        if getattr(self._busy, "emitting", False) or by_an_exporter(record):
            counts.count_filtered()
            return
        sealed = record.sealed if type(record) is SealedRecord else seal(record)
        if not self.accepts(sealed):
            counts.count_filtered()
            return
        self._busy.emitting = True
        try:
            self.write_sealed(sealed)
            counts.count_observed()
        except NotRecorded as why:
            counts.count_missing(why.reason)
        except Exception as error:
            # A log call must not fail because a tracer does. Its text may be a customer's.
            counts.count_missing("failed")
            LEDGER.failure("spans", error)
        finally:
            self._busy.emitting = False

    def accepts(self, sealed: Sealed) -> bool:
        """Tell whether a record is a key event."""
        return sealed.event is not None

    def write_sealed(self, sealed: Sealed) -> None:
        """Hand the span of a sealed record to its processors, or add it to the current span.

        Raises:
            NotRecorded: There is no one to take it.
        """
        if self._closed:
            raise NotRecorded("closed")
        name = str(sealed.event)
        end = nanoseconds(sealed.created)
        duration = _duration(sealed)
        context, current = _at_the_log_call(sealed)
        attributes = span_attributes(sealed)
        if name == OF_A_CALL and current is not None and current.is_recording():
            # The call has a span of its own, which says the same.
            return
        if duration is None and current is not None and current.is_recording():
            current.add_event(name, attributes, timestamp=end)
            return
        span = self._tracer.start_span(
            name,
            context=context,
            start_time=max(0, end - (duration or 0)),
            attributes=attributes,
            record_exception=False,
            set_status_on_exception=False,
        )
        if not span.is_recording():
            raise NotRecorded(self._why_not_recorded())
        if failed(sealed):
            span.set_status(trace.StatusCode.ERROR)
        span.end(end)

    def _why_not_recorded(self) -> str:
        if self._is_global and isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider):
            return "no_tracer_provider"
        return "not_sampled"

    def lead_global_spans(self) -> None:
        """Send the spans of every tracer of the process to the handler's exporter too.

        Only a handler with an exporter of its own can, and only if nobody else has set the
        global tracer provider.
        """
        if self._pipeline is not None:
            from discreet.export.global_spans import lead_spans_to

            lead_spans_to(self._pipeline.processor, self._pipeline.provider.resource)
            self._leads = True

    def force_flush(self, timeout: float = 30.0) -> bool:
        """Export what waits in the handler's own pipeline.

        `flush`, which `dictConfig` and `logging.shutdown` call under logging's locks, does
        nothing: waiting there for a thread that may log would deadlock.

        Args:
            timeout: How long to wait, in seconds.

        Returns:
            Whether all was handed to the exporter; True when the pipeline isn't ours.
        """
        return self._pipeline is None or self._pipeline.force_flush(round(timeout * 1000))

    def begin_retiring(self, timeout: float) -> None:
        """Take no more, and send over OTLP what waits within a time.

        Args:
            timeout: Seconds.
        """
        self._closed = True
        if self._pipeline is not None:
            self._pipeline.begin_stopping(timeout)

    def stop(self, timeout: float | None = None, *, wait: bool = True) -> None:
        """Shut the handler's own pipeline down; a provider that was given is left running.

        Args:
            timeout: Seconds to wait for what the pipeline still exports; by default it isn't waited for.
            wait: Whether to wait at all.
        """
        self._closed = True
        if self._leads:
            from discreet.export.global_spans import lead_spans_to

            lead_spans_to(None)
            self._leads = False
        if self._pipeline is not None:
            self._pipeline.stop(timeout)


def span_attributes(sealed: Sealed) -> dict[str, str | bool | int | float]:
    """Return the attributes of the span or span event that a sealed record becomes.

    Args:
        sealed: The record.

    .. versionadded:: 0.1.0
    """
    out: dict[str, str | bool | int | float] = {}
    for key, value in (
        ("event", sealed.event),
        ("warning_code", sealed.warning_code),
        ("error_code", sealed.error_code),
        ("error_class", sealed.error_class),
        ("logger", sealed.logger),
        ("level", sealed.level),
    ):
        if value is not None:
            out[key] = str(value)
    for key, scalar in sealed.attributes.items():
        if scalar is not None and key not in out:
            # The OTLP encoder refuses a whole batch for one integer over 64 bits.
            out[key] = scalar if type(scalar) is not int or scalar in _INT64 else str(scalar)
    exception = sealed.exception
    if exception is not None:
        out |= exception_attributes(exception)
    if failed(sealed):
        out["error.type"] = sealed.error_code or (exception.type if exception else OTHER_ERROR)
    return out


def failed(sealed: Sealed) -> bool:
    """Tell whether a record says that something failed: an error code, or level ERROR.

    .. versionadded:: 0.1.0
    """
    return sealed.error_code is not None or sealed.levelno >= logging.ERROR


def nanoseconds(created: float) -> int:
    """Return a record's time in nanoseconds since the epoch; now, when it isn't a sane time.

    Args:
        created: Seconds since the epoch.

    .. versionadded:: 0.1.0
    """
    if math.isfinite(created):
        # Apart, since the product would be rounded to some 250 nanoseconds.
        seconds = int(created)
        found = seconds * 1_000_000_000 + round((created - seconds) * 1e9)
        if 0 <= found <= _LIMIT_NS:
            return found
    return time.time_ns()


def _duration(sealed: Sealed) -> int | None:
    """Return the record's duration in nanoseconds, None when it has no usable one."""
    value = sealed.attributes.get("duration_ms")
    if type(value) is not int and type(value) is not float:
        return None
    if not math.isfinite(value) or value < 0:
        return None
    return min(round(value * 1e6), _LIMIT_NS)


def _at_the_log_call(sealed: Sealed) -> tuple[otel_context.Context, trace.Span | None]:
    """Return the context to start a span in, and the current span if it is the log call's.

    Behind a queue this thread's current span is another one, or none: then the parent is
    known by its ids only. It counts as sampled, since whether it was is not known here.
    """
    current = trace.get_current_span()
    here = current.get_span_context()
    if here.trace_id == sealed.trace_id and here.span_id == sealed.span_id:
        return otel_context.get_current(), current
    empty = otel_context.Context()
    if not (sealed.trace_id and sealed.span_id):
        return empty, None
    parent = trace.SpanContext(
        sealed.trace_id,
        sealed.span_id,
        is_remote=False,
        trace_flags=trace.TraceFlags(trace.TraceFlags.SAMPLED),
    )
    return trace.set_span_in_context(trace.NonRecordingSpan(parent), empty), None
