"""The decorator: functions, coroutines, generators and async generators; tasks, executors, forks."""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import os
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from discreet.errors import InvalidInputError
from discreet.scope import carry, current, customer_text

QUESTION = "Where is the key of the boat house?"


def found() -> str | None:
    """The place of the question in the current scope."""
    scope = current()
    match = scope.find(QUESTION) if scope is not None else None
    return match.place if match is not None else None


@customer_text("question", tenant="A text of the program's own")
def answer(number: int, question: str, *, chunks: tuple[str, ...] = ()) -> tuple[int, str | None]:
    """Answers."""
    return number, found()


def test_a_function_has_its_parameters_texts_while_it_runs() -> None:
    """Given by place or by name; its name, docstring and signature stay."""
    assert [answer(1, QUESTION), answer(2, question=QUESTION), found()] == [(1, "question"), (2, "question"), None]
    assert (answer.__name__, answer.__doc__, str(inspect.signature(answer))[:13]) == (
        "answer",
        "Answers.",
        "(number: 'int",
    )


def test_the_scope_ends_when_the_function_raises() -> None:
    """What it raised comes out as it was."""

    @customer_text("question")
    def failing(question: str) -> None:
        raise KeyError(found())

    with pytest.raises(KeyError, match="question"):
        failing(QUESTION)
    assert current() is None


def test_a_wrong_call_and_a_wrong_text_are_errors_of_the_caller() -> None:
    """The first is Python's own TypeError."""
    with pytest.raises(TypeError, match="missing 1 required positional argument"):
        answer(1)  # type: ignore[call-arg]
    with pytest.raises(InvalidInputError, match=r"^question: is no text"):
        answer(1, object())  # type: ignore[arg-type]


def test_a_parameter_that_is_not_there_is_refused_at_once() -> None:
    """Without quoting the word, which may be a text."""
    with pytest.raises(InvalidInputError, match=r"^parameters\[1\]: is the name of no parameter of the function$"):
        customer_text("question", QUESTION)(answer)


def test_a_coroutine_has_them_until_it_ends() -> None:
    """Two at once have each its own; a task that it starts has them too."""

    @customer_text("question")
    async def ask(question: str, wait: float) -> list[str | None]:
        await asyncio.sleep(wait)
        inner = await asyncio.gather(asyncio.create_task(later()), asyncio.to_thread(found))
        return [found(), *inner]

    async def later() -> str | None:
        await asyncio.sleep(0)
        return found()

    async def main() -> object:
        return await asyncio.gather(ask(QUESTION, 0.01), ask("Another text altogether", 0.0), later())

    assert inspect.iscoroutinefunction(ask)
    assert asyncio.run(main()) == [["question"] * 3, [None] * 3, None]


def test_a_task_that_outlives_its_call_has_no_scope_any_more() -> None:
    """Its texts are gone; deny applies."""

    async def late(begun: asyncio.Event) -> tuple[object, str | None]:
        await begun.wait()
        return current(), found()

    async def main() -> object:
        begun = asyncio.Event()
        async with customer_text(question=QUESTION):
            task = asyncio.create_task(late(begun))
            await asyncio.sleep(0)
        begun.set()
        return await task

    assert asyncio.run(main()) == (None, None)


@customer_text("question")
def stream(question: str) -> Iterator[object]:
    received: list[object] = []
    try:
        while True:
            try:
                received.append((yield found()))
            except ValueError as error:
                received.append(str(error))
            if len(received) == 3:
                return [*received, found()]
    finally:
        received.append(found())
        closed.append(found())


closed: list[str | None] = []


def test_a_generator_has_them_only_while_its_own_code_runs() -> None:
    """Sending, throwing and returning work as without; between two items its reader has no scope."""
    closed.clear()
    generator = stream(QUESTION)
    seen = [next(generator), found(), generator.send("a"), generator.throw(ValueError("b")), found()]
    with pytest.raises(StopIteration) as stop:
        generator.send("c")

    assert inspect.isgeneratorfunction(stream)
    assert seen == ["question", None, "question", "question", None]
    assert stop.value.value == ["a", "b", "c", "question"]
    assert (closed, current()) == (["question"], None)


def test_a_generator_that_is_left_closes_inside_its_scope() -> None:
    """Whoever stops reading ends it; in another context too."""
    closed.clear()
    generator = stream(QUESTION)
    next(generator)
    contextvars.copy_context().run(generator.close)
    unread = stream(QUESTION)
    unread.close()

    assert (closed, current()) == (["question"], None)


def test_a_generator_may_be_read_by_turns_in_two_contexts() -> None:
    """Web frameworks read each item in a thread of a pool."""
    generator = stream(QUESTION)
    with ThreadPoolExecutor(2) as pool:
        seen = [pool.submit(contextvars.copy_context().run, next, generator).result() for _ in range(3)]
    generator.close()

    assert seen == ["question"] * 3


def test_an_async_generator_has_them_only_while_its_own_code_runs() -> None:
    """It stays an async generator, with sending and throwing."""
    ends: list[str | None] = []

    @customer_text("question")
    async def tokens(question: str) -> AsyncIterator[object]:
        try:
            sent = yield found()
            await asyncio.sleep(0)
            try:
                yield sent, found()
            except ValueError:
                yield "thrown", found()
        finally:
            ends.append(found())

    async def main() -> list[object]:
        generator = tokens(QUESTION)
        seen = [await generator.asend(None), found(), await generator.asend("a"), await generator.athrow(ValueError())]
        seen.append([item async for item in generator])
        left = tokens(QUESTION)
        seen += [await anext(left), found()]
        await left.aclose()
        return [*seen, found()]

    assert inspect.isasyncgenfunction(tokens)
    assert asyncio.run(main()) == [
        "question",
        None,
        ("a", "question"),
        ("thrown", "question"),
        [],
        "question",
        None,
        None,
    ]
    assert ends == ["question", "question"]


def test_an_executor_has_them_by_carry_or_by_a_copied_context() -> None:
    """A coroutine function can be carried too."""

    async def later() -> str | None:
        await asyncio.sleep(0)
        return found()

    with ThreadPoolExecutor(1) as pool, customer_text(question=QUESTION):
        seen = [
            pool.submit(found).result(),
            pool.submit(carry(found)).result(),
            pool.submit(contextvars.copy_context().run, found).result(),
            list(pool.map(carry(lambda number: (number, found())), range(2))),
            pool.submit(asyncio.run, carry(later)()).result(),
        ]

    assert seen == [None, "question", "question", [(0, "question"), (1, "question")], "question"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_forked_child_has_them() -> None:
    """Memory is copied, and so is the context."""
    reading, writing = os.pipe()
    with customer_text(question=QUESTION):
        child = os.fork()
        if child == 0:
            os.write(writing, str(found()).encode())
            os._exit(0)
        os.waitpid(child, 0)
    os.close(writing)

    assert os.read(reading, 100) == b"question"
    os.close(reading)
