"""Worker processes of every start method, with a queue of records to their parent."""

from __future__ import annotations

import multiprocessing
from pathlib import Path

import pytest

from tests.interplay.calls import LOGGER, MESSAGES, of_lines
from tests.interplay.running import run

QUEUED = [*MESSAGES, "Answered: <str 16-63>"]


@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_workers_log_what_is_sealed_and_so_does_the_queue_to_their_parent(method: str, tmp_path: Path) -> None:
    """A forked worker writes to its parent's sinks, a spawned one to those that it sets up."""
    outcome = run("processes.py", tmp_path, method)

    assert outcome.leaks == []
    own = of_lines(outcome.lines("parent.jsonl"))
    if method == "fork":
        assert own == ["In the parent: <str 16-63>", *QUEUED]
    else:
        assert own == ["In the parent: <str 16-63>"]
        assert of_lines(outcome.lines("worker.jsonl")) == QUEUED
    assert of_lines(outcome.lines("queued.jsonl")) == QUEUED
    levels = ["WARNING"] * 4 + ["ERROR", "WARNING"]
    queued = [line for line in outcome.files["queued.log"].splitlines() if LOGGER in line]
    expected = [f"<str 64-255> {LOGGER} {level} {message}" for level, message in zip(levels, QUEUED, strict=True)]
    assert queued == expected
    failed = outcome.lines("queued.jsonl")[4]
    assert (failed["exception_type"], failed["shard"]) == ("ValueError", 4)
