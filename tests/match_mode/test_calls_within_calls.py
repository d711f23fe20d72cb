"""Match mode where calls stand inside one another: nothing goes out whose texts nobody knows any more."""

from __future__ import annotations

import asyncio
import gc
import threading
import weakref
from collections.abc import AsyncGenerator, Callable, Generator

import discreet
from discreet.scope import carry, current
from tests.match_mode.lines import log, logged

PROMPT = "You answer for the harbour office, briefly and in one language only."
QUESTION = "Does Wagtailmere still pay for the boat house on the hill?"
OTHER = "Who has seen the grey dinghy of the Marrowby sisters since Tuesday?"


def messages(emit: Callable[[], None]) -> list[str]:
    return [one["message"] for one in logged(emit)]


def test_what_outlives_a_call_logs_as_without_a_scope_though_one_around_it_goes_on() -> None:
    """A task, and a thread that was handed the scope: the inner call's texts are forgotten."""

    async def late() -> None:
        await asyncio.sleep(0)
        log.info("Late: %s", QUESTION)

    async def main() -> None:
        with discreet.customer_text(prompt=PROMPT):
            with discreet.customer_text(question=QUESTION):
                task = asyncio.create_task(late())
            await task
            log.info("Shelf %s", "twelve")

    def thread() -> None:
        with discreet.customer_text(prompt=PROMPT):
            with discreet.customer_text(question=QUESTION):
                work = threading.Thread(target=carry(lambda: log.info("Late: %s", QUESTION)))
            work.start()
            work.join()

    assert messages(lambda: asyncio.run(main())) == ["Late: <str 16-63>", "Shelf twelve"]
    assert messages(thread) == ["Late: <str 16-63>"]


def test_a_call_within_one_that_has_ended_lets_nothing_through() -> None:
    """It may have been handed a text of the outer call."""

    async def inner(question: str) -> None:
        with discreet.customer_text(chunk=OTHER):
            log.info("Before: %s and %s", "shelf twelve", question)
            await asyncio.sleep(0.01)
            log.info("After: %s and %s", "shelf twelve", question)

    async def main() -> None:
        with discreet.customer_text(question=QUESTION):
            task = asyncio.create_task(inner(QUESTION))
            await asyncio.sleep(0)
        await task

    assert messages(lambda: asyncio.run(main())) == [
        "Before: shelf twelve and <question 16-63>",
        "After: <str 1-15> and <str 16-63>",
    ]


@discreet.customer_text("prompt")
def worker(prompt: str) -> Generator[None, str]:
    while True:
        log.info("Got %s beside %s and %s", (yield), prompt, "shelf twelve")


@discreet.customer_text("prompt")
async def async_worker(prompt: str) -> AsyncGenerator[None, str]:
    while True:
        log.info("Got %s beside %s and %s", (yield), prompt, "shelf twelve")


def test_a_generator_that_another_call_goes_on_with_has_the_texts_of_both() -> None:
    """It was begun outside of the call that sends it a text."""

    def run() -> None:
        pipe = worker(PROMPT)
        next(pipe)
        for question in (QUESTION, OTHER):
            with discreet.customer_text(question=question):
                pipe.send(question)
                assert (found := current()) is not None
                assert found.places == ("question",)
        pipe.send("nothing of a customer")

    async def run_async() -> None:
        pipe = async_worker(PROMPT)
        await anext(pipe)
        for question in (QUESTION, OTHER):
            with discreet.customer_text(question=question):
                await pipe.asend(question)
        await pipe.asend("nothing of a customer")
        await pipe.aclose()

    expected = [
        "Got <question 16-63> beside <prompt 64-255> and shelf twelve",
        "Got <question 64-255> beside <prompt 64-255> and shelf twelve",
        "Got nothing of a customer beside <prompt 64-255> and shelf twelve",
    ]
    assert messages(run) == expected
    assert messages(lambda: asyncio.run(run_async())) == expected


def test_a_function_that_was_handed_a_scope_has_also_that_of_the_call_that_runs_it() -> None:
    """Whichever of the two ends, nothing is let through."""

    def run() -> None:
        kept: list[Callable[[], None]] = []

        def other() -> None:
            with discreet.customer_text(question=QUESTION):
                handed()
                keeping()
                later()

        with discreet.customer_text(prompt=PROMPT):
            later = carry(lambda: log.info("Late: %s", "shelf twelve"))
        with discreet.customer_text(prompt=PROMPT):
            handed = carry(lambda: log.info("%s, %s, %s", PROMPT, QUESTION, "shelf twelve"))
            keeping = carry(lambda: kept.append(carry(lambda: log.info("Kept: %s", "shelf twelve"))))
            thread = threading.Thread(target=other)
            thread.start()
            thread.join()
        kept[0]()

    assert messages(run) == [
        "<prompt 64-255>, <question 16-63>, shelf twelve",
        "Late: <str 1-15>",
        "Kept: <str 1-15>",
    ]


def test_what_is_seen_of_a_scope_within_another_is_not_kept() -> None:
    """A worker may serve many calls in its life."""
    pipe = worker(PROMPT)
    next(pipe)
    seen: list[weakref.ref[object]] = []
    for _ in range(3):
        with discreet.customer_text(question=QUESTION) as scope:
            pipe.send(QUESTION)
        seen.append(weakref.ref(scope))
    del scope
    gc.collect()
    assert [one() for one in seen] == [None] * 3
