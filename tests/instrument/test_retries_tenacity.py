"""tenacity's retries: one record of each attempt that is repeated, in all of its forms, and the end in the call's."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import httpx
import pytest
import tenacity
from tenacity import AsyncRetrying, Retrying, retry, retry_if_result, stop_after_attempt, wait_fixed, wait_incrementing

import discreet
from discreet.call_counts import CALLS
from discreet.export.ledger import LEDGER
from discreet.instrument.tenacity import log_attempt
from tests.calls.seen import Seen
from tests.instrument.retried import CANARIES, QUESTION, SLOW, TOO_SLOW, attempt, finished, told

pytestmark = pytest.mark.integration


class Server:
    """Fails so many times, then answers."""

    def __init__(self, failures: int) -> None:
        self.failures = failures

    def fetch(self, question: str) -> str:
        self.failures -= 1
        if self.failures >= 0:
            raise httpx.ReadTimeout(question)
        return question


def options(**more: Any) -> dict[str, Any]:
    """Waits of 0.25 s, 0.5 s and so on, for which nobody waits."""
    return {
        "stop": stop_after_attempt(3),
        "wait": wait_incrementing(0.25, 0.25),
        "sleep": lambda seconds: None,
        "before_sleep": log_attempt(),
        **more,
    }


def async_options(**more: Any) -> dict[str, Any]:
    async def sleep(seconds: float) -> None:
        await asyncio.sleep(0)

    return options(sleep=sleep, **more)


def decorated(server: Server, **more: Any) -> str:
    return retry(**options(**more))(server.fetch)(QUESTION)


def called(server: Server, **more: Any) -> str:
    return Retrying(**options(**more))(server.fetch, QUESTION)


def iterated(server: Server, **more: Any) -> str:
    found = ""
    for step in Retrying(**options(**more)):
        with step:
            found = server.fetch(QUESTION)
    return found


def decorated_coroutine(server: Server, **more: Any) -> str:
    @retry(**async_options(**more))
    async def fetch(question: str) -> str:
        await asyncio.sleep(0)
        return server.fetch(question)

    return asyncio.run(fetch(QUESTION))


def async_iterated(server: Server, **more: Any) -> str:
    async def fetch() -> str:
        found = ""
        async for step in AsyncRetrying(**async_options(**more)):
            with step:
                found = server.fetch(QUESTION)
        return found

    return asyncio.run(fetch())


FORMS: list[Callable[..., str]] = [decorated, called, iterated, decorated_coroutine, async_iterated]
BEHIND = "tenacity.RetryError < httpx.ReadTimeout"


@pytest.mark.parametrize("form", FORMS)
def test_each_attempt_that_is_repeated_has_one_record_in_every_form(form: Callable[..., str], sinks: Seen) -> None:
    """With code and wait, and the operation of the call in which it is made."""
    with discreet.observe_call("harbour.fetch"):
        assert form(Server(2)) == QUESTION
    assert told(sinks) == [attempt(1, 0.25, **SLOW), attempt(2, 0.5, **SLOW), finished("ok", retries=2)]
    (span,) = sinks.spans()
    assert ([event.name for event in span.events], (span.attributes or {})["retries"]) == (["attempt_failed"] * 2, 2)
    assert LEDGER.as_dict()["failures"] == []


@pytest.mark.parametrize("reraise", [False, True])
@pytest.mark.parametrize("form", FORMS)
def test_what_fails_in_each_attempt_is_an_error_with_the_code_of_the_last(
    form: Callable[..., str], reraise: bool, sinks: Seen
) -> None:
    """One missing answer, whichever exception comes out; the last attempt isn't repeated and has no record."""
    with (
        pytest.raises(httpx.ReadTimeout if reraise else tenacity.RetryError),
        discreet.observe_call("harbour.fetch"),
    ):
        form(Server(3), reraise=reraise)
    chain = {} if reraise else {"exception_type": "tenacity.RetryError", "exception_chain": BEHIND}
    assert told(sinks) == [
        attempt(1, 0.25, **SLOW),
        attempt(2, 0.5, **SLOW),
        finished("error", **{**TOO_SLOW, **chain}, retries=2),
    ]
    assert CALLS.as_dict()["harbour.fetch"]["errors"] == {"timeout": 1}


