"""Each warning code of a degraded call has one record `fallback_used`: the library's own, or one of ours."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import threading
from collections.abc import Iterator
from typing import Any

import pytest

import discreet
from discreet.call_warnings import FALLBACK
from discreet.contract import active, load_shipped
from discreet.doors.report import send
from discreet.export.ledger import LEDGER
from discreet.scope import carry
from tests.calls.seen import CHANGING, QUESTION, Seen

log = logging.getLogger("verbatim_core.extractors")


def lose(code: str = "quote_not_found", **more: Any) -> None:
    """As a library does that keeps the contract itself."""
    log.warning("Fell back", extra={"event": FALLBACK, "warning_code": code, **more})


def result(*codes: str) -> dict[str, Any]:
    return {"warnings": [{"code": code, "message": QUESTION} for code in codes]}


def lines(sinks: Seen) -> list[dict[str, Any]]:
    return [json.loads(line) for line in sinks.out.getvalue().splitlines()]


def told(sinks: Seen) -> list[tuple[Any, ...]]:
    """Logger, operation, code and number of each such record."""
    return [
        tuple(line.get(name) for name in ("logger", "operation", "warning_code", "count"))
        for line in lines(sinks)
        if line.get("event") == FALLBACK
    ]


def test_each_code_of_a_result_has_one_record(sinks: Seen) -> None:
    """Before the record of the call's end, within its span, with how many there were; of their texts nothing."""
    with discreet.observe_call("boats.find", question=QUESTION) as call:
        call.result(result("quote_not_found", "chunk_truncated", "quote_not_found"))

    *_, first, second, finished = lines(sinks)
    (span,) = sinks.spans()
    context = span.get_span_context()
    assert {(line["trace_id"], line["span_id"]) for line in (first, second, finished)} == {
        (f"{context.trace_id:032x}", f"{context.span_id:016x}")
    }
    shown = [{name: value for name, value in line.items() if name not in CHANGING} for line in (first, second)]
    both = {"level": "WARNING", "logger": "discreet", "event": "fallback_used", "operation": "boats.find"}
    assert shown == [
        {
            **both,
            "message": "boats.find: degraded, 2 x quote_not_found",
            "warning_code": "quote_not_found",
            "count": 2,
        },
        {
            **both,
            "message": "boats.find: degraded, 1 x chunk_truncated",
            "warning_code": "chunk_truncated",
            "count": 1,
        },
    ]
    assert (finished["event"], finished["warnings"]) == ("call_finished", 3)
    assert QUESTION not in sinks.out.getvalue()
    assert [(event.name, (event.attributes or {})["count"]) for event in span.events] == [(FALLBACK, 2), (FALLBACK, 1)]


def test_such_a_record_degrades_nothing_a_second_time(sinks: Seen) -> None:
    """It counts as one record, and its call as one degraded call with one warning."""
    with discreet.observe_call("boats.find") as call:
        call.warn("quote_not_found")
    assert sinks.points("discreet.events") == {
        ("verbatim", FALLBACK, "WARNING"): 1,
        ("verbatim", "quote_not_found"): 2,
        ("discreet", "call_finished", "INFO"): 1,
        ("discreet", "contract_loaded", "INFO"): 1,
    }
    assert sinks.points("discreet.calls") == {("boats.find", "degraded"): 1}
    assert sinks.points("discreet.calls.warnings") == {("boats.find", "quote_not_found"): 1}


def test_a_library_that_logs_its_own_is_left_to_it(sinks: Seen) -> None:
    """By code: what it hasn't logged is logged here. Its number counts too."""
    with discreet.observe_call("boats.find") as call:
        lose(count=3)
        call.result(result("quote_not_found", "chunk_truncated"))
    assert told(sinks) == [
        ("verbatim_core.extractors", None, "quote_not_found", 3),
        ("discreet", "boats.find", "chunk_truncated", 1),
    ]
    assert [(one["outcome"], one["warnings"]) for one in sinks.records()] == [("degraded", 4)]


def test_a_template_that_the_contract_gives_the_event_is_the_librarys_own(sinks: Seen) -> None:
    """As release 0.2.8 of verbatim logs it, which knows no events; so is a line that it prints."""
    with discreet.observe_call("boats.find") as call:
        log.warning(f"Span not found verbatim in document: '{QUESTION[:100]}...'")
        call.warn("quote_not_found")
    row = next(row for row in load_shipped("verbatim").records if row.source == "print" and row.event == FALLBACK)
    with discreet.observe_call("boats.find") as call:
        send("stdout", logging.WARNING, "Template generation failed", "output_line", row=row)
        call.warn("template_fallback")
    assert told(sinks) == [
        ("verbatim_core.extractors", None, "quote_not_found", None),
        ("stdout", None, "template_fallback", None),
    ]


def test_the_warnings_of_a_call_inside_are_logged_by_that_one(sinks: Seen) -> None:
    """Not by those around it, also where their own result says the same; what only theirs says they log."""
    with discreet.observe_call("boats.ask") as outer:
        with discreet.observe_call("boats.find") as middle:
            with discreet.observe_call("boats.sort") as inner:
                inner.warn("quote_not_found")
            middle.result(result("quote_not_found"))
        with discreet.observe_call("boats.find"):
            lose("reranker_fallback")
        outer.result(result("quote_not_found", "chunk_truncated", "reranker_fallback"))
    assert told(sinks) == [
        ("discreet", "boats.sort", "quote_not_found", 1),
        ("verbatim_core.extractors", None, "reranker_fallback", None),
        ("discreet", "boats.ask", "chunk_truncated", 1),
    ]
    assert [one["outcome"] for one in sinks.records()] == ["degraded"] * 4


