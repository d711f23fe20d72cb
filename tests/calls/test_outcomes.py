"""How a call ends, in its record, its span and the metrics."""

from __future__ import annotations

import asyncio
import concurrent.futures
import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Any

import pytest
from opentelemetry.trace import StatusCode

import discreet
from discreet.call_counts import CALLS
from discreet.errors import UpstreamError
from discreet.export.ledger import LEDGER
from tests.calls.seen import QUESTION, Seen

RECORD = {
    "level": "INFO",
    "logger": "discreet",
    "message": "boats.find: ok, 250.0 ms",
    "event": "call_finished",
    "operation": "boats.find",
    "outcome": "ok",
    "duration_ms": 250.0,
}
SPAN = {
    "event": "call_finished",
    "logger": "discreet",
    "operation": "boats.find",
    "outcome": "ok",
    "duration_ms": 250.0,
}


@pytest.mark.usefixtures("_clock")
def test_a_call_that_returns_is_ok(sinks: Seen) -> None:
    """One record, one span and one of each count."""
    with discreet.observe_call("boats.find", question=QUESTION) as call:
        result = call.result({"answer": "none"}, items=3)

    assert result == {"answer": "none"}
    assert sinks.records() == [{**RECORD, "items": 3}]
    (span,) = sinks.spans()
    assert (span.name, dict(span.attributes or {})) == ("boats.find", {**SPAN, "items": 3})
    assert (span.status.status_code, span.status.description, span.events) == (StatusCode.UNSET, None, ())
    assert sinks.points("discreet.calls.started") == {("boats.find",): 1}
    assert sinks.points("discreet.calls") == {("boats.find", "ok"): 1}
    assert sinks.points("discreet.calls.active") == {}
    assert sinks.points("discreet.call.duration") == {("boats.find", "ok"): 1}


class Code(Enum):
    """A library's warning codes."""

    QUOTE = "quote_not_found"


@dataclass
class Note:
    """A warning as an object."""

    code: Any
    message: str = QUESTION


@dataclass
class Answer:
    """A result with warnings."""

    warnings: Any


@pytest.mark.parametrize(
    "result",
    [
        {"warnings": [{"code": "quote_not_found", "message": QUESTION}]},
        Answer([Note("quote_not_found")]),
        Answer((Note(Code.QUOTE),)),
        Answer(["quote_not_found"]),
        Answer({Code.QUOTE}),
    ],
    ids=["mapping", "objects", "enum", "codes", "set"],
)
@pytest.mark.usefixtures("_clock")
def test_a_result_with_warnings_is_degraded(result: Any, sinks: Seen) -> None:
    """Whatever form they have; of what they say nothing is shown."""
    with discreet.observe_call("boats.find", question=QUESTION) as call:
        call.result(result)

    degraded = {"outcome": "degraded", "warnings": 1}
    message = "boats.find: degraded, 250.0 ms"
    assert sinks.records() == [{**RECORD, "message": message, "warning_code": "quote_not_found", **degraded}]
    (span,) = sinks.spans()
    assert span.attributes == {**SPAN, "warning_code": "quote_not_found", **degraded}
    assert span.status.status_code is StatusCode.UNSET
    assert sinks.points("discreet.calls") == {("boats.find", "degraded"): 1}
    assert sinks.points("discreet.calls.warnings") == {("boats.find", "quote_not_found"): 1}


@pytest.mark.parametrize("result", [None, 3, "warnings", {"warnings": "many"}, {"warnings": []}, Answer(None), Answer])
def test_a_result_without_warnings_is_ok(result: Any, sinks: Seen) -> None:
    """Also one that says of itself something else by that name."""
    with discreet.observe_call("boats.find") as call:
        call.result(result)
    assert sinks.points("discreet.calls") == {("boats.find", "ok"): 1}


def test_a_code_that_no_contract_declares_degrades_under_another_name(sinks: Seen) -> None:
    """It may be anything, also a text."""
    with discreet.observe_call("boats.find") as call:
        call.warn(QUESTION)
        call.result({"warnings": [object(), {"code": QUESTION}]})

    assert [(one["warning_code"], one["warnings"]) for one in sinks.records()] == [("undeclared", 2)]
    assert sinks.points("discreet.calls.warnings") == {("boats.find", "undeclared"): 1}
    assert sinks.points("discreet.undeclared.names") == {("warning_code",): 3}


def test_a_result_whose_code_raises_is_a_result(sinks: Seen) -> None:
    """The call has it all the same; that its warnings couldn't be read is counted."""

    class Stubborn:
        @property
        def warnings(self) -> list[str]:
            raise LookupError(QUESTION)

    stubborn = Stubborn()
    with discreet.observe_call("boats.find") as call:
        assert call.result(stubborn) is stubborn
    assert sinks.points("discreet.calls") == {("boats.find", "ok"): 1}
    assert LEDGER.failures == {("handler result", "LookupError"): 1}


def test_a_record_that_tells_of_a_fallback_degrades_the_call_it_was_logged_in(sinks: Seen) -> None:
    """Of the calls around it the innermost; the others by way of that."""
    log = logging.getLogger("verbatim_core")
    with discreet.observe_call("boats.ask"):
        with discreet.observe_call("boats.find"):
            log.warning("Lost", extra={"event": "fallback_used", "warning_code": "quote_not_found"})
            log.warning("Noted", extra={"warning_code": "chunk_truncated"})
        with discreet.observe_call("boats.sort"):
            pass

    assert [(one["operation"], one["outcome"], one.get("warning_code")) for one in sinks.records()] == [
        ("boats.find", "degraded", "quote_not_found"),
        ("boats.sort", "ok", None),
        ("boats.ask", "degraded", "quote_not_found"),
    ]
    assert sinks.points("discreet.calls") == {
        ("boats.find", "degraded"): 1,
        ("boats.sort", "ok"): 1,
        ("boats.ask", "degraded"): 1,
    }


