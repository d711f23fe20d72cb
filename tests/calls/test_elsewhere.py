"""Calls whose work is done in other threads, and whose records come by other ways."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
import structlog

import discreet
import discreet.structlog
from discreet.scope import carry
from tests.calls.seen import QUESTION, Seen

LOST = {"event": "fallback_used", "warning_code": "quote_not_found"}


def lose() -> None:
    logging.getLogger("verbatim_core").warning("Lost", extra=LOST)


def outcomes(sinks: Seen) -> list[tuple[str, str]]:
    return [(one["operation"], one["outcome"]) for one in sinks.records()]


def test_a_thread_that_carries_the_scope_tells_of_the_call(sinks: Seen) -> None:
    """A record in another thread degrades it; without the scope nobody knows whose record that is."""
    with ThreadPoolExecutor(1) as pool:
        with discreet.observe_call("boats.find", question=QUESTION):
            pool.submit(carry(lose)).result()
        with discreet.observe_call("boats.sort"):
            pool.submit(lose).result()
    assert outcomes(sinks) == [("boats.find", "degraded"), ("boats.sort", "ok")]


def test_a_call_in_a_thread_that_outlives_its_outer_call_changes_nothing(sinks: Seen) -> None:
    """The outer call has ended with what was known then."""
    begun, go_on = threading.Event(), threading.Event()

    def work() -> None:
        with discreet.observe_call("boats.find") as call:
            begun.set()
            go_on.wait(60)
            call.warn("quote_not_found")

    with discreet.observe_call("boats.ask"):
        thread = threading.Thread(target=carry(work))
        thread.start()
        begun.wait(60)
    go_on.set()
    thread.join()
    assert outcomes(sinks) == [("boats.ask", "ok"), ("boats.find", "degraded")]


@pytest.fixture
def _structlog() -> Iterator[None]:
    yield
    structlog.reset_defaults()


@pytest.mark.usefixtures("_structlog")
def test_a_record_of_structlogs_own_loggers_tells_of_the_call(sinks: Seen) -> None:
    """It never becomes a record of logging."""
    structlog.configure(
        processors=[*discreet.structlog.processors(), lambda logger, method, event_dict: str(event_dict)],
        logger_factory=structlog.ReturnLoggerFactory(),
    )
    with discreet.observe_call("boats.find"):
        structlog.get_logger("verbatim_core").warning("fallback_used", warning_code="quote_not_found")
    assert outcomes(sinks) == [("boats.find", "degraded")]


def test_a_process_that_hears_no_records_counts_all_the_same(sinks: Seen) -> None:
    """At level WARNING there is no record of a call, but its span and counts."""
    logging.root.setLevel(logging.WARNING)
    with discreet.observe_call("boats.find"):
        pass
    assert sinks.records() == []
    assert [span.name for span in sinks.spans()] == ["boats.find"]
    assert sinks.points("discreet.calls") == {("boats.find", "ok"): 1}
