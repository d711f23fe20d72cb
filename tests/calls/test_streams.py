"""Generators and async generators that are decorated: one call each, from its first item to its end."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import inspect
import logging
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator, Iterator
from typing import Any

import pytest
from opentelemetry import trace

import discreet
from discreet.call_counts import CALLS
from discreet.scope import current
from tests.calls.seen import QUESTION, Seen

log = logging.getLogger("verbatim_core")
LOST = {"event": "fallback_used", "warning_code": "quote_not_found"}
Looked = tuple[tuple[str, ...], str | None]


def look() -> Looked:
    """The texts that are known here, and the name of the current span."""
    scope = current()
    return (scope.places if scope else (), getattr(trace.get_current_span(), "name", None))


@discreet.observe_call("boats.read", "question")
def read(question: str, seen: list[Any], how: str = "") -> Generator[Any, Any, Any]:
    """Read aloud."""
    try:
        seen.append(look())
        yield "one"
        seen.append(look())
        if how == "raise":
            raise LookupError(question)
        yield {"warnings": [how]} if how else "two"
        return {"warnings": ["chunk_truncated"]} if how else None
    finally:
        seen.append(look())


@discreet.observe_call("boats.read", "question")
async def read_soon(question: str, seen: list[Any], how: str = "") -> AsyncGenerator[Any, Any]:
    try:
        seen.append(look())
        yield "one"
        await asyncio.sleep(0)
        seen.append(look())
        if how == "raise":
            raise LookupError(question)
        yield {"warnings": [how]} if how else "two"
    finally:
        await asyncio.sleep(0)
        seen.append(look())


def counts() -> dict[str, int]:
    return {
        name: count for name, count in CALLS.as_dict().get("boats.read", {}).items() if type(count) is int and count
    }


def told(sinks: Seen) -> list[tuple[Any, ...]]:
    names = ("outcome", "items", "warning_code", "warnings", "exception_type")
    return [tuple(record.get(name) for name in names) for record in sinks.records()]


WITHIN: Looked = (("question",), "boats.read")
OUTSIDE: Looked = ((), None)


def test_a_decorated_generator_remains_one(sinks: Seen) -> None:
    """By what frameworks ask of it. What was never begun is no call."""
    assert inspect.isgeneratorfunction(read)
    assert inspect.isasyncgenfunction(read_soon)
    assert (read.__name__, read.__doc__) == ("read", "Read aloud.")
    assert list(inspect.signature(read).parameters) == ["question", "seen", "how"]
    never = read(QUESTION, [])
    assert inspect.getgeneratorstate(never) == "GEN_CREATED"
    never.close()
    read_soon(QUESTION, [])
    assert counts() == {}


@pytest.mark.parametrize("soon", [False, True], ids=["sync", "async"])
@pytest.mark.parametrize(
    ("how", "expected"),
    [
        ("", ("ok", 2, None, None, None)),
        ("quote_not_found", ("degraded", 2, "quote_not_found", 2, None)),
        ("raise", ("error", 1, None, None, "LookupError")),
    ],
)
def test_a_stream_is_one_call_until_its_end(how: str, expected: tuple[Any, ...], soon: bool, sinks: Seen) -> None:
    """Its texts and its span are current while its own code runs, and not for whoever reads it."""
    seen: list[Any] = []
    outside: list[Any] = []

    async def main() -> None:
        async for _ in read_soon(QUESTION, seen, how):
            outside.append(look())

    def plain() -> None:
        for _ in read(QUESTION, seen, how):
            outside.append(look())

    with contextlib.suppress(LookupError):
        asyncio.run(main()) if soon else plain()
    if soon and how == "quote_not_found":
        # An async generator returns nothing.
        expected = (*expected[:3], 1, None)
    assert told(sinks) == [expected]
    assert seen == [WITHIN] * 3
    assert outside == [OUTSIDE] * (1 if how == "raise" else 2)
    assert [span.name for span in sinks.spans()] == ["boats.read"]
    frames = [record.get("exception_frames") for record in sinks.records()]
    assert frames == [None] or str(frames[0]).count("test_streams.py") == str(frames[0]).count(">") + 1
    assert QUESTION not in sinks.out.getvalue()


@pytest.mark.parametrize("dropped", [False, True], ids=["closed", "dropped"])
def test_a_stream_that_is_not_read_to_its_end_is_cancelled(dropped: bool, sinks: Seen) -> None:
    """Closed, or without anybody who has it; its own code ends within the call."""
    seen: list[Any] = []
    stream = read(QUESTION, seen)
    assert next(stream) == "one"
    if not dropped:
        stream.close()
    del stream
    assert told(sinks) == [("cancelled", 1, None, None, "GeneratorExit")]
    assert (seen, look()) == ([WITHIN] * 2, OUTSIDE)
    assert counts() == {"started": 1, "cancelled": 1}


def test_a_stream_that_returns_when_it_is_closed_is_cancelled_all_the_same(sinks: Seen) -> None:
    """Nobody has read it to its end."""

    @discreet.observe_call("boats.read")
    def polite() -> Iterator[int]:
        try:
            yield 1
        except GeneratorExit:
            return

    stream: Any = polite()
    next(stream)
    stream.close()
    assert [one[0] for one in told(sinks)] == ["cancelled"]


@pytest.mark.parametrize("how", ["close", "drop", "shutdown"])
def test_an_async_stream_that_is_left_has_ended_exactly_once(how: str, sinks: Seen) -> None:
    """Closed, dropped while its loop runs, or closed by its loop at the end: its own code ends within the call."""
    seen: list[Any] = []
    kept: list[Any] = []

    async def main() -> None:
        stream = read_soon(QUESTION, seen)
        assert await anext(stream) == "one"
        if how == "close":
            await stream.aclose()
        elif how == "drop":
            del stream
            for _ in range(5):
                await asyncio.sleep(0)
        else:
            kept.append(stream)

    asyncio.run(main())
    assert counts() == {"started": 1, "cancelled": 1}
    assert seen == [WITHIN] * 2
    assert [one[:2] for one in told(sinks)] == [("cancelled", 1)]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_async_stream_without_its_loop_is_missing(sinks: Seen) -> None:
    """Nobody can wait for it any more. Where it is dropped nothing of it is current."""

    async def main() -> Any:
        stream = read_soon(QUESTION, [])
        await anext(stream)
        return stream

    loop = asyncio.new_event_loop()
    stream = loop.run_until_complete(main())
    loop.close()
    assert counts() == {"started": 1, "active": 1}
    del stream
    gc.collect()
    assert counts() == {"started": 1, "missing": 1}
    assert (told(sinks), look()) == ([], OUTSIDE)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_async_stream_that_is_given_up_in_its_end_leaves_nothing(sinks: Seen) -> None:
    """Driven by hand and dropped: its code awaits once more, and nobody does."""
    stream = read_soon(QUESTION, [])
    with pytest.raises(StopIteration):
        stream.asend(None).send(None)
    del stream
    assert look() == OUTSIDE
    gc.collect()
    assert counts() == {"started": 1, "missing": 1}


def test_a_stream_may_go_on_in_other_threads(sinks: Seen) -> None:
    """Begun in one, read in another and closed in a third; none of them has anything of it left."""
    seen: list[Any] = []
    stream = read(QUESTION, seen)
    outside: list[Looked] = []

    def elsewhere(act: Callable[[], object]) -> None:
        def work() -> None:
            act()
            outside.append(look())

        thread = threading.Thread(target=work)
        thread.start()
        thread.join()

    elsewhere(lambda: next(stream))
    elsewhere(lambda: next(stream))
    elsewhere(stream.close)
    assert (seen, outside) == ([WITHIN] * 3, [OUTSIDE] * 3)
    assert told(sinks) == [("cancelled", 2, None, None, "GeneratorExit")]


def test_an_async_stream_may_go_on_in_other_tasks(sinks: Seen) -> None:
    """Each has a context of its own."""
    seen: list[Any] = []
    outside: list[Looked] = []

    async def main() -> None:
        stream = read_soon(QUESTION, seen)

        async def step() -> None:
            await anext(stream, None)
            outside.append(look())

        for _ in range(3):
            await asyncio.create_task(step())

    asyncio.run(main())
    assert (seen, outside) == ([WITHIN] * 3, [OUTSIDE] * 3)
    assert told(sinks) == [("ok", 2, None, None, None)]


def test_what_happens_between_two_items_is_not_of_the_stream(sinks: Seen) -> None:
    """A record that whoever reads it logs degrades the reader's call alone; one of its own code is its own."""

    @discreet.observe_call("boats.read")
    def losing() -> Iterator[int]:
        yield 1
        log.warning("Lost", extra={**LOST, "warning_code": "chunk_truncated"})
        yield 2

    with discreet.observe_call("boats.ask"):
        for _ in losing():
            log.warning("Lost", extra=LOST)
    assert [(one["operation"], one["outcome"], one["warnings"], one["warning_code"]) for one in sinks.records()] == [
        ("boats.read", "degraded", 1, "chunk_truncated"),
        ("boats.ask", "degraded", 2, "quote_not_found"),
    ]


