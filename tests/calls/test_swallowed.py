"""Calls that return although what they were to do has failed."""

from __future__ import annotations

import gc
import weakref
from enum import StrEnum

import pytest

import discreet
from discreet.call_counts import CALLS
from discreet.export.ledger import LEDGER
from tests.calls.seen import QUESTION, Seen

NAMES = ("outcome", "error_code", "error_class", "exception_type", "items", "items_failed", "warnings", "warning_code")


class Word(StrEnum):
    """Words of a contract, as a program may keep them."""

    CODE = "timeout"
    CLASS = "internal"


def fail_and_raise(swallowed: Exception, raised: Exception) -> None:
    with discreet.observe_call("harbour.find") as call:
        call.fail(swallowed, code="missing_field", error_class="input")
        raise raised


def told(sinks: Seen) -> list[tuple[object, ...]]:
    return [tuple(record.get(name) for name in NAMES) for record in sinks.records()]


def test_a_call_that_failed_without_raising_is_an_error(sinks: Seen) -> None:
    """With the exception that was swallowed, or with a code alone; the first one counts."""
    with discreet.observe_call("harbour.find") as call:
        call.fail(TimeoutError(QUESTION), code="timeout", error_class="upstream")
        call.fail(code="invalid_reply")
    with discreet.observe_call("harbour.find") as call:
        call.fail(code="invalid_reply", error_class="upstream")
    assert told(sinks) == [
        ("error", "timeout", "upstream", "TimeoutError", None, None, None, None),
        ("error", "invalid_reply", "upstream", None, None, None, None, None),
    ]
    assert CALLS.as_dict()["harbour.find"]["error"] == 2
    assert [(span.attributes or {})["error_code"] for span in sinks.spans()] == ["timeout", "invalid_reply"]
    assert QUESTION not in sinks.out.getvalue()


def test_what_a_call_raises_goes_before_what_it_swallowed(sinks: Seen) -> None:
    """And for that very exception it may say the code that no contract has."""
    other, error = KeyError(QUESTION), LookupError(QUESTION)
    with pytest.raises(KeyError):
        fail_and_raise(TimeoutError(QUESTION), other)
    with pytest.raises(LookupError):
        fail_and_raise(error, error)
    assert [record[:4] for record in told(sinks)] == [
        ("error", None, None, "KeyError"),
        ("error", "missing_field", "input", "LookupError"),
    ]


def test_a_code_that_no_contract_declares_is_called_undeclared(sinks: Seen) -> None:
    """As everywhere."""
    with discreet.observe_call("harbour.find") as call:
        call.fail(code=QUESTION)
    assert told(sinks)[0][:2] == ("error", "undeclared")
    assert QUESTION not in sinks.out.getvalue()


def test_an_error_class_is_one_of_four(sinks: Seen) -> None:
    """A text in its place goes nowhere and is counted; without one, it is what the contracts say of the code."""
    for given in (QUESTION, [QUESTION], None):
        with discreet.observe_call("harbour.find") as call:
            call.fail(code="timeout", error_class=given)  # type: ignore[arg-type]  # whatever a program says
    assert [record[:3] for record in told(sinks)] == [("error", "timeout", "upstream")] * 3
    assert CALLS.snapshot()["harbour.find"].errors == {("timeout", "upstream"): 3}
    assert LEDGER.as_dict()["undeclared"] == {"error_class": 2}
    assert QUESTION not in sinks.out.getvalue() + "".join(span.to_json() for span in sinks.spans())


def test_a_code_and_a_class_may_be_members_of_an_enum(sinks: Seen) -> None:
    """As warning codes may."""
    with discreet.observe_call("harbour.find") as call:
        call.fail(code=Word.CODE, error_class=Word.CLASS)
    assert told(sinks)[0][:3] == ("error", "timeout", "internal")


def test_a_code_of_several_classes_is_counted_for_all(sinks: Seen) -> None:
    """The metric tells them apart."""
    for one in ("internal", "upstream", "internal"):
        with discreet.observe_call("harbour.find") as call:
            call.fail(code="timeout", error_class=one)
    assert CALLS.as_dict()["harbour.find"]["errors"] == {"timeout": 3}
    assert sinks.points("discreet.calls.errors") == {
        ("internal", "timeout", "harbour.find"): 2,
        ("upstream", "timeout", "harbour.find"): 1,
    }


def test_a_failure_of_which_nothing_is_known_has_the_type_of_any(sinks: Seen) -> None:
    """As OpenTelemetry calls it."""
    with discreet.observe_call("harbour.find") as call:
        call.fail()
    assert [(span.attributes or {})["error.type"] for span in sinks.spans()] == ["_OTHER"]
    assert CALLS.as_dict()["harbour.find"]["errors"] == {"_OTHER": 1}


def test_a_call_that_has_ended_lets_go_of_what_failed() -> None:
    """Its traceback has the frame that has the call: only the garbage collector would free them."""
    gone: list[weakref.ref[BaseException]] = []

    def find() -> None:
        with discreet.observe_call("harbour.find") as call:
            try:
                raise discreet.UpstreamError(QUESTION, service="database")
            except discreet.UpstreamError as error:
                gone.append(weakref.ref(error))
                call.fail(error)

    gc.disable()
    try:
        find()
        assert gone[0]() is None
    finally:
        gc.enable()


def test_failed_items_and_counted_warnings_degrade_a_call_and_the_one_around_it(sinks: Seen) -> None:
    """How many of each; the outer one has the warnings, not the items."""
    with discreet.observe_call("harbour.answer"), discreet.observe_call("harbour.find") as call:
        call.result(None, items=5, failed=2)
        call.warn("quote_not_found", 3)
    assert told(sinks) == [
        ("degraded", None, None, None, 5, 2, 3, "quote_not_found"),
        ("degraded", None, None, None, None, None, 3, "quote_not_found"),
    ]


@pytest.mark.parametrize("error", [None, QUESTION])
def test_a_call_that_says_no_more_than_that_it_failed_is_an_error(sinks: Seen, error: object) -> None:
    """Also one that hands over words where an exception belongs: they are nowhere, and the call isn't missing."""
    with discreet.observe_call("harbour.find") as call:
        call.fail(error)  # type: ignore[arg-type]  # as an application might write it

    (record,) = sinks.records()
    assert (record["outcome"], "error_code" in record, "exception_type" in record) == ("error", False, False)
    assert QUESTION not in sinks.out.getvalue()
    assert CALLS.as_dict()["harbour.find"]["errors"] == {"_OTHER": 1}
    assert CALLS.as_dict()["harbour.find"]["missing"] == 0


def test_a_number_that_can_hold_a_text_is_no_count(sinks: Seen) -> None:
    """Items beyond the bound are left out; that something failed or was degraded stays."""
    spelled = int.from_bytes(QUESTION.encode())

    with discreet.observe_call("harbour.find") as call:
        call.result(None, items=spelled, failed=spelled)
        call.warn("quote_not_found", spelled)
        call.warn("reranker_unavailable", spelled)

    assert told(sinks) == [("degraded", None, None, None, None, 10**9, 10**9, "quote_not_found")]
    assert str(spelled) not in sinks.out.getvalue()
    assert all(str(spelled) not in repr(span.attributes) for span in sinks.spans())
