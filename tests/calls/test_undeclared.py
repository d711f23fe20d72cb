"""A name in a call that no contract declares is complained of once for each kind, whatever the name is."""

from __future__ import annotations

import json
import logging

import pytest

import discreet
from discreet.export.ledger import LEDGER
from tests.calls.seen import QUESTION, Seen


def told(sinks: Seen) -> list[tuple[str, str, str, str]]:
    """Level, logger, kind and message of the complaints."""
    lines = map(json.loads, sinks.out.getvalue().splitlines())
    return [
        (one["level"], one["logger"], one["kind"], one["message"])
        for one in lines
        if one.get("event") == "undeclared_name"
    ]


def test_each_kind_of_name_is_complained_of_once(sinks: Seen) -> None:
    """And counted each time; what was given goes nowhere."""
    for _ in range(2):
        with discreet.observe_call("harbour.find") as call:
            call.warn(QUESTION)
            call.result({"warnings": [QUESTION]})
            call.fail(code=QUESTION, error_class=QUESTION)
        with discreet.observe_call(QUESTION):
            pass
    assert told(sinks) == [
        (
            "WARNING",
            "discreet",
            "warning_code",
            "A call has a warning code that no active contract declares: it was replaced by undeclared",
        ),
        (
            "WARNING",
            "discreet",
            "error_code",
            "A call failed with an error code that no active contract declares: it was replaced by undeclared",
        ),
        (
            "WARNING",
            "discreet",
            "error_class",
            "A call failed with an error class that is none: it was replaced by undeclared",
        ),
        (
            "WARNING",
            "discreet",
            "operation",
            (
                "The name of an operation has a wrong form, is said by nobody's code, or is a customer's text: "
                "it was replaced by undeclared"
            ),
        ),
    ]
    counts = {"warning_code": 4, "error_code": 2, "error_class": 2, "operation": 2}
    assert LEDGER.as_dict()["undeclared"] == counts
    assert QUESTION not in sinks.out.getvalue()


def test_a_record_with_such_a_name_is_no_second_complaint(sinks: Seen) -> None:
    """The kind is what counts."""
    with discreet.observe_call("harbour.find") as call:
        call.warn("lamp_out")
    logging.getLogger("harbour").warning("Out", extra={"warning_code": "lamp_out"})
    logging.getLogger("harbour").warning("Out")
    assert [kind for _, _, kind, _ in told(sinks)] == ["warning_code"]


def test_a_handler_that_raises_does_not_end_the_call(sinks: Seen, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is counted."""

    def refuse(*_: object, **__: object) -> None:
        raise OSError(QUESTION)

    monkeypatch.setattr("discreet.doors.report.send", refuse)
    with discreet.observe_call("harbour.find") as call:
        call.warn("lamp_out")
        monkeypatch.undo()
    assert LEDGER.failures == {("handler call", "OSError"): 1}


@pytest.mark.integration
def test_attempts_of_a_wrong_name_are_complained_of_too(sinks: Seen) -> None:
    """As calls are."""
    import tenacity

    from discreet.instrument.tenacity import log_attempt

    attempts = [OSError(), None]

    def ask() -> None:
        error = attempts.pop(0)
        if error is not None:
            raise error

    tenacity.Retrying(before_sleep=log_attempt(QUESTION), wait=tenacity.wait_none())(ask)
    assert [kind for _, _, kind, _ in told(sinks)] == ["operation"]
