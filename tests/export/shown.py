"""Sealed records made by hand, and whole spans as plain values that a test can compare."""

from __future__ import annotations

import concurrent.futures.thread  # noqa: F401 - before any provider, see span_provider
import logging
from typing import Any

from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor, SpanExporter
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.sdk.trace.id_generator import IdGenerator

from discreet.seal.record import Sealed, SealedRecord, bare_record

AT = 1_700_000_000.25
AT_NS = 1_700_000_000_250_000_000


class CountingIds(IdGenerator):
    """Ids that count up from 1, so that whole spans can be compared."""

    def __init__(self) -> None:
        self.traces = 0
        self.spans = 0

    def generate_trace_id(self) -> int:
        self.traces += 1
        return self.traces

    def generate_span_id(self) -> int:
        self.spans += 1
        return self.spans


def provider(*exporters: SpanExporter, **options: Any) -> TracerProvider:
    """Make a tracer provider whose spans reach the exporters at once."""
    options.setdefault("id_generator", CountingIds())
    options.setdefault("resource", Resource({"service.name": "library"}))
    made = TracerProvider(shutdown_on_exit=False, **options)
    for exporter in exporters:
        made.add_span_processor(SimpleSpanProcessor(exporter))
    return made


def record(**values: Any) -> SealedRecord:
    """Make a sealed record of one key event; what a test doesn't name has a fixed value."""
    values = {
        "created": AT,
        "level": "INFO",
        "levelno": logging.INFO,
        "logger": "verbatim_core.models",
        "message": "Loaded",
        "event": "model_loaded",
    } | values
    return bare_record(Sealed.of(**values))


def whole(span: ReadableSpan) -> dict[str, Any]:
    """Return all that a span has, empty things left out."""
    scope = span.instrumentation_scope
    context = span.get_span_context()
    found = {
        "name": span.name,
        "kind": span.kind.name,
        "status": (span.status.status_code.name, span.status.description),
        "ids": None if context is None else (context.trace_id, context.span_id),
        "trace_state": None if context is None else dict(context.trace_state),
        "parent": None if span.parent is None else (span.parent.trace_id, span.parent.span_id),
        "start": span.start_time,
        "end": span.end_time,
        "attributes": dict(span.attributes or {}),
        "events": [(e.name, e.timestamp, dict(e.attributes or {})) for e in span.events],
        "links": [(one.context.span_id, dict(one.attributes or {})) for one in span.links],
        "scope": None if scope is None else scope.name,
        "resource": dict(span.resource.attributes),
    }
    return {key: value for key, value in found.items() if value not in (None, {}, [], "")}


def finished(exporter: InMemorySpanExporter) -> list[dict[str, Any]]:
    """Return all spans of an exporter as `whole` shows them."""
    return [whole(span) for span in exporter.get_finished_spans()]


def counted(**values: Any) -> dict[str, Any]:
    """Return what the ledger says of a sink that got these records."""
    missing = values.get("missing", {})
    observed, filtered = values.get("observed", 0), values.get("filtered", 0)
    lost = sum(missing.values())
    return {
        "total": observed + filtered + lost,
        "eligible": observed + lost,
        "filtered": filtered,
        "observed": observed,
        "missing": lost,
        "missing_by_reason": missing,
        "cut": 0,
    }
