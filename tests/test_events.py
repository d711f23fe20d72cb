"""EventFilter: which event and codes a record gets, and who decides."""

from __future__ import annotations

import io
import json
import logging
from pathlib import Path
from typing import Any

import pytest

import discreet
from discreet.contract import activate
from discreet.export.ledger import LEDGER

QUESTION = "Which clause lets my employer read my diary?"

CONTRACT = f"""
[contract]
name = "probe"
format = 1
summary = "A library under test."
[loggers]
names = ["probe"]
content = ["probe.content"]
[attributes]
attempts = "count"
retry_after = "duration_s"
[[events]]
name = "probe_started"
level = "INFO"
attributes = ["attempts"]
meaning = "It started."
[[events]]
name = "probe_failed"
level = "ERROR"
attributes = []
meaning = "It failed."
[[warning_codes]]
code = "probe_slow"
meaning = "It was slow."
[[exceptions]]
class = "{__name__}.ProbeError"
error_class = "upstream"
code = "probe_error"
own_code = true
attributes = {{ retry_after = "duration_s" }}
[[error_codes]]
code = "probe_timeout"
exception = "{__name__}.ProbeError"
retryable = true
meaning = "No answer in time."
[[error_codes]]
code = "probe_error"
exception = "{__name__}.ProbeError"
meaning = "Any other failure."
[[records]]
logger = "probe"
template = "started after {{}} attempts"
level = "INFO"
event = "probe_started"
args = [{{ type = "count", as = "attempts" }}]
[[records]]
logger = "probe"
template = "gave up"
event = "probe_failed"
error_code_from = "handled"
[[records]]
logger = "probe"
template = "slow: {{}}"
event = "probe_started"
warning_code = "probe_slow"
"""


class ProbeError(Exception):
    def __init__(self, message: str, code: str | None = None, retry_after: float | None = None) -> None:
        super().__init__(message)
        if code is not None:
            self.code = code
        self.retry_after = retry_after


class ProbeTimeout(ProbeError):
    """Not in the contract: its base is."""


@pytest.fixture
def log(tmp_path: Path) -> logging.Logger:
    path = tmp_path / "probe.toml"
    path.write_text(CONTRACT)
    activate([path])
    found = logging.getLogger("probe")
    found.setLevel(logging.DEBUG)
    found.propagate = False
    found.handlers.clear()
    return found


@pytest.fixture
def out(log: logging.Logger) -> io.StringIO:
    stream = io.StringIO()
    log.addHandler(discreet.JsonHandler(stream=stream))
    return stream


def names(out: io.StringIO) -> list[dict[str, Any]]:
    """Return event, codes, class and attributes of each line."""
    kept = ("event", "warning_code", "error_code", "error_class", "attempts", "retry_after")
    return [
        {key: value for key, value in json.loads(line).items() if key in kept} for line in out.getvalue().splitlines()
    ]


def test_every_record_gets_the_three_names(log: logging.Logger) -> None:
    """They are None when there is nothing to say, so that a format string can name them."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(logging.Formatter("%(event)s|%(warning_code)s|%(error_code)s|%(message)s"))
    handler.addFilter(discreet.EventFilter())
    log.addHandler(handler)
    log.info("nothing to say")
    log.info("started after %d attempts", 2)
    assert stream.getvalue() == "None|None|None|nothing to say\nprobe_started|None|None|started after 2 attempts\n"


def test_a_row_of_the_contract_names_the_event_and_exports_typed_arguments(
    log: logging.Logger, out: io.StringIO
) -> None:
    """The row is found by template, for %-templates and f-strings alike."""
    attempts = 3
    log.info("started after %s attempts", attempts)
    log.info(f"started after {attempts} attempts")
    log.warning("started after %s attempts", attempts)
    assert names(out) == [
        {"event": "probe_started", "attempts": 3},
        {"event": "probe_started", "attempts": 3},
        {},
    ]


def test_the_exception_gives_the_code_and_its_safe_attributes(log: logging.Logger, out: io.StringIO) -> None:
    """Its own code if its class may carry it, else the class's; in exc_info or among the arguments."""
    for error in (ProbeError(QUESTION), ProbeTimeout(QUESTION, "probe_timeout", 1.5)):
        log.error("it failed: %s", error)
        try:
            raise error
        except ProbeError:
            log.exception("it failed")
    assert names(out) == [
        {"error_code": "probe_error", "error_class": "upstream"},
        {"error_code": "probe_error", "error_class": "upstream"},
        {"error_code": "probe_timeout", "error_class": "upstream", "retry_after": 1.5},
        {"error_code": "probe_timeout", "error_class": "upstream", "retry_after": 1.5},
    ]


