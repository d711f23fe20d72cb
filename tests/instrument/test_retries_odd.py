"""Hooks into retries, whatever they are given: names that are none, odd states, threads, and nothing raised."""

from __future__ import annotations

import logging
import math
import threading
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
import tenacity
from tenacity import Retrying, stop_after_attempt, wait_none

import discreet
from discreet.export.ledger import LEDGER
from discreet.instrument.tenacity import log_attempt
from discreet.scope import carry
from tests.calls.seen import Seen
from tests.instrument.retried import CANARIES, QUESTION, SLOW, attempt, finished, told

pytestmark = pytest.mark.integration


def state(**more: Any) -> Any:
    """A state as tenacity hands it to a hook, with something else in a part of it."""
    found = tenacity.RetryCallState(Retrying(), None, (QUESTION,), {"question": QUESTION})
    found.set_exception((httpx.ReadTimeout, httpx.ReadTimeout(QUESTION), None))
    found.next_action = tenacity.RetryAction(0.5)
    for name, value in more.items():
        setattr(found, name, value)
    return found


class Raising:
    """Raises a text, whatever is asked of it."""

    def __getattribute__(self, name: str) -> Any:
        raise RuntimeError(QUESTION)

    def __float__(self) -> float:
        raise RuntimeError(QUESTION)

    __repr__ = __str__ = __float__  # type: ignore[assignment]


@pytest.mark.parametrize(
    "wait",
    [math.nan, math.inf, -math.inf, -0.5, 1e300, 10**400, None, QUESTION, Raising, Decimal(2), 2j],
    ids=repr,
)
def test_a_wait_that_is_no_number_of_seconds_is_left_out(wait: Any, sinks: Seen) -> None:
    """The record comes all the same."""
    given = wait() if wait is Raising else wait
    with discreet.observe_call("harbour.fetch"):
        log_attempt()(state(next_action=SimpleNamespace(sleep=given)))
    found = attempt(1, 0.5, **SLOW)
    found.pop("wait_s")
    found["message"] = "harbour.fetch: attempt 1 failed"
    assert told(sinks) == [found, finished("ok", retries=1)]
    assert LEDGER.as_dict()["failures"] == []


@pytest.mark.parametrize(
    ("wait", "shown"), [(0, 0.0), (0.0, 0.0), (True, None), (3, 3.0), (0.12345, 0.123), (86_400.5, 86_400.5)]
)
def test_a_wait_is_shown_in_seconds_with_three_digits(wait: Any, shown: float | None, sinks: Seen) -> None:
    """A day and more as well."""
    log_attempt("harbour.fetch")(state(next_action=None, upcoming_sleep=wait))
    assert told(sinks)[0].get("wait_s") == shown


@pytest.mark.parametrize("number", [-1, 2.5, None, QUESTION, Raising, True], ids=repr)
def test_a_number_of_an_attempt_that_is_none_is_left_out(number: Any, sinks: Seen) -> None:
    """Nothing is guessed."""
    log_attempt("harbour.fetch")(state(attempt_number=number() if number is Raising else number))
    (found,) = told(sinks)
    assert ("attempt" in found, found["message"]) == (
        False,
        "harbour.fetch: an attempt failed, the next comes in 0.500 s",
    )


def broken(kind: str) -> Any:
    pending, cancelled = tenacity.Future(1), tenacity.Future(1)
    cancelled.cancel()
    return {
        "pending": lambda: state(outcome=pending),
        "cancelled": lambda: state(outcome=cancelled),
        "raising outcome": lambda: state(outcome=Raising()),
        "raising action": lambda: state(next_action=Raising()),
        "raising state": Raising,
        "no state": lambda: None,
    }[kind]()


@pytest.mark.parametrize(
    "kind", ["pending", "cancelled", "raising outcome", "raising action", "raising state", "no state"]
)
def test_a_state_that_cannot_be_read_is_counted_and_nothing_is_raised(kind: str, sinks: Seen) -> None:
    """Nor is anything waited for."""
    given = broken(kind)
    with discreet.observe_call("harbour.fetch"):
        log_attempt()(given)
    assert told(sinks) == [finished("ok")]
    assert [one["where"] for one in LEDGER.as_dict()["failures"]] == ["instrument"]
    assert [word for word in CANARIES if word in sinks.out.getvalue()] == []


