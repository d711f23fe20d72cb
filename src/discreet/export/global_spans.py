"""The process's tracer provider, when nobody else has set one: spans of any tracer reach the current sink."""

from __future__ import annotations

from typing import Any

from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, Span, SpanProcessor, TracerProvider

__all__ = ["lead_spans_to"]


class _Switch(SpanProcessor):
    """Forwards to the span processor of the current set-up.

    A global provider can be set once in a process and libraries keep its tracers, but
    ``configure()`` may be called again with another exporter.
    """

    def __init__(self) -> None:
        self.target: SpanProcessor | None = None

    def on_start(self, span: Span, parent_context: Context | None = None) -> None:
        if self.target is not None:
            self.target.on_start(span, parent_context)

    def on_end(self, span: ReadableSpan) -> None:
        if self.target is not None:
            self.target.on_end(span)

    def shutdown(self) -> None:
        """Do nothing: the pipeline that made the target shuts it down."""

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        return self.target is None or self.target.force_flush(timeout_millis)


_switch: _Switch | None = None


def lead_spans_to(processor: SpanProcessor | None, resource: Resource | None = None) -> None:
    """Lead the spans of every tracer of the process to a span processor.

    Nothing happens when somebody else has set the global tracer provider: its spans are the application's.

    Args:
        processor: where spans go from now on; None for nowhere.
        resource: the resource of the global provider, if it is made now.
    """
    global _switch
    if _switch is None:
        if processor is None or not isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider):
            return
        options: dict[str, Any] = {} if resource is None else {"resource": resource}
        switch = _Switch()
        provider = TracerProvider(shutdown_on_exit=False, **options)
        provider.add_span_processor(switch)
        trace.set_tracer_provider(provider)
        _switch = switch
    _switch.target = processor
