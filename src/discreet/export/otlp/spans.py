"""A span processor that sends spans over OTLP, each counted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from opentelemetry.context import Context
from opentelemetry.sdk.trace import ReadableSpan, Span, SpanProcessor
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

from discreet.export.feedback import is_exporting
from discreet.export.ledger import LEDGER
from discreet.export.otlp.batches import Batches
from discreet.export.otlp.settings import TRACES, Endpoint
from discreet.export.otlp.setup import DEFAULT_SHUTDOWN_S, open_batches, part
from discreet.export.span_guard import GuardedSpanExporter

__all__ = ["SINK", "OtlpSpanProcessor"]

SINK: Final = "otlp_spans"
"""What the ledger calls spans that are sent over OTLP.

.. versionadded:: 0.1.0
"""


class OtlpSpanProcessor(SpanProcessor):
    """Sends every sampled span, through the guard.

    In place of the SDK's BatchSpanProcessor, whose full queue loses spans without a count, whose flush does not keep
    its time, and whose forked children lose what they have at their end.

    Args:
        endpoint: where to.
        shutdown_timeout: seconds that the end of the process may take to send what waits.

    Raises:
        ConfigurationError: A variable is wrong, or the extra `otlp` is missing.

    .. versionadded:: 0.1.0
    """

    def __init__(self, endpoint: Endpoint, *, shutdown_timeout: float = DEFAULT_SHUTDOWN_S) -> None:
        # Kept for the doctor, which looks at what it lets through.
        self._guard = GuardedSpanExporter(_Nowhere())
        self._counts = LEDGER.sink(SINK)
        encoder = part("_encode").SpanEncoder(self._guard.guarded)
        self._batches: Batches[ReadableSpan] = open_batches(TRACES, endpoint, encoder, self._counts, shutdown_timeout)

    def on_start(self, span: Span, parent_context: Context | None = None) -> None:
        """Do nothing: only what has ended is sent."""

    def on_end(self, span: ReadableSpan) -> None:
        """Let a sampled span wait for its turn."""
        context = span.get_span_context()
        if context is None or not context.trace_flags.sampled or is_exporting():
            self._counts.count_filtered()
            return
        self._batches.put(span, urgent=not span.status.is_ok)

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        """Send what waits.

        Args:
            timeout_millis: How long it may take, in milliseconds.
        """
        return self._batches.flush(timeout_millis / 1000)

    def shutdown(self) -> None:
        """Send what waits and take no more, within the shutdown's bound."""
        self._batches.close()

    def stop(self, timeout: float | None = None, *, wait: bool = True) -> bool:
        """Do what `shutdown` does.

        Args:
            timeout: Seconds that it may take.
            wait: Whether to return only then.

        Returns:
            Whether everything has an answer.
        """
        return self._batches.close(timeout, wait=wait)


class _Nowhere(SpanExporter):
    """What the guard has behind it where only its work on one span is wanted."""

    def export(self, spans: Sequence[ReadableSpan]) -> Any:
        return SpanExportResult.FAILURE

    def shutdown(self) -> None:
        """Do nothing."""