def test_an_attempt_without_an_outcome_has_a_record(sinks: Seen) -> None:
    """Only tenacity's own state has always one."""
    log_attempt("harbour.fetch")(state(outcome=None))
    assert told(sinks) == [attempt(1, 0.5)]


def test_a_handler_that_raises_does_not_disturb_the_loop(sinks: Seen) -> None:
    """A record that is lost is counted; the function is called again."""

    class Broken(logging.Handler):
        def handle(self, record: logging.LogRecord) -> bool:
            raise RuntimeError(QUESTION)

    left = [1]

    def fetch() -> str:
        if left.pop() if left else 0:
            raise httpx.ReadTimeout(QUESTION)
        return QUESTION

    log = logging.getLogger("discreet")
    handler = Broken()
    log.addHandler(handler)
    try:
        assert Retrying(stop=stop_after_attempt(2), before_sleep=log_attempt("harbour.fetch"))(fetch) == QUESTION
    finally:
        log.removeHandler(handler)


@pytest.mark.parametrize("name", [QUESTION, "Skagen", "".join(reversed("rettuc")), "a.b.c.d.e", "", 7, Raising])
def test_a_name_that_nobody_says_is_undeclared(name: Any, sinks: Seen) -> None:
    """As for observe_call(): nothing is raised, since a loop may be made in the middle of a call."""
    with discreet.observe_call("harbour.answer"):
        log_attempt(name() if name is Raising else name)(state())
    assert told(sinks) == [attempt(1, 0.5, "undeclared", **SLOW), finished("ok", "harbour.answer", retries=1)]


def test_a_public_name_is_one_unless_it_stands_in_a_text_of_the_call(sinks: Seen) -> None:
    """Looked up when the record is made: the hook is older than the call."""
    hook = log_attempt(discreet.public("harbour." + "".join(reversed("rettuc"))))
    with discreet.observe_call("harbour.answer", question="Which harbour cutter?"):
        hook(state())
    hook(state())
    assert [one.get("operation") for one in told(sinks)] == ["undeclared", "harbour.answer", "harbour.cutter"]


def test_threads_that_repeat_in_one_call_are_all_counted(sinks: Seen) -> None:
    """Each has the call handed over."""
    together = threading.Barrier(8)

    def work() -> None:
        together.wait()
        left = list(range(25))

        def fetch() -> None:
            if left:
                left.pop()
                raise httpx.ReadTimeout(QUESTION)

        Retrying(wait=wait_none(), before_sleep=log_attempt())(fetch)

    with discreet.observe_call("harbour.fetch"), ThreadPoolExecutor(8) as pool:
        for done in [pool.submit(carry(work)) for _ in range(8)]:
            done.result()
    assert told(sinks)[-1] == finished("ok", retries=200)
    assert len(told(sinks)) == 201


def test_nothing_of_the_customers_comes_out(sinks: Seen) -> None:
    """Of a name, an argument, a result or an exception, at DEBUG too, nor on a span."""
    logging.getLogger().setLevel(logging.DEBUG)

    def fetch(question: str, *, of: str) -> None:
        raise type("Brandvold", (Exception,), {})(question, of)

    fetch.__name__ = fetch.__qualname__ = QUESTION
    looped = Retrying(stop=stop_after_attempt(3), before_sleep=log_attempt())
    with pytest.raises(tenacity.RetryError), discreet.observe_call("harbour.fetch"):
        looped(fetch, QUESTION, of=QUESTION)
    written = sinks.out.getvalue() + "".join(span.to_json() for span in sinks.exporter.get_finished_spans())
    assert [word for word in CANARIES if word in written] == []
    assert [one.get("error_type") for one in told(sinks)] == ["Exception+", "Exception+", None]
