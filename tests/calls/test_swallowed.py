"""Calls that return although what they were to do has failed."""

from __future__ import annotations

import pytest

import discreet
from discreet.call_counts import CALLS
from tests.calls.seen import QUESTION, Seen

NAMES = ("outcome", "error_code", "error_class", "exception_type", "items", "items_failed", "warnings", "warning_code")


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


def test_failed_items_and_counted_warnings_degrade_a_call_and_the_one_around_it(sinks: Seen) -> None:
    """How many of each; the outer one has the warnings, not the items."""
    with discreet.observe_call("harbour.answer"), discreet.observe_call("harbour.find") as call:
        call.result(None, items=5, failed=2)
        call.warn("quote_not_found", 3)
    assert told(sinks) == [
        ("degraded", None, None, None, 5, 2, 3, "quote_not_found"),
        ("degraded", None, None, None, None, None, 3, "quote_not_found"),
    ]
