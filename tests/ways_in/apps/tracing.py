"""A tracer provider of the application's own."""

from __future__ import annotations

from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor

from discreet.export.span_file import SpanFileExporter

provider = TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(SpanFileExporter("other.jsonl")))
