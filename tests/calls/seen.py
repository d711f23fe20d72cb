"""What a call leaves behind: records, spans and points, without ids and times."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

import discreet
from discreet.call_counts import CALLS

QUESTION = "Which ferry did Ottilie Brandvold miss on the Sunday of the regatta?"
CHANGING = {"timestamp", "trace_id", "span_id"}


@dataclass
class Seen:
    """Where everything goes while a test runs."""

    out: io.StringIO = field(default_factory=io.StringIO)
    exporter: InMemorySpanExporter = field(default_factory=InMemorySpanExporter)
    reader: InMemoryMetricReader = field(default_factory=InMemoryMetricReader)

    def records(self) -> list[dict[str, Any]]:
        """The records about calls."""
        lines = [json.loads(line) for line in self.out.getvalue().splitlines()]
        return [
            {name: value for name, value in line.items() if name not in CHANGING}
            for line in lines
            if line.get("event") == "call_finished"
        ]

    def spans(self) -> list[ReadableSpan]:
        """The spans of calls."""
        return [span for span in self.exporter.get_finished_spans() if span.name != "contract_loaded"]

    def points(self, name: str) -> dict[tuple[Any, ...], Any]:
        """The points of a metric that aren't 0, by the values of their attributes."""
        return {key: value for key, value in all_points(self.reader, name).items() if value}


def all_points(reader: InMemoryMetricReader, name: str) -> dict[tuple[Any, ...], Any]:
    """Return all points of a metric, by the values of their attributes in the order of their names."""
    data = reader.get_metrics_data()
    assert data is not None
    return {
        tuple(value for _, value in sorted((point.attributes or {}).items())): _value(point)
        for group in data.resource_metrics
        for scope in group.scope_metrics
        for metric in scope.metrics
        if metric.name == name
        for point in metric.data.data_points
    }


def _value(point: Any) -> Any:
    return point.value if hasattr(point, "value") else point.count


@contextmanager
def seen(**options: Any) -> Iterator[Seen]:
    """Set up all three, and begin to count anew."""
    CALLS.begin_anew(forget=True)
    found = Seen()
    with discreet.configure(json=found.out, spans=found.exporter, metrics=found.reader, **options):
        yield found
