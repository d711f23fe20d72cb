"""set_level(): another level for a while, which ends by itself and never opens a content logger."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest

import discreet
from discreet.errors import InvalidInputError
from discreet.timer import TIMER
from tests.clocks import Clock

CONTENT = "verbatim_core.content"
CUSTOMERS_NAME = "Miss Honoria Glossop"
log = logging.getLogger("json.decoder")


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[Clock]:
    made = Clock()
    monkeypatch.setattr(TIMER, "clock", made)
    monkeypatch.setattr(TIMER, "threaded", False)
    yield made
    TIMER.clear()


@pytest.fixture
def stream() -> io.StringIO:
    return io.StringIO()


@pytest.fixture
def handle(clock: Clock, stream: io.StringIO) -> Iterator[discreet.Handle]:
    assert clock.now == 100.0
    with discreet.configure(json=stream, level="INFO") as found:
        yield found


def said(stream: io.StringIO) -> list[dict[str, Any]]:
    found = [json.loads(line) for line in stream.getvalue().splitlines()]
    for line in found:
        del line["timestamp"], line["level"], line["logger"]
    return [line for line in found if line.pop("event", None) == "level_changed"]


def test_a_level_holds_for_its_minutes(handle: discreet.Handle, clock: Clock, stream: io.StringIO) -> None:
    """Then the logger has its own again; both are told."""
    log.setLevel("ERROR")
    handle.set_level("json.decoder", "debug", minutes=10)
    assert log.level == logging.DEBUG
    clock.pass_by(599)
    assert log.level == logging.DEBUG
    clock.pass_by(1)
    assert log.level == logging.ERROR
    clock.pass_by(6000)
    assert said(stream) == [
        {
            "message": "Logger json.decoder has another level for a while",
            "target": "json.decoder",
            "new_level": "DEBUG",
            "duration_s": 600,
        },
        {
            "message": "Logger json.decoder has its own level again",
            "target": "json.decoder",
            "new_level": "ERROR",
        },
    ]


def test_setting_it_again_begins_anew(handle: discreet.Handle, clock: Clock) -> None:
    """And what comes back in the end is the logger's own level."""
    log.setLevel("ERROR")
    discreet.set_level("json.decoder", "DEBUG", minutes=10)
    clock.pass_by(300)
    discreet.set_level("json.decoder", 25, minutes=10)
    clock.pass_by(599)
    assert log.level == 25
    clock.pass_by(1)
    assert log.level == logging.ERROR
    assert handle is not None


def test_none_gives_the_own_level_back_at_once(handle: discreet.Handle, clock: Clock, stream: io.StringIO) -> None:
    """Of a logger that was not changed, nothing happens."""
    discreet.set_level("json.decoder", "DEBUG")
    handle.set_level("json.decoder", None)
    handle.set_level("json.decoder", None)
    clock.pass_by(6000)
    assert log.level == logging.NOTSET
    assert len(said(stream)) == 2


def test_what_somebody_else_sets_meanwhile_stays(handle: discreet.Handle, clock: Clock) -> None:
    """It is nothing of ours to undo."""
    handle.set_level("json.decoder", "DEBUG")
    log.setLevel("CRITICAL")
    clock.pass_by(600)
    assert log.level == logging.CRITICAL


@pytest.mark.parametrize("end", ["close", "again"])
def test_levels_end_with_the_set_up(handle: discreet.Handle, stream: io.StringIO, end: str) -> None:
    """Whether it is closed or replaced; the root logger's too."""
    handle.set_level("json.decoder", "DEBUG", minutes=60)
    handle.set_level("root", "DEBUG", minutes=60)
    assert logging.root.level == logging.DEBUG
    if end == "close":
        handle.close()
        assert logging.root.level == logging.WARNING
    else:
        discreet.configure(json=io.StringIO(), level="ERROR").close()
    assert log.level == logging.NOTSET
    assert said(stream)[-1]["message"].endswith("has its own level again")


