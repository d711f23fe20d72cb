"""Texts of functions that a decorator makes look like plain ones: known until what they returned has ended."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterator, Callable, Iterator
from functools import wraps
from typing import Any

import pytest

import discreet
from discreet.scope import current
from tests.match_mode.lines import log, logged

NAME = "Tollefsen"


def hidden(function: Callable[..., Any]) -> Callable[..., Any]:
    """Hand on what the function returns."""

    @wraps(function)
    def handed(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    return handed


@hidden
async def ask(question: str) -> None:
    await asyncio.sleep(0)
    log.info("Told: %s", question)


@hidden
def read(question: str) -> Iterator[str]:
    log.info("Told: %s", question)
    yield question
    log.info("Told: %s", question)


@hidden
async def read_async(question: str) -> AsyncIterator[str]:
    log.info("Told: %s", question)
    yield question
    await asyncio.sleep(0)
    log.info("Told: %s", question)


async def _all(stream: AsyncIterator[str]) -> list[str]:
    return [item async for item in stream]


def end(value: Any) -> Any:
    """Wait for it, or read it."""
    if inspect.iscoroutine(value):
        return asyncio.run(value)
    return asyncio.run(_all(value)) if inspect.isasyncgen(value) else list(value)


@pytest.mark.parametrize(
    "observe", [discreet.customer_text("question"), discreet.observe_call("boats.ask", "question")]
)
@pytest.mark.parametrize(("function", "result"), [(ask, None), (read, [NAME]), (read_async, [NAME])])
def test_its_text_is_known_as_long_as_its_code_runs(
    observe: Callable[..., Any], function: Callable[..., Any], result: Any
) -> None:
    """Within a call whose texts are known, so that match mode lets other strings through."""

    def run() -> None:
        with discreet.customer_text(page="a page of the harbour's rules"):
            value = observe(function)(NAME)
            log.info("Told: %s", "shelf twelve")
            assert end(value) == result
            log.info("Told: %s", "shelf twelve")
        assert current() is None

    first, *inside, last = [one["message"] for one in logged(run) if one["message"].startswith("Told")]

    assert (first, last) == ("Told: shelf twelve",) * 2
    assert set(inside) == {"Told: <question 1-15>"}
