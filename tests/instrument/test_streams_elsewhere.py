"""Streams of observed calls that go on in another call: their code has the texts of both."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Generator, Iterator

import pytest

import discreet
from discreet.instrument.observed import Observed, observed
from discreet.match_mode import set_match
from discreet.scope import current, owners
from tests.match_mode.lines import NAME, logged

log = logging.getLogger(NAME)
FIRST = "Does the harbour master know who left the blue trawler unlocked?"
SECOND = "Which of the twins was told about the inheritance in the boathouse?"
HOW = Observed(operation="boats.find", texts=("question",))


def pipe(question: str) -> Generator[str, str, None]:
    received = yield "ready"
    while True:
        log.info("Asked %s", received)
        received = yield "more"


async def async_pipe(question: str) -> AsyncGenerator[str, str]:
    received = yield "ready"
    while True:
        log.info("Asked %s", received)
        received = yield "more"


@pytest.fixture(autouse=True)
def _match_mode() -> Iterator[None]:
    set_match("install", (NAME,))
    yield
    set_match("install", ())


def send(stream: Generator[str, str, None], text: str) -> list[str]:
    def go_on() -> None:
        with discreet.customer_text(question=text):
            stream.send(text)

    return [one["message"] for one in logged(go_on)]


def test_a_generator_has_the_texts_of_the_call_that_goes_on_with_it() -> None:
    """And of its own call; those of a call that has ended meanwhile are forgotten."""
    stream = observed(pipe, HOW)(FIRST)
    next(stream)

    assert send(stream, SECOND) == ["Asked <question 64-255>"]
    assert send(stream, FIRST) == ["Asked <question 64-255>"]
    assert send(stream, "shelf twelve, please") == ["Asked <question 16-63>"]
    assert [one["message"] for one in logged(lambda: stream.send("pier nine") and None)] == ["Asked pier nine"]
    stream.close()
    assert current() is None


def test_an_async_generator_has_them_too() -> None:
    """Between its stretches the call around it has its own texts alone."""
    seen: list[tuple[str, ...]] = []

    async def main() -> None:
        stream = observed(async_pipe, HOW)(FIRST)
        await anext(stream)
        async with discreet.customer_text(prompt=SECOND):
            await stream.asend(SECOND)
            scope = current()
            seen.append(scope.places if scope is not None else ())
        await stream.aclose()

    assert next(one["message"] for one in logged(lambda: asyncio.run(main()))) == "Asked <prompt 64-255>"
    assert seen == [("prompt",)]


def test_the_call_of_a_stream_stays_the_call_of_its_code() -> None:
    """Its warnings are counted for it, wherever it goes on."""
    seen: list[list[str]] = []

    def watched(question: str) -> Generator[None, None, None]:
        while True:
            seen.append([type(owner).__name__ for owner in owners()])
            yield

    stream = observed(watched, HOW)(FIRST)
    next(stream)
    with discreet.customer_text(prompt=SECOND):
        next(stream)
    stream.close()

    assert seen == [["Call"], ["Call", "CustomerText"]]
