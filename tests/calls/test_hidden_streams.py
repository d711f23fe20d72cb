"""Generators of functions that a decorator makes look like plain ones."""

from __future__ import annotations

import asyncio
import contextlib
import gc
from collections.abc import AsyncIterator, Callable, Iterator
from functools import wraps
from typing import Any

import pytest

import discreet
from discreet.call_counts import CALLS
from discreet.scope import current
from tests.calls.seen import QUESTION, Seen


def hidden(function: Callable[..., Any]) -> Callable[..., Any]:
    """Hand on what the function returns."""

    @wraps(function)
    def handed(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    return handed


def places() -> tuple[str, ...]:
    scope = current()
    return () if scope is None else scope.places


@hidden
def read(question: str) -> Iterator[tuple[str, ...]]:
    yield places()
    yield places()
    if question == "none":
        raise LookupError


@hidden
async def read_async(question: str) -> AsyncIterator[tuple[str, ...]]:
    yield places()
    await asyncio.sleep(0)
    yield places()
    if question == "none":
        raise LookupError


def counts() -> dict[str, int]:
    found = CALLS.as_dict()["boats.read"]
    return {name: found[name] for name in ("started", "ok", "error", "cancelled", "active", "missing") if found[name]}


async def _all(stream: Any) -> list[Any]:
    return [item async for item in stream]


def rest(stream: Any) -> list[Any]:
    return asyncio.run(_all(stream)) if hasattr(stream, "__anext__") else list(stream)


@pytest.mark.parametrize("function", [read, read_async])
def test_the_call_lasts_until_the_stream_ends(sinks: Seen, function: Callable[..., Any]) -> None:
    """Its text is known in its own code alone, from the function's call on."""
    with discreet.customer_text(page="one"):
        stream = discreet.observe_call("boats.read", "question")(function)(QUESTION)
        assert (places(), counts()) == (("page",), {"started": 1, "active": 1})
        assert rest(stream) == [("page", "question")] * 2
        assert places() == ("page",)

    assert counts() == {"started": 1, "ok": 1}
    assert [(one["outcome"], one["items"]) for one in sinks.records()] == [("ok", 2)]


@pytest.mark.parametrize("function", [read, read_async])
def test_what_it_raises_is_the_calls_error(sinks: Seen, function: Callable[..., Any]) -> None:
    """Though the function itself has returned long before."""
    with pytest.raises(LookupError):
        rest(discreet.observe_call("boats.read", "question")(function)("none"))

    assert [(one["outcome"], one["exception_type"]) for one in sinks.records()] == [("error", "LookupError")]


def test_a_stream_that_is_closed_or_dropped_is_cancelled() -> None:
    """One that nobody begins to read is missing, as nobody knows what would have become of it."""
    CALLS.begin_anew(forget=True)
    observed = discreet.observe_call("boats.read", "question")(read)

    closed = observed(QUESTION)
    next(closed)
    closed.close()
    dropped = observed(QUESTION)
    next(dropped)
    del dropped
    observed(QUESTION)
    # The call and its scope hold one another.
    gc.collect()

    assert counts() == {"started": 3, "cancelled": 2, "missing": 1}
    assert places() == ()


def test_what_a_decorator_makes_of_a_generator_is_a_result() -> None:
    """A context manager, or a list."""
    CALLS.begin_anew(forget=True)

    @contextlib.contextmanager
    def opened(question: str) -> Iterator[str]:
        yield question

    with discreet.observe_call("boats.read", "question")(opened)(QUESTION) as value:
        assert (value, counts()) == (QUESTION, {"started": 1, "ok": 1})
    assert counts() == {"started": 1, "ok": 1}
