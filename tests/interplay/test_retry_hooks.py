"""What tenacity's and stamina's own hooks log of arguments, results and exceptions stays inside."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.interplay.running import Outcome, run

pytestmark = pytest.mark.integration

HOOKS = ("tenacity", "logging", "structlog", "default")
OF_STAMINA = {"level": "WARNING", "message": "stamina.retry_scheduled", "withheld": 7}


def about(outcome: Outcome) -> list[dict[str, object]]:
    """The records of stamina's hooks, and of ours."""
    return [
        {name: line[name] for name in ("level", "message", "withheld") if name in line}
        for line in outcome.lines("lines.jsonl")
        if line["logger"].startswith("stamina") or line.get("event") == "attempt_failed"
    ]


@pytest.mark.parametrize("hook", HOOKS)
def test_each_of_them_leaks_without_the_guard(hook: str, tmp_path: Path) -> None:
    """So that what follows is no test of nothing; stamina's default goes past `logging`, to standard output."""
    outcome = run("retry_hooks.py", tmp_path, hook, "unguarded")
    assert outcome.leaks != []
    assert (outcome.stdout != "") == (hook in {"structlog", "default"})


def test_tenacitys_log_hooks_tell_nothing(tmp_path: Path) -> None:
    """Neither the f-string with the exception's text or the refused result, nor the rendered traceback."""
    outcome = run("retry_hooks.py", tmp_path, "tenacity", "guarded")
    assert outcome.leaks == []
    lines = [line for line in outcome.lines("lines.jsonl") if line["logger"] == "app.retries"]
    assert [(line["level"], line["withheld"]) for line in lines] == [
        # A name and an ordinal; those and how it ended; the whole, which is made before it is logged.
        *(("INFO", 2), ("INFO", 3), ("WARNING", 1), ("INFO", 2)),
        *(("INFO", 2), ("INFO", 3), ("WARNING", 1), ("INFO", 2), ("INFO", 3)),
    ]


@pytest.mark.parametrize(
    ("hook", "way"), [("logging", "guarded"), ("structlog", "structlog"), ("default", "structlog")]
)
def test_staminas_log_hooks_tell_that_and_no_more(hook: str, way: str, tmp_path: Path) -> None:
    """Through `logging`, and through structlog where our processors are."""
    outcome = run("retry_hooks.py", tmp_path, hook, way)
    assert outcome.leaks == []
    assert (about(outcome) or [OF_STAMINA]) == [OF_STAMINA]
    assert ("stamina.retry_scheduled" in outcome.stdout) == (way == "structlog")


def test_staminas_default_is_held_back_on_standard_output_too(tmp_path: Path) -> None:
    """By `streams=True`, for a program that hasn't configured structlog."""
    outcome = run("retry_hooks.py", tmp_path, "default", "streams")
    assert (outcome.leaks, about(outcome)) == ([], [])
    assert [line["event"] for line in outcome.lines("lines.jsonl") if line["logger"] == "stdout"] == ["output_line"]


@pytest.mark.parametrize("hook", ["logging", "structlog", "default"])
def test_where_stamina_is_instrumented_none_of_them_is_called(hook: str, tmp_path: Path) -> None:
    """Our record stands for theirs."""
    outcome = run("retry_hooks.py", tmp_path, hook, "instrumented")
    assert (outcome.leaks, outcome.stdout) == ([], "")
    assert about(outcome) == [{"level": "INFO", "message": "Attempt 1 failed, the next comes in 0.000 s"}]
