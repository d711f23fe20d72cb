"""That a content logger is open is said at start and every hour, also while nothing is logged."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator

import pytest

import discreet
from discreet.timer import TIMER
from tests.clocks import Clock

CONTENT = "verbatim_core.content"


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[Clock]:
    made = Clock()
    monkeypatch.setattr(TIMER, "clock", made)
    monkeypatch.setattr(TIMER, "threaded", False)
    yield made
    TIMER.clear()


def reminders(stream: io.StringIO) -> int:
    events = [json.loads(line).get("event") for line in stream.getvalue().splitlines()]
    return events.count("content_logging_enabled")


def test_it_is_said_every_hour_without_a_record(clock: Clock) -> None:
    """Nobody may have to wait for the first customer to be told."""
    stream = io.StringIO()
    with discreet.configure(json=stream, content_debug=[CONTENT]):
        assert reminders(stream) == 1
        clock.pass_by(3599)
        assert reminders(stream) == 1
        for hour in range(2, 5):
            clock.pass_by(1 if hour == 2 else 3600)
            assert reminders(stream) == hour


def test_it_is_not_said_once_the_logger_is_closed(clock: Clock) -> None:
    """And nothing waits any more."""
    stream = io.StringIO()
    with discreet.configure(json=stream, content_debug=[CONTENT]):
        logging.getLogger(CONTENT).setLevel("INFO")
        for _ in range(3):
            clock.pass_by(3600)
        assert reminders(stream) == 1
        assert not TIMER.has_jobs()


def test_where_no_content_logger_is_open_nothing_waits(clock: Clock) -> None:
    """Most processes never have one."""
    with discreet.configure(json=io.StringIO()):
        assert not TIMER.has_jobs()
    assert clock.now == 100.0
