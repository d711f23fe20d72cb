"""Nothing of a call that has ended waits for the garbage collector: its frames have the texts of customers."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import aclosing, suppress
from typing import Any

import pytest

import discreet
from discreet.call import Call
from tests.calls.seen import QUESTION, Seen


@discreet.observe_call("boats.ask", "question")
def ask(question: str) -> None:
    raise LookupError(question)


@discreet.observe_call("boats.wait", "question")
async def wait(question: str) -> None:
    raise LookupError(question)


@discreet.observe_call("boats.list", "question")
def read(question: str) -> Iterator[str]:
    yield question
    raise LookupError(question)


@discreet.observe_call("boats.stream", "question")
async def stream(question: str) -> AsyncIterator[str]:
    yield question
    raise LookupError(question)


def block() -> None:
    with discreet.observe_call("boats.find", question=QUESTION):
        raise LookupError(QUESTION)


def closed() -> None:
    reading: Any = read(QUESTION)
    next(reading)
    reading.close()


def dropped() -> None:
    next(iter(read(QUESTION)))


async def waited_for() -> None:
    with suppress(LookupError):
        await wait(QUESTION)


async def streamed() -> None:
    with suppress(LookupError):
        async for _ in stream(QUESTION):
            pass


async def closed_stream() -> None:
    streaming: Any = stream(QUESTION)
    async with aclosing(streaming):
        await anext(streaming)


async def thrown_into() -> None:
    streaming: Any = stream(QUESTION)
    await anext(streaming)
    with suppress(KeyError):
        await streaming.athrow(KeyError(QUESTION))


@pytest.mark.parametrize(
    "run",
    [
        lambda: ask(QUESTION),
        lambda: list(read(QUESTION)),
        block,
        closed,
        dropped,
        lambda: asyncio.run(waited_for()),
        lambda: asyncio.run(streamed()),
        lambda: asyncio.run(closed_stream()),
        lambda: asyncio.run(thrown_into()),
    ],
    ids=["function", "generator", "block", "closed", "dropped", "coroutine", "stream", "closed stream", "thrown into"],
)
def test_a_call_is_gone_once_it_has_ended(run: Callable[[], object], sinks: Seen) -> None:
    """Whichever way it ended."""
    gc.collect()
    of_other_tests = {id(one) for one in gc.get_objects() if type(one) is Call}
    gc.disable()
    try:
        with suppress(LookupError):
            run()
        assert [one for one in gc.get_objects() if type(one) is Call and id(one) not in of_other_tests] == []
    finally:
        gc.enable()
