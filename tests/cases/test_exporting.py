"""Snippets about exporting, each in a process of its own and against every collector that it names."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.forking import environment

pytestmark = [pytest.mark.integration, pytest.mark.long]
HERE = Path(__file__).parent
SNIPPETS = sorted((HERE / "exporting").glob("e[0-9]*.py"))


def _case(path: Path) -> dict[str, Any]:
    """Return what a snippet says of itself, without running it: some import what the core suite lacks."""
    import ast

    for node in ast.parse(path.read_text("utf-8")).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "CASE":
            return dict(ast.literal_eval(node.value))
    raise AssertionError(path)


RUNS = [
    pytest.param(path, collector, id=f"{path.stem}-{collector}")
    for path in SNIPPETS
    for collector in _case(path)["collectors"]
]


@contextlib.contextmanager
def _collector(mode: str) -> Iterator[Any]:
    from tests.export.otlp import fault_server as faults

    if mode == "refused":
        yield type("Nobody", (), {"base": faults.nobody(), "logs": [], "spans": [], "requests": 0})
    elif mode == "black hole":
        with faults.BlackHole() as hole:
            hole.logs, hole.spans, hole.requests = [], [], 0
            yield hole
    else:
        answers = {
            "ok": [faults.OK],
            "503": [faults.status(503)],
            "429": [faults.status(429, Retry_After="1")],
            "413": [faults.status(413)],
            "400": [faults.status(400)],
            "reset": [faults.RESET],
            "garbage": [faults.GARBAGE],
            "slow": [faults.Fault(delay=0.3)],
            "partial": [faults.Fault(rejected=5)],
            "flaky": [faults.status(503), faults.OK] * 20,
        }[mode]
        with faults.FaultServer(answers) as server:
            yield server


def _own(line: dict[str, Any]) -> bool:
    return str(line.get("logger")).split(".")[0] == "app"


@pytest.mark.parametrize(("path", "mode"), RUNS)
def test_nothing_is_raised_and_every_record_is_counted(path: Path, mode: str, tmp_path: Path) -> None:
    """The JSON sink is complete whatever the collector does, and what was observed is what it has."""
    from tests.export.otlp.fault_server import fields

    case = _case(path)
    with _collector(mode) as collector:
        # A slow collector is waited for: what it takes after that, it takes from nobody.
        shutdown = 30.0 if mode == "slow" else case.get("shutdown", 5.0)
        job = {"snippet": str(path), "url": collector.base, "out": str(tmp_path), "shutdown": shutdown}
        done = subprocess.run(
            [sys.executable, "-W", "error", str(HERE / "exporting_child.py"), json.dumps(job)],
            env=environment(OTEL_BLRP_SCHEDULE_DELAY="100", OTEL_BSP_SCHEDULE_DELAY="100", DISCREET_REPORT_EVERY="0"),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    told = [line for line in done.stderr.splitlines() if not line.startswith("discreet: ")]
    assert told == []

    lines = [json.loads(line) for line in (tmp_path / "logs.jsonl").read_text("utf-8").splitlines()]
    own = [line for line in lines if _own(line)]
    assert len(own) == case["app_records"]

    sinks = json.loads((tmp_path / "ledger.json").read_text("utf-8"))["sinks"]
    counts = sinks["otlp_logs"]
    assert counts["total"] == counts["eligible"] + counts["filtered"]
    assert counts["eligible"] == counts["observed"] + counts["missing"]
    assert sum(counts["missing_by_reason"].values()) == counts["missing"]
    assert "pending" not in counts["missing_by_reason"]
    # Children count by themselves.
    others = case.get("processes", 1) - 1
    assert len(collector.logs) == counts["observed"] + others
    bodies = Counter(record.SerializeToString() for record in collector.logs)
    assert max(bodies.values(), default=1) == 1
    assert collector.requests <= case.get("max_requests", 10_000)
    assert case.get("missing", set()) <= set(counts["missing_by_reason"])
    if mode in ("ok", "flaky") and "delivers" not in case:
        assert counts["missing"] == 0
        names = Counter(record.body.string_value for record in collector.logs)
        assert sum(names[line["message"]] > 0 for line in own) == len(own)
    if counts["missing"]:
        closed = [line for line in lines if line.get("event") == "pipeline_closed"]
        assert closed[-1]["missing"] == sum(sink["missing"] for sink in sinks.values())
        said = {line["reason"] for line in lines if line.get("event") == "records_missing"}
        assert set(counts["missing_by_reason"]) <= said
        assert "discreet: " in done.stderr
    _look(case, collector, own, fields)


def _look(case: dict[str, Any], collector: Any, own: list[dict[str, Any]], fields: Any) -> None:
    """Check what a case says beyond that."""
    records = [(record, fields(record)) for record in collector.logs]
    for number, severity in case.get("severities", {}).items():
        (found,) = [
            (record, line) for record, given in records for line in own if given.get("n") == line["n"] == number
        ]
        assert (found[0].severity_number, found[0].severity_text) == (severity, found[1]["level"])
    for name in case.get("absent", ()):
        assert not any(name in given for _, given in records)
    if "processes" in case:
        assert len({given["k"] for _, given in records if "k" in given}) == case["processes"]
    if "spans" in case:
        assert sum(span.name == "case.event" for span in collector.spans) == case["spans"]
    by_place: dict[int, list[str]] = {}
    for record, given in records:
        by_place.setdefault(given.get("k", -1), []).append(record.trace_id.hex())
    if "one_trace" in case:
        assert len({trace for place in case["one_trace"] for trace in by_place[place]} - {""}) == 1
        assert all(by_place[place] == [""] for place in case["no_trace"])
        assert len(set(by_place[4])) == case["own_traces"]
        assert all(line.get("trace_id", "") in by_place[line["k"]] for line in own)
