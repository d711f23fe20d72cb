"""All four libraries at once: `opentelemetry-instrument` gives what the code form gives, beside others too."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.json_format import MessageToDict

from tests.export.otlp.fault_server import FaultServer
from tests.instrument import models as of_models
from tests.instrument import shelf, suite
from tests.instrument.answers import for_all
from tests.instrument.command_line import Steady, installed, instrument, run
from tests.instrument.models import Models, models

pytestmark = [pytest.mark.integration, pytest.mark.long]

APP = str(Path(__file__).parent / "programs" / "four.py")
CANARIES = {*of_models.CANARIES, *shelf.CANARIES, *suite.CANARIES, "Harbour"}
OFFICIAL = (
    "opentelemetry-instrumentation-fastapi",
    "opentelemetry-instrumentation-httpx",
    "opentelemetry-instrumentation-openai-v2",
)
CONTENT = {"OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": "true"}
CALLS = [
    ("openai.chat", "ok"),
    ("openai.chat", "ok"),
    ("openai.embeddings", "ok"),
    ("openai.chat", "error"),
    ("openai.chat", "ok"),
    ("openai.chat", "ok"),
    ("verbatim.complete", "ok"),
    ("verbatim.extract", "ok"),
    ("openai.chat", "ok"),
    ("verbatim.complete", "ok"),
    ("verbatim.transform", "ok"),
    ("groundkit.index", "ok"),
    ("groundkit.open", "ok"),
    ("groundkit.search", "ok"),
    ("oloproof.evaluate", "ok"),
]


@pytest.fixture
def served() -> Iterator[Models]:
    with models() as found:
        found.choose = for_all
        yield found


def calls(records: list[Any]) -> list[tuple[str, str]]:
    return [(one["operation"], one["outcome"]) for one in records if one.get("event") == "call_finished"]


def quoted(found: Any) -> list[str]:
    text = json.dumps(found, ensure_ascii=False)
    return [word for word in sorted(CANARIES) if word in text]


def run_by_variables(known: list[Path], folder: Path, served: Models, **more: str) -> dict[str, list[Any]]:
    """Run the program with nothing but environment variables, and return what it wrote."""
    return run(
        known,
        folder / "variables",
        instrument(),
        sys.executable,
        APP,
        MODELS=served.url,
        DISCREET_JSON="records.jsonl",
        DISCREET_SPANS="spans.jsonl",
        DISCREET_REPORT_EVERY="0",
        **more,
    )


def test_records_and_spans_are_those_of_the_code_form(served: Models, tmp_path: Path) -> None:
    """Whole: attributes, order, which span stands in which. And nothing of what was asked or replied."""
    known = installed(tmp_path)
    by_code = run(known, tmp_path / "code", sys.executable, APP, "code", MODELS=served.url, SPANS="spans.jsonl")
    by_variables = run_by_variables(known, tmp_path, served)
    assert calls(by_code["records.jsonl"]) == CALLS
    names = [one["name"] for one in by_code["spans.jsonl"]]
    assert [name for name in names if (name, "ok") in CALLS] == [operation for operation, _ in CALLS]
    assert by_variables == by_code
    assert quoted(by_code) == []


def test_what_a_collector_gets_is_that_of_the_code_form(served: Models, tmp_path: Path) -> None:
    """Log records and spans over OTLP, with their resource."""
    known = installed(tmp_path)
    found = []
    for number, command in enumerate(
        ((sys.executable, APP, "code"), (instrument(), sys.executable, APP)),
    ):
        with FaultServer() as collector:
            run(
                known,
                tmp_path / str(number),
                *command,
                MODELS=served.url,
                DISCREET_JSON="records.jsonl",
                DISCREET_REPORT_EVERY="0",
                OTEL_METRICS_EXPORTER="none",
                **({"COLLECTOR": collector.base} if number == 0 else {"DISCREET_OTLP": collector.base}),
            )
            found.append(received(collector))
    by_code, by_variables = found
    assert [one["name"] for one in by_code["spans"] if (one["name"], "ok") in CALLS] == [name for name, _ in CALLS]
    assert len(by_code["logs"]) > len(CALLS)
    assert by_variables == by_code
    assert quoted(by_code) == []


def received(collector: FaultServer) -> dict[str, Any]:
    """What a collector has, without times; attributes by name."""
    steady = Steady()
    # A request has them by scope, and where one request ends depends on time.
    logs = sorted(collector.logs, key=lambda one: one.time_unix_nano)
    spans = sorted(collector.spans, key=lambda one: one.end_time_unix_nano)
    return {
        "logs": [steady.of(plain(one)) for one in logs],
        "spans": [steady.of(plain(one)) for one in spans],
        "resources": sorted({json.dumps(plain(one), sort_keys=True) for one in collector.resources}),
    }


def plain(message: Any) -> dict[str, Any]:
    found = MessageToDict(message)
    for holder in (found, *found.get("events", ())):
        holder["attributes"] = {one["key"]: one["value"] for one in holder.get("attributes", ())}
    ids = {"traceId": "trace_id", "spanId": "span_id", "parentSpanId": "parent_span_id"}
    return found | {name: getattr(message, field).hex() for name, field in ids.items() if name in found}


@pytest.mark.parametrize("first", [True, False], ids=["before ours", "after ours"])
def test_it_is_the_same_beside_instrumentors_of_others(first: bool, served: Models, tmp_path: Path) -> None:
    """Their spans stand inside or around ours, in one trace; what they would tell of content is withheld."""
    known = installed(tmp_path, others=OFFICIAL, first=first)
    by_code = run(
        known,
        tmp_path / "code",
        sys.executable,
        APP,
        "code",
        MODELS=served.url,
        SPANS="spans.jsonl",
        OFFICIAL="before" if first else "after",
        **CONTENT,
    )
    by_variables = run_by_variables(known, tmp_path, served, **CONTENT)
    assert calls(by_code["records.jsonl"]) == CALLS
    spans = by_code["spans.jsonl"]
    # Theirs of the first request, ours of it and that of HTTP: each of the two last stands in the one before.
    outer, inner = ("openai.chat", "chat example-1") if first else ("chat example-1", "openai.chat")
    within = [one for one in spans if one["trace_id"] == spans[1]["trace_id"]]
    assert [one["name"] for one in within] == ["POST", inner, outer]
    assert [one.get("parent_span_id") for one in within] == [within[1]["span_id"], within[2]["span_id"], None]
    assert by_variables == by_code
    assert quoted(by_code) == []


def test_spans_of_a_framework_have_calls_inside_and_no_text(tmp_path: Path) -> None:
    """A request's span has the route's template, as its access line has; what was asked stands in path and query."""
    found = run(
        installed(tmp_path, others=OFFICIAL),
        tmp_path / "served",
        instrument(),
        sys.executable,
        str(Path(APP).with_name("served.py")),
        DISCREET_JSON="records.jsonl",
        DISCREET_SPANS="spans.jsonl",
        DISCREET_REPORT_EVERY="0",
    )
    spans = {one["span_id"]: one for one in found["spans.jsonl"]}
    (call,) = [one for one in spans.values() if one["name"] == "harbour.ask"]
    above = []
    while call.get("parent_span_id") in spans:
        call = spans[call["parent_span_id"]]
        above.append(call["name"])
    assert above == ["GET /ask/{text}"]
    assert calls(found["records.jsonl"]) == [("harbour.ask", "ok")]
    assert quoted(found) == []