def test_a_row_can_take_its_code_from_the_exception_that_is_being_handled(
    log: logging.Logger, out: io.StringIO
) -> None:
    """For libraries that log a fixed text in an except block."""
    try:
        raise ProbeError(QUESTION, "probe_timeout")
    except ProbeError:
        log.error("gave up")
    log.error("gave up")
    assert names(out) == [
        {"event": "probe_failed", "error_code": "probe_timeout", "error_class": "upstream"},
        {"event": "probe_failed"},
    ]


def test_what_the_record_carries_wins(log: logging.Logger, out: io.StringIO) -> None:
    """Over its exception and over the table, each name by itself."""
    log.error(
        "slow: %s",
        ProbeError(QUESTION, "probe_timeout"),
        extra={"event": "probe_failed", "error_code": "probe_error"},
    )
    assert names(out) == [
        {
            "event": "probe_failed",
            "warning_code": "probe_slow",
            "error_code": "probe_error",
            "error_class": "upstream",
        }
    ]


def test_an_undeclared_name_is_replaced_counted_and_complained_of_once(log: logging.Logger, out: io.StringIO) -> None:
    """The text itself goes nowhere, and the record's level stays."""
    LEDGER.clear()
    complaints = io.StringIO()
    own = logging.getLogger("discreet")
    own.addHandler(discreet.JsonHandler(stream=complaints, name="complaints"))
    for _ in range(2):
        log.info("x", extra={"event": QUESTION, "warning_code": 7, "error_code": ["probe_error"]})
    log.error("y", exc_info=ProbeError(QUESTION, QUESTION))
    assert names(out) == [
        {"event": "undeclared", "warning_code": "undeclared", "error_code": "undeclared"},
        {"event": "undeclared", "warning_code": "undeclared", "error_code": "undeclared"},
        {"error_code": "undeclared", "error_class": "upstream"},
    ]
    assert LEDGER.as_dict()["undeclared"] == {"event": 2, "warning_code": 2, "error_code": 3}
    said = [json.loads(line) for line in complaints.getvalue().splitlines()]
    assert sorted((line["level"], line["event"], line["kind"]) for line in said) == [
        ("WARNING", "undeclared_name", "error_code"),
        ("WARNING", "undeclared_name", "event"),
        ("WARNING", "undeclared_name", "warning_code"),
    ]


def test_only_a_contracts_own_loggers_may_carry_its_attributes(log: logging.Logger, out: io.StringIO) -> None:
    """And only in the declared type; the rest is counted as withheld."""
    log.info("started", extra={"attempts": 4, "question": QUESTION})
    log.info("started", extra={"attempts": QUESTION})
    other = logging.getLogger("elsewhere")
    other.setLevel(logging.INFO)
    other.propagate = False
    other.addHandler(log.handlers[0])
    other.info("started", extra={"attempts": 4})
    lines = [json.loads(line) for line in out.getvalue().splitlines()]
    assert [(line.get("attempts"), line.get("withheld")) for line in lines] == [(4, 1), (None, 1), (None, 1)]
    assert QUESTION not in out.getvalue()
