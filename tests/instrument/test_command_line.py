"""`opentelemetry-instrument python app.py`, with nothing but environment variables."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.instrument.command_line import installed as make_known
from tests.instrument.command_line import instrument, run
from tests.instrument.shelf import CANARIES

pytestmark = [pytest.mark.integration, pytest.mark.long]

APP = str(Path(__file__).parent / "programs" / "app.py")
VARIABLES = {"DISCREET_JSON": "records.jsonl", "DISCREET_SPANS": "spans.jsonl", "DISCREET_REPORT_EVERY": "0"}


@pytest.fixture
def installed(tmp_path: Path) -> list[Path]:
    """Our instrumentors alone."""
    return make_known(tmp_path)


def test_it_gives_the_same_records_and_spans_as_the_code_form(installed: list[Path], tmp_path: Path) -> None:
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


def test_without_a_sink_nothing_is_set_up(installed: list[Path], tmp_path: Path) -> None:
    """Calls are counted all the same, and a program that sets discreet up itself does so as ever."""
    told = "Found 1 for <str 16-63>\n"
    assert run(installed, tmp_path / "quiet", instrument(), sys.executable, APP, told=told) == {}
    by_both = run(installed, tmp_path / "both", instrument(), sys.executable, APP, "code", **VARIABLES)
    assert [one["operation"] for one in by_both["records.jsonl"] if one.get("event") == "call_finished"] == [
        "groundkit.index",
        "groundkit.open",
        "groundkit.search",
        "groundkit.synthesize",
        "oloproof.evaluate",
    ]


def test_one_of_them_may_be_switched_off(installed: list[Path], tmp_path: Path) -> None:
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
