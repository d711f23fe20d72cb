"""Records as spans: by our handler, and by one that makes them as its author thinks best."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import ConsoleSpanExporter, SimpleSpanProcessor
from opentelemetry.trace import Status, StatusCode

from tests.matrix.carriers import to_root


class SpanHandler(logging.Handler):
    """A span for each record, with all that the record has."""

    def __init__(self, provider: TracerProvider) -> None:
        super().__init__()
        self._tracer = provider.get_tracer("records")

    def emit(self, record: logging.LogRecord) -> None:
        try:
            self._span(record)
        except Exception:
            self.handleError(record)

    def _span(self, record: logging.LogRecord) -> None:
        attributes = {name: str(value) for name, value in vars(record).items()}
        with self._tracer.start_as_current_span(record.getMessage(), attributes=attributes) as span:
            if record.exc_info and record.exc_info[1]:
                span.record_exception(record.exc_info[1])
                span.set_status(Status(StatusCode.ERROR, str(record.exc_info[1])))


@contextmanager
def naive(out: Path, url: str) -> Iterator[Any]:
    """The control: spans of all records, into a file."""
    with (out / "spans.jsonl").open("w", encoding="utf-8") as file:
        provider = TracerProvider()
        provider.add_span_processor(
            SimpleSpanProcessor(ConsoleSpanExporter(out=file, formatter=lambda span: span.to_json(indent=None) + "\n"))
        )
        yield to_root(SpanHandler(provider))
        provider.shutdown()


def _has_an_event(record: logging.LogRecord) -> bool:
    # Only records of key events become spans.
    vars(record).setdefault("event", "fallback_used")
    return True


@contextmanager
def own(out: Path, url: str) -> Iterator[Any]:
    """OtelSpanHandler, for records that all have an event."""
    import discreet

    discreet.install(streams=True)
    handler = discreet.OtelSpanHandler(exporter=out / "spans.jsonl", attributes={"question": "code", "row": "int"})
    handler.addFilter(_has_an_event)
    yield to_root(handler)
    handler.close()
