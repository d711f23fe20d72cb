"""That the guard failed is said at once, and from then on in the reports, by records that can't fail the same way."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest

import discreet
from discreet.export.ledger import LEDGER
from discreet.reporter import REPORTER
from discreet.seal import sealing
from discreet.timer import TIMER

LOG = logging.getLogger("faults.told")
QUESTION = "Which of the two lighthouses did Frederica's aunt paint?"
NOW = [0.0]


@pytest.fixture
def stream(monkeypatch: pytest.MonkeyPatch) -> Iterator[io.StringIO]:
    """JSON lines, with reports every ten minutes of a clock that is set by hand."""
    LEDGER.clear()
    REPORTER.reset()
    monkeypatch.setattr(TIMER, "clock", lambda: NOW[0])
    monkeypatch.setattr(TIMER, "threaded", False)
    lines = io.StringIO()
    handle = discreet.configure(json=lines, report_every=600)
    yield lines
    monkeypatch.undo()
    handle.close()
    REPORTER.reset()
    LEDGER.clear()


def _fails(record: logging.LogRecord, d: dict[str, Any]) -> Any:
    raise RuntimeError(QUESTION)


def _said(stream: io.StringIO) -> list[dict[str, Any]]:
    found = [json.loads(line) for line in stream.getvalue().splitlines()]
    return [
        {name: line[name] for name in ("level", "logger", "error_type", "count")}
        for line in found
        if line.get("event") == "guard_failed"
    ]


def test_the_first_failure_is_said_at_once_and_the_others_with_their_count(
    stream: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not from within the failing call: as soon as the timer's thread runs."""
    first = {"level": "ERROR", "logger": "discreet", "error_type": "RuntimeError", "count": 1}
    told = []
    for _ in range(2):
        with monkeypatch.context() as patched:
            patched.setattr(sealing, "_seal", _fails)
            for _ in range(1 + len(told)):
                LOG.warning("Asked %s", QUESTION)
        told.append(_said(stream))
        TIMER.run_due()
        told.append(_said(stream))
    NOW[0] += 600
    TIMER.run_due()

    assert told == [[], [first], [first], [first]]
    assert _said(stream) == [first, {**first, "count": 3}]
    assert QUESTION not in stream.getvalue()


def test_saying_it_needs_nothing_of_what_failed(stream: io.StringIO, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its record isn't sealed: it is made of our own words, so it comes out while every other one is withheld."""
    monkeypatch.setattr(sealing, "_seal", _fails)
    LOG.warning("Asked %s", QUESTION)
    for _ in range(5):
        TIMER.run_due()
    messages = [json.loads(line)["message"] for line in stream.getvalue().splitlines()]

    assert messages[-2:] == ["<record withheld: the guard failed>", "The guard failed and withheld all of a record"]
    assert LEDGER.failures == {("seal", "RuntimeError"): 1}