def test_a_decorated_function_is_observed_by_the_decorator_outside(sinks: Seen) -> None:
    """The order that makes one call of all attempts."""
    server = Server(1)

    @discreet.observe_call("harbour.fetch", "question")
    @retry(**options())
    def fetch(question: str) -> str:
        return server.fetch(question)

    assert fetch(QUESTION) == QUESTION
    assert told(sinks) == [attempt(1, 0.25, **SLOW), finished("ok", retries=1)]


def test_in_the_other_order_each_attempt_is_a_call(sinks: Seen) -> None:
    """And the record of a failed one has no call around it, so it has the operation that it is given, if any."""
    server = Server(1)

    @retry(**options(before_sleep=log_attempt("harbour.tries")))
    @discreet.observe_call("harbour.fetch", "question")
    def fetch(question: str) -> str:
        return server.fetch(question)

    fetch(QUESTION)
    assert told(sinks) == [finished("error", **TOO_SLOW), attempt(1, 0.25, "harbour.tries", **SLOW), finished("ok")]
    decorated(Server(1))
    assert told(sinks)[3:] == [attempt(1, 0.25, None, **SLOW)]


def test_its_own_operation_comes_before_that_of_the_call(sinks: Seen) -> None:
    """The retries are counted in the call all the same, those of several loops together."""
    with discreet.observe_call("harbour.answer"):
        called(Server(1), before_sleep=log_attempt("harbour.fetch"))
        called(Server(2), before_sleep=log_attempt("harbour.search"))
    assert told(sinks) == [
        attempt(1, 0.25, "harbour.fetch", **SLOW),
        attempt(1, 0.25, "harbour.search", **SLOW),
        attempt(2, 0.5, "harbour.search", **SLOW),
        finished("ok", "harbour.answer", retries=3),
    ]


def test_a_refused_result_has_a_record_without_exception_or_value(sinks: Seen) -> None:
    """When each is refused, tenacity's own exception is all there is."""
    refused = options(retry=retry_if_result(lambda answer: answer is not None), wait=wait_fixed(2))
    with pytest.raises(tenacity.RetryError), discreet.observe_call("harbour.fetch"):
        Retrying(**refused)(lambda: QUESTION)
    assert told(sinks) == [
        attempt(1, 2.0),
        attempt(2, 2.0),
        finished(
            "error",
            error_code="retries_exhausted",
            exception_type="tenacity.RetryError",
            exception_code="retries_exhausted",
            retries=2,
        ),
    ]
    assert [word for word in CANARIES if word in sinks.out.getvalue()] == []


def test_an_exception_without_a_code_is_told_by_its_class(sinks: Seen) -> None:
    """Nothing else tells it from another."""

    def fetch() -> None:
        raise LookupError(QUESTION)

    with pytest.raises(tenacity.RetryError), discreet.observe_call("harbour.fetch"):
        Retrying(**options(stop=stop_after_attempt(2)))(fetch)
    assert told(sinks) == [
        attempt(1, 0.25, error_type="LookupError"),
        finished(
            "error",
            error_code="retries_exhausted",
            exception_type="tenacity.RetryError",
            exception_code="retries_exhausted",
            exception_chain="tenacity.RetryError < LookupError",
            retries=1,
        ),
    ]


def test_an_attempt_that_asks_for_another_has_the_code_of_what_made_it(sinks: Seen) -> None:
    """tenacity's `TryAgain` only stands for what was handled when it was raised."""
    server = Server(1)

    def fetch() -> str:
        try:
            return server.fetch(QUESTION)
        except httpx.ReadTimeout:
            raise tenacity.TryAgain from None

    def fetch_by_context() -> str:
        try:
            return server.fetch(QUESTION)
        except httpx.ReadTimeout:
            raise tenacity.TryAgain  # noqa: B904 -- what is tested

    with discreet.observe_call("harbour.fetch"):
        Retrying(**options())(fetch)
        server.failures = 1
        Retrying(**options())(fetch_by_context)
    assert told(sinks) == [
        attempt(1, 0.25, error_type="tenacity.TryAgain"),
        attempt(1, 0.25, **SLOW),
        finished("ok", retries=2),
    ]
