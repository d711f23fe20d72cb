"""structlog's asynchronous methods: the event is processed in a thread, the frame that awaits it proves its text."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
import structlog

from tests.structlogs.events import QUESTION, Keeper, place, sealing

HERE = __name__


def event(message: str, level: str = "INFO", **more: Any) -> dict[str, Any]:
    return {"level": level, "logger": HERE, "message": message, **more}


async def native() -> None:
    log = structlog.get_logger()
    question = QUESTION
    await log.ainfo("Asked")
    await log.ainfo(f"Asked {question} in {2 * 3} ms")
    await log.awarning("Asked %s in %d ms", question, 12)
    await log.alog(40, "Asked %s", question)
    await log.ainfo(event="Asked")
    try:
        raise LookupError(question)
    except LookupError:
        await log.aexception("Failed", note=question)


def test_what_is_awaited_directly_is_proven(keeper: Keeper) -> None:
    """Literals, f-strings, templates and exceptions, as for the other methods."""
    asyncio.run(native())

    assert keeper.take() == [
        event("Asked"),
        event("Asked {question} in 6 ms", withheld=1),
        event("Asked {question} in 12 ms", "WARNING", withheld=1),
        event("Asked {question}", "ERROR", withheld=1),
        event("Asked"),
        event("Failed", "ERROR", exception_type="LookupError", exception_frames=place(native, 9), withheld=1),
    ]


async def elsewhere() -> None:
    log = structlog.get_logger()
    coroutine = log.ainfo(QUESTION)
    await coroutine
    await asyncio.gather(log.ainfo(QUESTION), log.ainfo("Asked"))
    await asyncio.create_task(log.ainfo("Asked"))


def test_a_coroutine_that_is_awaited_elsewhere_proves_nothing(keeper: Keeper) -> None:
    """The call is over by then, so all that is known of the text is its length."""
    asyncio.run(elsewhere())

    assert sorted(found["message"] for found in keeper.take()) == ["<str 1-15>"] * 2 + ["<str 16-63>"] * 2


async def inner() -> None:
    structlog.get_logger().info("Inside %s", QUESTION)


async def two_kinds() -> None:
    await structlog.get_logger().ainfo("Outside")
    await inner()
    await asyncio.gather(*(many(number) for number in range(20)))


async def many(number: int) -> None:
    await structlog.get_logger().ainfo("One of %d", number)


def test_tasks_do_not_take_each_others_texts(keeper: Keeper) -> None:
    """Many at once, and synchronous calls between."""
    asyncio.run(two_kinds())

    found = [one["message"] for one in keeper.take()]
    assert found[:2] == ["Outside", "Inside {QUESTION}"]
    assert sorted(found[2:]) == sorted(f"One of {number}" for number in range(20))


async def standard() -> None:
    log = structlog.get_logger()
    question = QUESTION
    await log.ainfo("Asked %s in %d ms", question, 12)
    await log.alog(30, f"Asked {question}")
    try:
        raise LookupError(question)
    except LookupError:
        await log.aexception("Failed")


def test_the_standard_librarys_bound_logger_hands_on_as_well() -> None:
    """Its arguments arrive as they are, so that they are shown by their types."""
    keeper = sealing(wrapper_class=structlog.stdlib.BoundLogger)
    asyncio.run(standard())

    assert keeper.take() == [
        event("Asked <str 16-63> in 12 ms", withheld=1),
        event("Asked {question}", "WARNING", withheld=1),
        event("Failed", "ERROR", exception_type="LookupError", exception_frames=place(standard, 6)),
    ]


@pytest.mark.parametrize("name", ["info", "warning", "error", "critical", "debug"])
def test_the_deprecated_asynchronous_logger_is_known_too(name: str) -> None:
    """`AsyncBoundLogger`'s methods have the names of the synchronous ones."""
    keeper = sealing(wrapper_class=structlog.stdlib.AsyncBoundLogger)

    async def ask() -> None:
        await getattr(structlog.get_logger(), name)("Asked")
        await structlog.get_logger().info(QUESTION)

    asyncio.run(ask())

    assert [found["message"] for found in keeper.take()] == ["Asked", "<str 16-63>"]