def test_a_content_logger_is_not_opened(handle: discreet.Handle, clock: Clock, stream: io.StringIO) -> None:
    """Neither at DEBUG nor below; above it anything goes."""
    logger = logging.getLogger(CONTENT)
    for level in ("DEBUG", 10, 5, 1):
        with pytest.raises(InvalidInputError, match="logger: is a content logger"):
            handle.set_level(CONTENT, level)
    assert logger.level == logging.INFO
    handle.set_level(CONTENT, "ERROR")
    assert logger.level == logging.ERROR
    clock.pass_by(600)
    assert logger.level == logging.INFO
    assert [line["new_level"] for line in said(stream)] == ["ERROR", "INFO"]


def test_a_content_logger_that_the_set_up_opens_may_be_closed_for_a_while(clock: Clock) -> None:
    """It is open again then, and no longer than that set-up."""
    logger = logging.getLogger(CONTENT)
    with discreet.configure(json=io.StringIO(), content_debug=[CONTENT]) as handle:
        handle.set_level(CONTENT, "WARNING")
        clock.pass_by(600)
        assert logger.level == logging.DEBUG
        handle.set_level(CONTENT, "DEBUG")
        handle.set_level(CONTENT, "WARNING")
    assert logger.level == logging.NOTSET
    with pytest.raises(InvalidInputError, match="is a content logger"):
        discreet.set_level(CONTENT, "DEBUG")


def test_a_new_set_up_that_closes_a_content_logger_keeps_it_closed(clock: Clock) -> None:
    """Although a level from before expires later."""
    logger = logging.getLogger(CONTENT)
    discreet.configure(json=io.StringIO(), content_debug=[CONTENT]).set_level(CONTENT, "INFO")
    with discreet.configure(json=io.StringIO()):
        clock.pass_by(600)
        assert logger.level == logging.INFO


def test_the_name_of_a_logger_is_told_only_where_it_is_known(handle: discreet.Handle, stream: io.StringIO) -> None:
    """A module's, or one that a contract has: a customer's name can be that of a logger."""
    for name in (CUSTOMERS_NAME, "uvicorn", "root"):
        handle.set_level(name, "ERROR")
    assert [line["message"] for line in said(stream)] == [
        "A logger has another level for a while",
        "Logger uvicorn has another level for a while",
        "Logger root has another level for a while",
    ]
    assert "Honoria" not in stream.getvalue()
    assert [line.get("target") for line in said(stream)] == [None, None, None]


def test_the_ledger_does_not_name_a_logger_whose_level_could_not_be_told(
    handle: discreet.Handle, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A handler of others may fail in the timer's thread; the name may be anybody's."""

    class Failing(logging.Handler):
        def handle(self, record: logging.LogRecord) -> bool:
            raise LookupError(CUSTOMERS_NAME)

    handle.set_level(CUSTOMERS_NAME, "DEBUG", minutes=1)
    handle.ledger.clear()
    monkeypatch.setattr(logging.getLogger("discreet"), "handlers", [Failing()])
    clock.pass_by(60)
    assert handle.ledger.failures == {("timer level", "LookupError"): 1}


@pytest.mark.parametrize(
    ("logger", "level", "minutes", "param"),
    [
        ("", "DEBUG", 10, "logger"),
        (7, "DEBUG", 10, "logger"),
        ("a", "LOUD", 10, "level"),
        ("a", -1, 10, "level"),
        ("a", True, 10, "level"),
        ("a", 1.5, 10, "level"),
        ("a", "DEBUG", 0, "minutes"),
        ("a", "DEBUG", -3, "minutes"),
        ("a", "DEBUG", float("nan"), "minutes"),
        ("a", "DEBUG", 10**6, "minutes"),
        ("a", "DEBUG", "10", "minutes"),
    ],
)
def test_wrong_arguments_are_refused(clock: Clock, logger: Any, level: Any, minutes: Any, param: str) -> None:
    """With the name of the argument; nothing is changed."""
    with pytest.raises(InvalidInputError) as refused:
        discreet.set_level(logger, level, minutes=minutes)
    assert refused.value.param == param
    assert clock.now == 100.0
    assert TIMER._jobs == {}