def test_a_stream_within_a_stream_is_its_child(sinks: Seen) -> None:
    """Both are observed, one hands on what the other gives; what is sent gets there."""

    @discreet.observe_call("boats.read")
    def inner() -> Generator[int, int, str]:
        return "ended" if (yield 1) == 5 else "lost"

    @discreet.observe_call("boats.ask")
    def outer() -> Generator[int, int, str]:
        return (yield from inner())

    stream = outer()
    assert next(stream) == 1
    with pytest.raises(StopIteration) as stopped:
        stream.send(5)
    assert stopped.value.value == "ended"
    child, parent = sinks.spans()
    assert child.parent is not None
    assert child.parent.span_id == parent.get_span_context().span_id
    assert [one["outcome"] for one in sinks.records()] == ["ok", "ok"]


def test_wrong_arguments_of_a_stream_are_raised_with_its_first_item(sinks: Seen) -> None:
    """It remains a generator function, which runs none of its code before."""
    stream = read()  # type: ignore[call-arg]  # on purpose
    with pytest.raises(TypeError, match="missing 2 required positional arguments"):
        next(stream)
    assert counts() == {"started": 1, "error": 1}


def test_the_item_that_was_given_last_is_not_kept(sinks: Seen) -> None:
    """Nor the arguments: they may be large, and a stream may wait for long."""

    class Large:
        alive = 0

        def __init__(self) -> None:
            Large.alive += 1

        def __del__(self) -> None:
            Large.alive -= 1

    @discreet.observe_call("boats.read")
    def give(argument: Large | None) -> Iterator[Large]:
        del argument
        yield Large()

    stream = give(Large())
    next(stream)
    assert Large.alive == 0
    assert list(stream) == []


