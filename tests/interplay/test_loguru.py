"""loguru behind logging gets what is sealed; what it hands to logging is sealed there."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.interplay.calls import MESSAGES, of_lines
from tests.interplay.running import run

pytestmark = pytest.mark.integration


def test_an_intercept_handler_gets_sealed_records_and_finds_the_caller(tmp_path: Path) -> None:
    """Message, level and the caller's function; tracebacks without the values that loguru adds to them."""
    outcome = run("loguru_sinks.py", tmp_path, "intercept")

    assert outcome.leaks == []
    assert of_lines(outcome.lines("ours.jsonl")) == list(MESSAGES)
    records = [line["record"] for line in outcome.lines("loguru.jsonl")]
    found = [(one["level"]["name"], one["function"], one["message"]) for one in records if one["function"] == "work"]
    levels = ["WARNING"] * 4 + ["ERROR"]
    assert found == [(level, "work", message) for level, message in zip(levels, MESSAGES, strict=True)]
    assert records[-1]["exception"] == {"type": "ValueError", "value": "", "traceback": True}
    text = outcome.files["loguru.log"]
    assert "LookupError" in text
    assert "in fail" in text
    assert "tests.interplay.calls:work Asked {question} in 12.5 ms" in text


@pytest.mark.parametrize(("way", "file"), [("propagating", "ours.jsonl"), ("sink", "sink.jsonl")])
def test_what_loguru_hands_to_logging_is_withheld_but_for_exceptions(way: str, file: str, tmp_path: Path) -> None:
    """loguru has put its texts together before; no frame of a log call of logging proves them."""
    outcome = run("loguru_sinks.py", tmp_path, way)

    assert outcome.leaks == []
    lines = [line for line in outcome.lines(file) if line["logger"] != "discreet"]
    assert [(line["level"], line["message"][:4]) for line in lines] == [
        ("WARNING", "<str"),
        ("WARNING", "<str"),
        ("ERROR", "<str"),
    ]
    assert (lines[2]["exception_type"], lines[2]["exception_chain"]) == ("ValueError", "ValueError < LookupError")
    assert lines[2]["exception_frames"].rpartition(":")[0].endswith("calls.py:fail")
