"""`opentelemetry-instrument` finds the instrumentor of stamina, and gives what the code form gives."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.instrument.command_line import installed, instrument, run
from tests.instrument.retried import CANARIES

pytestmark = [pytest.mark.integration, pytest.mark.long]

APP = str(Path(__file__).parent / "programs" / "repeats.py")
VARIABLES = {"DISCREET_JSON": "records.jsonl", "DISCREET_SPANS": "spans.jsonl", "DISCREET_REPORT_EVERY": "0"}


def test_attempts_are_told_without_a_line_of_code(tmp_path: Path) -> None:
    """Two of tenacity's and two of stamina's, beside the calls' own records."""
    known = installed(tmp_path)
    by_code = run(known, tmp_path / "code", sys.executable, APP, "code")
    by_variables = run(known, tmp_path / "variables", instrument(), sys.executable, APP, **VARIABLES)
    found = [
        (one["event"], one["operation"], one.get("attempt"), one.get("outcome"), one.get("retries"))
        for one in by_code["records.jsonl"]
        if "operation" in one
    ]
    assert found == [
        ("attempt_failed", "harbour.ask", 1, None, None),
        ("attempt_failed", "harbour.ask", 2, None, None),
        ("call_finished", "harbour.ask", None, "error", 2),
        ("attempt_failed", "harbour.fetch", 1, None, None),
        ("attempt_failed", "harbour.fetch", 2, None, None),
        ("call_finished", "harbour.fetch", None, "ok", 2),
    ]
    assert by_variables == by_code
    assert [word for word in CANARIES if word in json.dumps(by_code)] == []