def test_warnings_that_come_by_several_ways_are_counted_once(sinks: Seen) -> None:
    """As a record, in the result, and from a call inside."""
    result = {"warnings": ["quote_not_found", "quote_not_found"]}
    with discreet.observe_call("boats.ask") as outer:
        with discreet.observe_call("boats.find") as inner:
            extra = {"event": "fallback_used", "warning_code": "quote_not_found"}
            logging.getLogger("verbatim_core").warning("Lost", extra=extra)
            inner.result(result)
        outer.result(result)
    assert [(one["operation"], one["warnings"]) for one in sinks.records()] == [("boats.find", 2), ("boats.ask", 2)]


@pytest.mark.usefixtures("_clock")
def test_a_call_that_raises_is_an_error_by_the_code_of_its_contract(sinks: Seen) -> None:
    """The very exception goes on; record and span have its type and code, never its text."""
    failure = UpstreamError(QUESTION, service="llm", retryable=True)
    with pytest.raises(UpstreamError) as caught, discreet.observe_call("boats.find", question=QUESTION):
        raise failure

    assert caught.value is failure
    (record,) = sinks.records()
    assert record.pop("exception_frames").startswith("tests/calls/test_outcomes.py:")
    assert record == {
        **RECORD,
        "message": "boats.find: error, 250.0 ms",
        "outcome": "error",
        "error_code": "upstream_error",
        "error_class": "upstream",
        "exception_type": "discreet.errors.UpstreamError",
        "exception_code": "upstream_error",
        "upstream_service": "llm",
        "retryable": True,
    }
    (span,) = sinks.spans()
    assert span.attributes == {
        **SPAN,
        "outcome": "error",
        "error_code": "upstream_error",
        "error_class": "upstream",
        "error.type": "upstream_error",
        "exception.type": "discreet.errors.UpstreamError",
        "exception_code": "upstream_error",
        "upstream_service": "llm",
        "retryable": True,
    }
    assert (span.status.status_code, span.status.description, span.events) == (StatusCode.ERROR, None, ())
    assert sinks.points("discreet.calls") == {("boats.find", "error"): 1}
    assert sinks.points("discreet.calls.errors") == {("upstream", "upstream_error", "boats.find"): 1}
    assert QUESTION not in sinks.out.getvalue()


def test_an_error_that_no_contract_knows_has_no_code(sinks: Seen) -> None:
    """It counts as one all the same."""
    with pytest.raises(ZeroDivisionError), discreet.observe_call("boats.find"):
        raise ZeroDivisionError
    assert [(one["outcome"], one.get("error_code")) for one in sinks.records()] == [("error", None)]
    assert sinks.points("discreet.calls.errors") == {("_OTHER", "boats.find"): 1}


@pytest.mark.parametrize(
    "kind",
    [asyncio.CancelledError, GeneratorExit, KeyboardInterrupt, SystemExit, concurrent.futures.CancelledError],
)
def test_a_call_that_nobody_waits_for_any_longer_is_cancelled(kind: type[BaseException], sinks: Seen) -> None:
    """It is neither correct nor an error."""
    with pytest.raises(kind), discreet.observe_call("boats.find"):
        raise kind
    (span,) = sinks.spans()
    assert [one["outcome"] for one in sinks.records()] == ["cancelled"]
    assert sinks.points("discreet.calls") == {("boats.find", "cancelled"): 1}
    assert span.status.status_code is StatusCode.UNSET


def test_an_error_inside_that_was_handled_leaves_the_outer_call_as_it_is(sinks: Seen) -> None:
    """A second attempt that succeeds is a success."""
    with discreet.observe_call("boats.ask"):
        for attempt in range(2):
            try:
                with discreet.observe_call("boats.find"):
                    if not attempt:
                        raise TimeoutError
            except TimeoutError:
                continue
    assert [(one["operation"], one["outcome"]) for one in sinks.records()] == [
        ("boats.find", "error"),
        ("boats.find", "ok"),
        ("boats.ask", "ok"),
    ]
    assert {name: counts["missing"] for name, counts in CALLS.as_dict().items()} == {"boats.ask": 0, "boats.find": 0}


class Unasked(Exception):
    """Has code of its own for what every exception has."""

    @property
    def __traceback__(self) -> Any:
        raise RuntimeError

    @__traceback__.setter
    def __traceback__(self, _: object) -> None:
        raise RuntimeError


def ask(error: Exception) -> None:
    raise error


async def ask_later(error: Exception) -> None:
    raise error


def ask_bit_by_bit(error: Exception) -> Iterator[int]:
    yield from ()
    raise error


@pytest.mark.parametrize(
    "call",
    [
        discreet.observe_call("harbour.ask")(ask),
        lambda error: asyncio.run(discreet.observe_call("harbour.ask")(ask_later)(error)),
        lambda error: list(discreet.observe_call("harbour.ask")(ask_bit_by_bit)(error)),
    ],
    ids=["function", "coroutine", "generator"],
)
def test_an_exception_whose_class_has_a_traceback_of_its_own_goes_on_as_it_was(
    call: Callable[[Exception], object], sinks: Seen
) -> None:
    """Its code isn't called; also not for one that was swallowed."""
    error = Unasked()
    with pytest.raises(Unasked):
        call(error)
    with discreet.observe_call("harbour.find") as found:
        found.fail(error)
    assert [record["outcome"] for record in sinks.records()] == ["error", "error"]
    assert LEDGER.failures == {}
