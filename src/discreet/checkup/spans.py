"""Spans, and OpenTelemetry's own log records: what the processors of the global providers export."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any, Final

from discreet.canary import found_in, make
from discreet.checkup.owners import attributes, found_on, is_ours, named
from discreet.checkup.report import DEFECT, Route

__all__ = ["span_routes"]

_ONLY_ADD: Final = frozenset({"opentelemetry.processor.baggage.processor.BaggageSpanProcessor"})
_GUARD: Final = "Put a discreet.GuardedSpanExporter around the exporter."


def span_routes() -> Iterator[Route]:
    """Yield a route for each processor of the global tracer and logger providers, if a program has set them."""
    trace = sys.modules.get("opentelemetry.trace")
    provider = getattr(trace, "_TRACER_PROVIDER", None)
    for processor in _processors(provider, "_active_span_processor", "_span_processors"):
        for single in _behind(processor):
            yield _span_route(single)
    logs = sys.modules.get("opentelemetry._logs._internal")
    provider = getattr(logs, "_LOGGER_PROVIDER", None)
    for processor in _processors(provider, "_multi_log_record_processor", "_log_record_processors"):
        yield _log_route(processor, _own(provider, "_multi_log_record_processor").get("_multi_log_record_processor"))


def _log_route(processor: Any, first: Any) -> Route:
    """Return the route of log records to a processor, which the first one of its provider hands them on to."""
    from discreet.export.log_guard import exporter_of

    exporter = exporter_of(processor)
    name = f"log records of OpenTelemetry to {named(type(exporter if exporter is not None else processor))}"
    if is_ours(exporter):
        return Route("logs", name, "guarded", "The exporter seals by itself.")
    if is_ours(found_on(first, "on_emit")):
        return Route("logs", name, "guarded", "What libraries emit past logging is sealed before it.")
    return Route(
        "logs",
        name,
        "open",
        "What libraries emit past logging, such as FastAPI its exceptions, goes out as it is.",
        "Call discreet.install(), or put a discreet.GuardedLogRecordExporter around the exporter.",
    )


def _processors(provider: Any, several: str, inner: str) -> list[Any]:
    found = attributes(_own(provider, several).get(several)).get(inner)
    return [*found] if isinstance(found, (tuple, list)) else []


def _own(provider: Any, several: str) -> dict[str, Any]:
    own = attributes(provider)
    for name in ("provider", "_provider"):
        if name in own and several not in own:
            # logfire's and others' proxies.
            own = attributes(own[name])
    return own


def _behind(processor: Any) -> Iterator[Any]:
    """Yield the processors that get spans from one that only hands them on, or the one itself."""
    if is_ours(processor) and attributes(processor).get("target") is not None:
        yield from _behind(attributes(processor)["target"])
    elif named(type(processor)) == "opentelemetry.sdk.trace.SynchronousMultiSpanProcessor":
        for single in attributes(processor).get("_span_processors", ()):
            yield from _behind(single)
    else:
        yield processor


def _span_route(processor: Any) -> Route:
    if is_ours(processor) and "target" in attributes(processor):
        return Route("spans", "spans of all tracers", "guarded", "They go nowhere.")
    from discreet.export.log_guard import exporter_of

    over_otlp = named(type(processor)) == "discreet.export.otlp.spans.OtlpSpanProcessor"
    exporter = attributes(processor).get("_guard") if over_otlp else exporter_of(processor)
    if exporter is None:
        name = f"spans to {named(type(processor))}"
        if named(type(processor)) in _ONLY_ADD:
            return Route("spans", name, "guarded", "It hands nothing on.")
        return Route(
            "spans",
            name,
            "cannot see",
            "A processor of others gets spans as they are.",
            "See from its code that it hands no span on, or only to a discreet.GuardedSpanExporter.",
        )
    behind = attributes(exporter).get("exporter")
    name = f"spans to {named(type(behind if behind is not None and is_ours(exporter) else exporter))}"
    if over_otlp:
        name = "spans over OTLP"
    from discreet.export.span_guard import GuardedSpanExporter

    if type(exporter) is not GuardedSpanExporter:
        return Route("spans", name, "open", "They go out as they are.", _GUARD)
    out = _came_out(exporter)
    return Route(
        "spans",
        name,
        "open" if out else "guarded",
        "A GuardedSpanExporter stands before it.",
        DEFECT if out else None,
        ("name", "attribute", "event", "status"),
        tuple(out),
    )


def _came_out(exporter: Any) -> list[str]:
    """Return the parts of a span in which a canary would come out; the span is in no trace and is never exported."""
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import Event, ReadableSpan
    from opentelemetry.sdk.util.instrumentation import InstrumentationScope
    from opentelemetry.trace import SpanContext, Status, StatusCode

    from discreet.contract import active
    from discreet.export.span_guard import _Guard

    class Quiet(_Guard):
        """The guard of spans, without its counts: nobody made this span."""

        def count(self, kind: str, count: int = 1) -> None:
            return

    canary = make()
    made = ReadableSpan(
        name=canary,
        context=SpanContext(1, 1, is_remote=False),
        resource=Resource({"question": canary}),
        attributes={"question": canary, "gen_ai.prompt": canary},
        events=[Event("exception", {"exception.message": canary, "exception.type": "ValueError"})],
        status=Status(StatusCode.ERROR, canary),
        instrumentation_scope=InstrumentationScope(canary),
    )
    guard = Quiet(exporter._rules, active())  # noqa: SLF001  # what the exporter does, and nothing kept of it
    span = guard.span(made, guard.resource)
    parts = {
        "name": f"{span.name} {span.instrumentation_scope and span.instrumentation_scope.name}",
        "attribute": str(dict(span.attributes or {})) + str(dict(span.resource.attributes)),
        "event": str([(event.name, dict(event.attributes or {})) for event in span.events]),
        "status": str(span.status.description),
    }
    return [part for part, text in parts.items() if found_in(text, canary)]
