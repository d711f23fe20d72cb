"""Calls inside calls: in tasks that are cancelled or fail, entered again, and in threads with and without a context."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from opentelemetry import context as otel_context
from opentelemetry import trace

import discreet
from discreet.call_counts import CALLS
from discreet.scope import carry, current
from tests.calls.seen import QUESTION, Seen


@discreet.observe_call("boats.wait", "question")
async def wait(question: str, seconds: float = 60) -> None:
    await asyncio.sleep(seconds)


@discreet.observe_call("boats.find")
def find(code: str | None = None) -> dict[str, Any]:
    return {"warnings": [code] if code else []}


def outcomes(sinks: Seen) -> Counter[tuple[str, str]]:
    return Counter((one["operation"], one["outcome"]) for one in sinks.records())


def parents(sinks: Seen) -> dict[str, set[str | None]]:
    """The names of the spans, and those of their parents."""
    spans = sinks.spans()
    names = {span.get_span_context().span_id: span.name for span in spans}
    found: dict[str, set[str | None]] = {}
    for span in spans:
        found.setdefault(span.name, set()).add(names[span.parent.span_id] if span.parent else None)
    return found


def balanced() -> bool:
    return all(counts["active"] == counts["missing"] == 0 for counts in CALLS.as_dict().values())


def test_a_call_that_times_out_is_cancelled_and_the_one_around_it_an_error(sinks: Seen) -> None:
    """`asyncio.timeout` cancels what is inside and raises TimeoutError itself."""

    async def main() -> None:
        async with discreet.observe_call("boats.ask"), asyncio.timeout(0):
            await wait(QUESTION)

    with pytest.raises(TimeoutError):
        asyncio.run(main())
    assert outcomes(sinks) == {("boats.wait", "cancelled"): 1, ("boats.ask", "error"): 1}
    assert [one.get("exception_type") for one in sinks.records()] == [
        "asyncio.exceptions.CancelledError",
        "TimeoutError",
    ]


def test_a_time_out_that_is_handled_leaves_the_call_as_it_is(sinks: Seen) -> None:
    """What was cancelled inside of it had no result, which the outer call may do without."""

    async def main() -> None:
        async with discreet.observe_call("boats.ask"):
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(wait(QUESTION), 0.001)

    asyncio.run(main())
    assert outcomes(sinks) == {("boats.wait", "cancelled"): 1, ("boats.ask", "ok"): 1}


def test_a_task_group_that_fails_cancels_the_calls_of_its_other_tasks(sinks: Seen) -> None:
    """One has failed, those that waited were cancelled, and the call around them raised a group."""

    @discreet.observe_call("boats.break")
    async def fail() -> None:
        await asyncio.sleep(0)
        raise LookupError(QUESTION)

    async def main() -> None:
        async with discreet.observe_call("boats.ask"), asyncio.TaskGroup() as group:
            for _ in range(3):
                group.create_task(wait(QUESTION))
            group.create_task(fail())

    with pytest.raises(ExceptionGroup):
        asyncio.run(main())
    assert outcomes(sinks) == {
        ("boats.wait", "cancelled"): 3,
        ("boats.break", "error"): 1,
        ("boats.ask", "error"): 1,
    }
    assert parents(sinks) == {"boats.wait": {"boats.ask"}, "boats.break": {"boats.ask"}, "boats.ask": {None}}
    assert QUESTION not in sinks.out.getvalue()


@pytest.mark.integration
def test_calls_in_scopes_of_anyio_are_cancelled_with_them(sinks: Seen) -> None:
    """`move_on_after` goes on, a task group that is cancelled ends well."""
    import anyio
    import anyio.lowlevel

    async def main() -> None:
        async with discreet.observe_call("boats.ask"):
            with anyio.move_on_after(0):
                await wait(QUESTION)
            async with anyio.create_task_group() as group:
                group.start_soon(wait, QUESTION)
                await anyio.lowlevel.checkpoint()
                group.cancel_scope.cancel()

    anyio.run(main)
    assert outcomes(sinks) == {("boats.wait", "cancelled"): 2, ("boats.ask", "ok"): 1}
    assert balanced()


def test_a_call_that_is_degraded_degrades_all_around_it_once(sinks: Seen) -> None:
    """Through every level, whatever the number of its calls; each has it once."""
    with (
        discreet.observe_call("boats.ask"),
        discreet.observe_call("boats.plan"),
        discreet.observe_call("boats.sort"),
    ):
        for code in (None, "quote_not_found", "quote_not_found", None):
            find(code)
    assert outcomes(sinks) == {
        ("boats.find", "ok"): 2,
        ("boats.find", "degraded"): 2,
        ("boats.sort", "degraded"): 1,
        ("boats.plan", "degraded"): 1,
        ("boats.ask", "degraded"): 1,
    }
    assert sinks.points("discreet.calls.warnings") == {
        ("boats.find", "quote_not_found"): 2,
        **{(f"boats.{name}", "quote_not_found"): 1 for name in ("sort", "plan", "ask")},
    }


def test_a_function_that_calls_itself_is_a_call_each_time(sinks: Seen) -> None:
    """By a decorator, and by one observer that is open already."""
    again = discreet.observe_call("boats.again")

    @discreet.observe_call("boats.down")
    def down(depth: int) -> None:
        with again:
            if depth:
                down(depth - 1)

    down(9)
    assert outcomes(sinks) == {("boats.down", "ok"): 10, ("boats.again", "ok"): 10}
    assert parents(sinks) == {"boats.down": {None, "boats.again"}, "boats.again": {"boats.down"}}


def test_one_observer_is_entered_by_many_tasks_at_once(sinks: Seen) -> None:
    """Each leaves its own call, in whatever order; the codes tell which."""
    observed = discreet.observe_call("boats.find", question=QUESTION)
    codes = ("quote_not_found", "chunk_truncated", "reranker_fallback", "template_fallback")
    left: dict[str, set[str]] = {}

    async def work(number: int) -> None:
        async with observed as call:
            await asyncio.sleep(0.001 * (number * 7 % 5))
            call.warn(codes[number % 4], number + 1)
            async with observed as inner:
                await asyncio.sleep(0)
                inner.result(None, items=number)
            scope = current()
            assert scope is not None
            assert scope.places == ("question",)
            left.setdefault(codes[number % 4], set()).add(str(number + 1))

    async def main() -> None:
        await asyncio.gather(*(work(number) for number in range(40)))

    asyncio.run(main())
    degraded = [one for one in sinks.records() if one["outcome"] == "degraded"]
    assert {(one["warning_code"], str(one["warnings"])) for one in degraded} == {
        (code, number) for code, numbers in left.items() for number in numbers
    }
    assert outcomes(sinks) == {("boats.find", "degraded"): 40, ("boats.find", "ok"): 40}
    assert current() is None
    assert balanced()


def run_here(work: Callable[[], None]) -> None:
    contextvars.copy_context().run(work)


def run_soon(work: Callable[[], None]) -> None:
    async def main() -> None:
        await asyncio.to_thread(work)

    asyncio.run(main())


def run_in_pool(work: Callable[[], None]) -> None:
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda context: context.run(work), [contextvars.copy_context()]))


def run_in_loop(work: Callable[[], None]) -> None:
    async def main() -> None:
        await asyncio.get_running_loop().run_in_executor(None, contextvars.copy_context().run, work)

    asyncio.run(main())


@pytest.mark.parametrize("run", [run_here, run_soon, run_in_pool, run_in_loop])
def test_what_has_a_copy_of_the_context_is_inside_the_call(run: Callable[[Any], None], sinks: Seen) -> None:
    """Its calls are children: by their spans, by their warnings, and by the texts that they know."""
    places: list[tuple[str, ...]] = []

    def work() -> None:
        scope = current()
        places.append(scope.places if scope else ())
        find("quote_not_found")

    with discreet.observe_call("boats.ask", question=QUESTION):
        run(work)
    assert places == [("question",)]
    assert parents(sinks) == {"boats.find": {"boats.ask"}, "boats.ask": {None}}
    assert outcomes(sinks) == {("boats.find", "degraded"): 1, ("boats.ask", "degraded"): 1}
    assert balanced()


def test_many_threads_of_one_call_lose_no_warning(sinks: Seen) -> None:
    """Each of their calls degrades it; it has every code."""
    codes = ("quote_not_found", "chunk_truncated", "reranker_fallback", "template_fallback", "span_text_not_found")
    with discreet.observe_call("boats.ask"), ThreadPoolExecutor(8) as pool:
        jobs = [pool.submit(contextvars.copy_context().run, find, codes[number % 5]) for number in range(200)]
    assert [job.exception() for job in jobs] == [None] * 200
    (outer,) = [one for one in sinks.records() if one["operation"] == "boats.ask"]
    assert (outer["outcome"], outer["warnings"]) == ("degraded", 5)
    assert outcomes(sinks) == {("boats.find", "degraded"): 200, ("boats.ask", "degraded"): 1}


def test_a_pool_that_is_handed_nothing_has_no_call(sinks: Seen) -> None:
    """Its calls stand alone, with no text of ours, and the thread is as before after each."""
    places: list[object] = []

    def work() -> None:
        places.append(current())
        find("quote_not_found")
        places.append((current(), trace.get_current_span().get_span_context().is_valid))

    with ThreadPoolExecutor(1) as pool, discreet.observe_call("boats.ask", question=QUESTION):
        pool.submit(work).result()
        pool.submit(work).result()
    assert places == [None, (None, False)] * 2
    assert parents(sinks) == {"boats.find": {None}, "boats.ask": {None}}
    assert outcomes(sinks) == {("boats.find", "degraded"): 2, ("boats.ask", "ok"): 1}


def test_a_pool_that_is_handed_the_span_alone_has_its_parent_and_no_text(sinks: Seen) -> None:
    """As OpenTelemetry's instrumentation of threads does it: the trace is whole, and `carry` does the rest."""
    places: list[tuple[str, ...]] = []

    def work(code: str) -> None:
        scope = current()
        places.append(scope.places if scope else ())
        find(code)

    def hand_on(function: Callable[[str], None]) -> Callable[[str], None]:
        context = otel_context.get_current()

        def handed(code: str) -> None:
            token = otel_context.attach(context)
            try:
                function(code)
            finally:
                otel_context.detach(token)

        return handed

    with discreet.observe_call("boats.ask", question=QUESTION), ThreadPoolExecutor(1) as pool:
        pool.submit(hand_on(work), "quote_not_found").result()
        pool.submit(hand_on(carry(work)), "chunk_truncated").result()
        pool.submit(hand_on(work), "quote_not_found").result()
    assert places == [(), ("question",), ()]
    assert parents(sinks) == {"boats.find": {"boats.ask"}, "boats.ask": {None}}
    (outer,) = [one for one in sinks.records() if one["operation"] == "boats.ask"]
    assert (outer["outcome"], outer["warning_code"], outer["warnings"]) == ("degraded", "chunk_truncated", 1)


def test_a_call_may_be_ended_by_another_thread_than_began_it(sinks: Seen) -> None:
    """As a server's is whose request ends in a callback: its texts are known nowhere any more."""
    observed = discreet.observe_call("boats.find", question=QUESTION)
    # Where it began its span stays the current one, as nobody else can change that.
    context = contextvars.copy_context()
    context.run(observed.__enter__)
    thread = threading.Thread(target=lambda: observed.__exit__(None, None, None))
    thread.start()
    thread.join()
    assert context.run(current) is None
    assert outcomes(sinks) == {("boats.find", "ok"): 1}
