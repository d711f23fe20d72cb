"""Functions that return a coroutine without being coroutine functions, since a decorator hides what they are."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable
from functools import wraps
from typing import Any

import pytest

import discreet
from discreet.call_counts import CALLS
from discreet.instrument.observed import Observed, observed
from discreet.scope import current
from tests.calls.seen import QUESTION, Seen

Function = Callable[..., Any]


def hidden(function: Function) -> Function:
    """As many decorators do that don't think of coroutine functions."""

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    return call


def by_decorator(function: Function) -> Function:
    return discreet.observe_call("boats.find", "question")(hidden(function))


def by_instrumentor(function: Function) -> Function:
    return observed(hidden(function), Observed(operation="boats.find", texts=("question",), items=len))


BOTH = pytest.mark.parametrize("observe", [by_decorator, by_instrumentor])


def places() -> tuple[str, ...]:
    scope = current()
    return () if scope is None else scope.places


def ended(sinks: Seen) -> list[tuple[str, str]]:
    return [(one["operation"], one["outcome"]) for one in sinks.records()]


@BOTH
def test_the_call_lasts_until_the_coroutine_ends(observe: Callable[[Function], Function], sinks: Seen) -> None:
    """Its texts are known in it, and not where it was made and is waited for."""
    seen: list[tuple[str, ...]] = []

    @observe
    async def find(question: str) -> list[str]:
        seen.append(places())
        await asyncio.sleep(0)
        seen.append(places())
        return ["a", "b"]

    async def main() -> Any:
        with discreet.customer_text(page="a page of rules"):
            waited = find(QUESTION)
            seen.append(places())
            assert ended(sinks) == []
            result = await waited
            seen.append(places())
        return result

    assert asyncio.run(main()) == ["a", "b"]
    assert seen == [("page",), ("page", "question"), ("page", "question"), ("page",)]
    assert ended(sinks) == [("boats.find", "ok")]


@BOTH
def test_what_it_raises_is_the_calls(observe: Callable[[Function], Function], sinks: Seen) -> None:
    """Also in tasks of their own, and one that is cancelled."""

    @observe
    async def find(question: str) -> None:
        await asyncio.sleep(0 if question == "first" else 60)
        raise LookupError(question)

    async def main() -> list[Any]:
        tasks = [asyncio.ensure_future(find(one)) for one in ("first", "second")]
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        tasks[1].cancel()
        return await asyncio.gather(*tasks, return_exceptions=True)

    raised = asyncio.run(main())
    assert [type(one) for one in raised] == [LookupError, asyncio.CancelledError]
    assert ended(sinks) == [("boats.find", "error"), ("boats.find", "cancelled")]


@BOTH
def test_one_that_nobody_waits_for_is_told_once_and_missing(
    observe: Callable[[Function], Function], sinks: Seen
) -> None:
    """By its own name; one that is closed isn't told at all."""

    @observe
    async def find(question: str) -> None:
        """Do nothing."""

    find(QUESTION).close()
    with pytest.warns(RuntimeWarning) as warned:
        find(QUESTION)

    (told,) = [str(one.message) for one in warned]
    assert told.endswith(".find' was never awaited")
    # It holds the coroutine.
    del warned
    gc.collect()
    counts = CALLS.as_dict()["boats.find"]
    assert (counts["started"], counts["active"], counts["missing"]) == (2, 0, 2)
    assert places() == ()
