"""`opentelemetry-instrument python app.py`, with nothing but environment variables."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.forking import ROOT, environment
from tests.instrument.shelf import CANARIES

pytestmark = pytest.mark.integration

APP = str(Path(__file__).parent / "programs" / "app.py")
VARIABLES = {"DISCREET_JSON": "records.jsonl", "DISCREET_SPANS": "spans.jsonl", "DISCREET_REPORT_EVERY": "0"}
CHANGING = re.compile(r"\b[0-9a-f]{16,32}\b|run_[0-9A-Z]{26}|\d+\.\d+(?= ms)")


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """A folder that makes this tree's entry points known, whatever is installed."""
    points = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["entry-points"]
    info = tmp_path / "installed" / "discreet-0.1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: discreet\nVersion: 0.1.0\n", "utf-8")
    lines = [
        line
        for group, found in points.items()
        for line in (f"[{group}]", *(f"{name} = {value}" for name, value in found.items()))
    ]
    (info / "entry_points.txt").write_text("\n".join(lines), "utf-8")
    return info.parent


def run(installed: Path, folder: Path, *command: str, **variables: str) -> dict[str, list[Any]]:
    folder.mkdir()
    found = environment(**variables)
    found["PYTHONPATH"] = f"{installed}:{found['PYTHONPATH']}"
    done = subprocess.run(command, cwd=folder, env=found, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return {
        name: [_steady(json.loads(line)) for line in (folder / name).read_text("utf-8").splitlines()]
        for name in ("records.jsonl", "spans.jsonl")
        if (folder / name).exists()
    }


def _steady(value: Any) -> Any:
    """Leave out how long things took."""
    if isinstance(value, dict):
        return {
            name: _steady(one)
            for name, one in value.items()
            if not re.search("duration|latency|time|span_id|trace_id", name)
        }
    if isinstance(value, list):
        return [_steady(one) for one in value]
    return CHANGING.sub("~", value) if isinstance(value, str) else value


def instrument() -> str:
    return str(Path(sys.executable).with_name("opentelemetry-instrument"))


def test_it_gives_the_same_records_and_spans_as_the_code_form(installed: Path, tmp_path: Path) -> None:
    """And neither has anything of what customers wrote."""
    by_code = run(installed, tmp_path / "code", sys.executable, APP, "code")
    by_variables = run(installed, tmp_path / "variables", instrument(), sys.executable, APP, **VARIABLES)
    calls = [
        (one["operation"], one["outcome"]) for one in by_code["records.jsonl"] if one.get("event") == "call_finished"
    ]
    assert calls == [
        ("groundkit.index", "ok"),
        ("groundkit.open", "ok"),
        ("groundkit.search", "ok"),
        ("groundkit.synthesize", "error"),
        ("oloproof.evaluate", "ok"),
    ]
    assert len(by_code["spans.jsonl"]) > len(calls)
    assert by_variables == by_code
    assert [word for word in CANARIES if word in json.dumps(by_code)] == []


def test_without_a_sink_nothing_is_set_up(installed: Path, tmp_path: Path) -> None:
    """Calls are counted all the same, and a program that sets discreet up itself does so as ever."""
    assert run(installed, tmp_path / "quiet", instrument(), sys.executable, APP) == {}
    by_both = run(installed, tmp_path / "both", instrument(), sys.executable, APP, "code", **VARIABLES)
    assert [one["operation"] for one in by_both["records.jsonl"] if one.get("event") == "call_finished"] == [
        "groundkit.index",
        "groundkit.open",
        "groundkit.search",
        "groundkit.synthesize",
        "oloproof.evaluate",
    ]


def test_one_of_them_may_be_switched_off(installed: Path, tmp_path: Path) -> None:
    """By OpenTelemetry's own variable."""
    found = run(
        installed,
        tmp_path / "one",
        instrument(),
        sys.executable,
        APP,
        OTEL_PYTHON_DISABLED_INSTRUMENTATIONS="groundkit",
        **VARIABLES,
    )
    assert [one["operation"] for one in found["records.jsonl"] if one.get("event") == "call_finished"] == [
        "oloproof.evaluate"
    ]
