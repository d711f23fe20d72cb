"""A call's whole record beside its whole span; times and ids are compared with each other and left out."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

from tests.calls.seen import Seen

FRAME: Final = r"[\w./-]+\.py:[\w.<>]+:\d+"
FRAMES: Final = re.compile(rf"{FRAME}(?: > {FRAME}|, \d+ more)*", re.ASCII)


class Ended(NamedTuple):
    """What a call left behind."""

    record: dict[str, Any]
    span: dict[str, Any]


def _span(span: Any, names: Mapping[int, str]) -> dict[str, Any]:
    assert span.start_time <= span.end_time
    return {
        "name": span.name,
        "kind": span.kind.name,
        "scope": span.instrumentation_scope.name,
        "parent": None if span.parent is None else names[span.parent.span_id],
        "status": [span.status.status_code.name, span.status.description],
        "attributes": dict(span.attributes or {}),
        "events": [[event.name, dict(event.attributes or {})] for event in span.events],
        "links": list(span.links),
    }


def ended(sinks: Seen) -> list[Ended]:
    """Return what each call left behind, in the order of their ends."""
    return ended_in(sinks.out.getvalue().splitlines(), sinks.exporter.get_finished_spans())


def ended_in(lines: Iterable[str], finished: Iterable[Any]) -> list[Ended]:
    """Return what each call left behind: one record, and the span that the record has the ids of."""
    spans = {span.get_span_context().span_id: span for span in finished}
    names = {key: span.name for key, span in spans.items()}
    found = []
    for line in map(json.loads, lines):
        if line.get("event") != "call_finished":
            continue
        span = spans[int(line.pop("span_id"), 16)]
        assert int(line.pop("trace_id"), 16) == span.get_span_context().trace_id
        assert line.pop("timestamp").endswith("Z")
        told = _span(span, names)
        milliseconds = line.pop("duration_ms")
        assert milliseconds >= 0
        assert told["attributes"].pop("duration_ms") == milliseconds
        assert line.pop("message") == f"{line['operation']}: {line['outcome']}, {milliseconds} ms"
        frames = line.pop("exception_frames", None)
        assert (frames is not None) == ("exception_type" in line)
        assert frames is None or FRAMES.fullmatch(frames), frames
        found.append(Ended(line, told))
    return found


def call(operation: str, outcome: str = "ok", *, parent: str | None = None, **facts: Any) -> Ended:
    """Return what a call should leave behind: the same facts in its record and in its span."""
    error = outcome == "error"
    shared = {"event": "call_finished", "logger": "discreet", "operation": operation, "outcome": outcome, **facts}
    message = shared.pop("exception_message", None)
    events = shared.pop("events", [])
    attributes = dict(shared)
    kind = attributes.pop("exception_type", None)
    if kind is not None:
        attributes["exception.type"] = kind
    if error:
        attributes["error.type"] = facts.get("error_code") or kind
    return Ended(
        {"level": "INFO", **shared, **({} if message is None else {"exception_message": message})},
        {
            "name": operation,
            "kind": "INTERNAL",
            "scope": "discreet",
            "parent": parent,
            "status": ["ERROR" if error else "UNSET", None],
            "attributes": attributes,
            "events": events,
            "links": [],
        },
    )


def inside(event: str, logger: str, level: str, **facts: Any) -> list[Any]:
    """Return what a record within a call should be in the call's span."""
    bad = level == "ERROR" or "error_code" in facts
    error = {"error.type": facts.get("error_code", "_OTHER")} if bad else {}
    return [event, {"event": event, "logger": logger, "level": level, **facts, **error}]


def others(sinks: Seen, *, changing: str) -> list[dict[str, Any]]:
    """Return the spans of libraries themselves, in the order of their ends, without one attribute."""
    finished = sinks.exporter.get_finished_spans()
    names = {span.get_span_context().span_id: span.name for span in finished}
    found = [_span(span, names) for span in finished if span.instrumentation_scope.name != "discreet"]
    for span in found:
        span["attributes"].pop(changing, None)
    return found