def test_two_calls_inside_have_a_record_each(sinks: Seen) -> None:
    """Each has degraded by itself."""
    with discreet.observe_call("boats.ask"):
        for _ in range(2):
            with discreet.observe_call("boats.find") as call:
                call.warn("quote_not_found")
    assert told(sinks) == [("discreet", "boats.find", "quote_not_found", 1)] * 2


@pytest.mark.parametrize("how", ["raise", "cancel", "fail"])
def test_a_call_without_a_result_has_none(how: str, sinks: Seen) -> None:
    """Nothing was degraded: there is no result that could be."""
    raised = {"raise": LookupError(), "cancel": asyncio.CancelledError()}
    with contextlib.suppress(LookupError, asyncio.CancelledError), discreet.observe_call("boats.find") as call:
        call.warn("quote_not_found")
        if how in raised:
            raise raised[how]
        call.fail(code="timeout")
    assert told(sinks) == []


def test_items_that_failed_and_records_without_a_code_have_none(sinks: Seen) -> None:
    """The call and its number of items tell of it; a record that came stays alone."""
    with discreet.observe_call("boats.find") as call:
        call.result(None, items=3, failed=1)
    with discreet.observe_call("boats.find"):
        log.warning("Fell back", extra={"event": FALLBACK})
    assert told(sinks) == [("verbatim_core.extractors", None, None, None)]
    assert [one["outcome"] for one in sinks.records()] == ["degraded"] * 2


def test_a_code_that_no_contract_declares_is_called_undeclared(sinks: Seen) -> None:
    """It may be a text."""
    with discreet.observe_call("boats.find") as call:
        call.result(result(QUESTION, "Ottilie"))
    assert told(sinks) == [("discreet", "boats.find", "undeclared", 2)]
    assert "Ottilie" not in sinks.out.getvalue()


def test_what_a_thread_logs_in_the_call_is_the_calls(sinks: Seen) -> None:
    """Several at once lose nothing, and their number is the greatest."""
    together = threading.Barrier(4)

    def work(number: int) -> None:
        together.wait()
        for count in range(50):
            lose(("quote_not_found", "chunk_truncated", "template_fallback", "reranker_fallback")[number], count=count)

    with discreet.observe_call("boats.find"):
        threads = [threading.Thread(target=carry(work), args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert {one[0] for one in told(sinks)} == {"verbatim_core.extractors"}
    assert [one["warnings"] for one in sinks.records()] == [4 * 49]


def test_an_items_warnings_are_logged_at_the_end_of_the_stream(sinks: Seen) -> None:
    """Once for all its items."""

    @discreet.observe_call("boats.read")
    def read() -> Iterator[dict[str, Any]]:
        yield result("quote_not_found")
        yield result("quote_not_found", "quote_not_found")

    list(read())
    assert told(sinks) == [("discreet", "boats.read", "quote_not_found", 2)]


def test_a_process_that_hears_only_errors_has_none_and_counts_all_the_same(sinks: Seen) -> None:
    """The record's level is that of the contracts."""
    contracts = [load_shipped(name) for name in ("discreet", "verbatim")]
    assert {event.level for one in contracts for event in one.events if event.name == FALLBACK} == {"WARNING"}
    logging.getLogger("discreet").setLevel(logging.ERROR)
    try:
        with discreet.observe_call("boats.find") as call:
            call.warn("quote_not_found")
    finally:
        logging.getLogger("discreet").setLevel(logging.NOTSET)
    assert (told(sinks), sinks.records()) == ([], [])
    assert sinks.points("discreet.calls") == {("boats.find", "degraded"): 1}


def test_a_handler_that_fails_on_it_takes_nothing_from_the_call(sinks: Seen) -> None:
    """The record of the call's end comes all the same."""

    class Broken(logging.Filter):
        def filter(self, record: logging.LogRecord) -> bool:
            if record.levelno == logging.WARNING:
                raise OSError(QUESTION)
            return True

    broken = Broken()
    logging.getLogger("discreet").addFilter(broken)
    try:
        with discreet.observe_call("boats.find") as call:
            call.warn("quote_not_found")
    finally:
        logging.getLogger("discreet").removeFilter(broken)
    assert [one["outcome"] for one in sinks.records()] == ["degraded"]
    assert LEDGER.failures == {("handler call", "OSError"): 1}


@pytest.mark.parametrize("count", [0, -1, "many", None, True])
def test_a_wrong_number_of_warnings_raises_nothing(count: Any, sinks: Seen) -> None:
    """Where it is none there are no warnings; what is no number is one."""
    with discreet.observe_call("boats.find") as call:
        call.warn("quote_not_found", count)
    expected = [] if count in (0, -1) and type(count) is int else [("discreet", "boats.find", "quote_not_found", 1)]
    assert told(sinks) == expected


def test_the_event_is_the_librarys_own_where_two_contracts_have_it() -> None:
    """Its series are those of verbatim, as before a call of another library used it."""
    event = active().event(FALLBACK)
    assert event is not None
    assert event.contract == "verbatim"
