"""Spans, and OpenTelemetry's own log records: what the processors of the global providers export."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any, Final

from discreet.canary import found_in, make
from discreet.checkup.owners import attributes, is_ours, named
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
        exporter = _exporter(processor)
        name = f"log records of OpenTelemetry to {named(type(exporter if exporter is not None else processor))}"
        if is_ours(exporter):
            yield Route("logs", name, "guarded", "The exporter seals by itself.")
        else:
            yield Route(
                "logs",
                name,
                "partial",
                "Records of logging arrive sealed. What instrumentations emit by themselves goes out as it is.",
                "Switch off that instrumentations capture content, or take the provider away and export JSON lines.",
            )


def _processors(provider: Any, several: str, inner: str) -> list[Any]:
    own = attributes(provider)
    for name in ("provider", "_provider"):
        if name in own and several not in own:
            # logfire's and others' proxies.
            own = attributes(own[name])
    found = attributes(own.get(several)).get(inner)
    return [*found] if isinstance(found, (tuple, list)) else []


def _behind(processor: Any) -> Iterator[Any]:
    """Yield the processors that get spans from one that only hands them on, or the one itself."""
    if is_ours(processor) and attributes(processor).get("target") is not None:
        yield from _behind(attributes(processor)["target"])
    elif named(type(processor)) == "opentelemetry.sdk.trace.SynchronousMultiSpanProcessor":
        for single in attributes(processor).get("_span_processors", ()):
            yield from _behind(single)
    else:
        yield processor


def _exporter(processor: Any) -> Any:
    own = attributes(processor)
    batch = attributes(own.get("_batch_processor"))
    return next(
        (
            found
            for found in (own.get("span_exporter"), own.get("_exporter"), batch.get("_exporter"), batch.get("exporter"))
            if found is not None
        ),
        None,
    )


def _span_route(processor: Any) -> Route:
    if is_ours(processor) and "target" in attributes(processor):
        return Route("spans", "spans of all tracers", "guarded", "They go nowhere.")
    over_otlp = named(type(processor)) == "discreet.export.otlp.spans.OtlpSpanProcessor"
    exporter = attributes(processor).get("_guard") if over_otlp else _exporter(processor)
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