def test_a_context_manager_is_a_stream_of_one_item(sinks: Seen) -> None:
    """It lasts as long as the block, in which it isn't the current call."""
    seen: list[Looked] = []

    @contextlib.contextmanager
    @discreet.observe_call("boats.read", "question")
    def lent(question: str) -> Iterator[int]:
        seen.append(look())
        yield 1
        seen.append(look())

    with lent(QUESTION) as number:
        assert (number, look()) == (1, OUTSIDE)
        assert CALLS.as_dict()["boats.read"]["active"] == 1
    assert seen == [WITHIN] * 2
    assert [one[:2] for one in told(sinks)] == [("ok", 1)]


def by_block(operation_code: str = "") -> Iterator[int]:
    with discreet.observe_call("boats.read", question=QUESTION) as call:
        if operation_code:
            call.warn(operation_code)
        yield 1
        yield 2


async def by_block_soon() -> AsyncIterator[int]:
    async with discreet.observe_call("boats.read", question=QUESTION):
        yield 1


def test_a_block_inside_a_generator_ends_with_it(sinks: Seen) -> None:
    """Exhausted, degraded, closed and dropped; async too."""

    async def main() -> list[int]:
        return [item async for item in by_block_soon()]

    assert list(by_block()) == [1, 2]
    assert list(by_block("quote_not_found")) == [1, 2]
    closed: Any = by_block()
    next(closed)
    closed.close()
    next(by_block())
    assert asyncio.run(main()) == [1]
    assert [one[0] for one in told(sinks)] == ["ok", "degraded", "cancelled", "cancelled", "ok"]
    assert look() == OUTSIDE


@pytest.mark.parametrize("order", [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)])
def test_blocks_inside_generators_may_end_in_any_order(order: tuple[int, ...], sinks: Seen) -> None:
    """None that has ended is the current call again, nor is its span."""
    before = trace.get_current_span()
    streams: list[Any] = [by_block() for _ in order]
    for stream in streams:
        next(stream)
    for number in order:
        assert list(streams[number]) == [2]
        span = trace.get_current_span()
        assert span is before or span.is_recording()
    assert trace.get_current_span() is before
    assert current() is None
    assert counts() == {"started": 3, "ok": 3}
