"""A process that is killed in the midst of calls: what it wrote before says how many began, ended and ran."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

PROGRAM = Path(__file__).parent / "programs" / "killed.py"
SRC = Path(__file__).parents[2] / "src"


@contextmanager
def running(out: Path, how: str) -> Iterator[subprocess.Popen[str]]:
    """A process of the program that is ready, and killed at the end."""
    path = os.pathsep.join([str(SRC), *filter(None, [os.environ.get("PYTHONPATH")])])
    with subprocess.Popen(
        [sys.executable, str(PROGRAM), str(out), how],
        env={**os.environ, "PYTHONPATH": path, "DISCREET_REPORT_EVERY": "0"},
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            yield process
        finally:
            process.kill()


def lines(file: Path) -> list[dict[str, Any]]:
    """The whole lines; a kill may cut the last one off."""
    return [json.loads(line) for line in file.read_text("utf-8").splitlines(keepends=True) if line.endswith("\n")]


def finished(out: Path) -> Counter[tuple[str, str]]:
    return Counter(
        (line["operation"], line["outcome"])
        for line in lines(out / "log.jsonl")
        if line.get("event") == "call_finished"
    )


def collected(line: dict[str, Any]) -> dict[str, Counter[tuple[str, ...]]]:
    """The counts of calls in one collection, without those that are 0."""
    found = {}
    for metric in line["resource_metrics"][0]["scope_metrics"][0]["metrics"]:
        if metric["name"] in {"discreet.calls.started", "discreet.calls", "discreet.calls.active"}:
            points = {tuple(point["attributes"].values()): point["value"] for point in metric["data"]["data_points"]}
            found[metric["name"]] = Counter({key: value for key, value in points.items() if value})
    return found


@pytest.mark.skipif(sys.platform == "win32", reason="the system has no SIGKILL")
def test_what_a_killed_process_was_doing_is_what_it_had_not_ended(tmp_path: Path) -> None:
    """Started less ended is active, by its last metrics; its lines are those of the calls that had ended."""
    with running(tmp_path, "waiting") as process:
        process.kill()
        assert process.wait(60) == -9
    last = collected(lines(tmp_path / "metrics.jsonl")[-1])
    ended = {
        ("boats.find", "ok"): 4,
        ("boats.find", "error"): 2,
        ("boats.find", "cancelled"): 2,
        ("boats.find", "degraded"): 2,
        ("boats.read", "ok"): 1,
    }
    assert last == {
        "discreet.calls.started": {("boats.find",): 10, ("boats.read",): 2, ("boats.wait",): 3},
        "discreet.calls": ended,
        "discreet.calls.active": {("boats.read",): 1, ("boats.wait",): 3},
    }
    assert finished(tmp_path) == ended
    assert last["discreet.calls.started"].total() - sum(ended.values()) == last["discreet.calls.active"].total()


@pytest.mark.skipif(sys.platform == "win32", reason="the system has no SIGKILL")
def test_a_process_may_be_killed_at_any_moment(tmp_path: Path) -> None:
    """While three threads make calls: each collection adds up, and no line is missing of what one of them has counted.

    A call is counted before its line is written, so each thread may owe one line.
    """
    with running(tmp_path, "steadily") as process:
        while (tmp_path / "metrics.jsonl").read_bytes().count(b"\n") < 10:
            assert process.poll() is None
    collections = [collected(line) for line in lines(tmp_path / "metrics.jsonl")]
    written = finished(tmp_path)
    for one in collections:
        ended, active = one["discreet.calls"].total(), one.get("discreet.calls.active", Counter()).total()
        assert one["discreet.calls.started"].total() == ended + active
        assert active <= 3
    ended = collections[-1]["discreet.calls"].total()
    assert ended > 0
    assert written.total() >= ended - 3
