"""The ways to observe a call: with blocks, functions, coroutine functions; and what is wrong with one."""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import json
import logging
import types
from collections.abc import Iterator
from typing import Any

import pytest
from opentelemetry import context as otel_context
from opentelemetry import trace

import discreet
from discreet.call_counts import CALLS, CallCounts
from discreet.errors import InvalidInputError
from discreet.export.ledger import LEDGER
from discreet.scope import current
from discreet.scoped import look
from tests.calls.seen import QUESTION, Seen

AT_THE_TOP = "boats.top"


def outcomes() -> dict[str, dict[str, int]]:
    """The ends of all operations, without those that didn't happen."""
    names = ("started", "active", "missing", "ok", "degraded", "error", "cancelled")
    return {
        operation: {name: counts[name] for name in names if counts[name]}
        for operation, counts in CALLS.as_dict().items()
    }


def test_a_function_is_observed_by_its_name_and_parameters(sinks: Seen) -> None:
    """It keeps its name and signature; its texts are registered while it runs, by position, name and default."""
    places: list[tuple[str, ...]] = []

    @discreet.observe_call("boats.find", "question", "chunks")
    def find(question: str, chunks: list[str] | None = None, *, top: int = 3) -> dict[str, Any]:
        """Find boats."""
        scope = current()
        places.append(scope.places if scope else ())
        return {"warnings": ["quote_not_found"] if top > 3 else []}

    assert find(QUESTION) == {"warnings": []}
    assert find(question=QUESTION, chunks=["a", "b"], top=4) == {"warnings": ["quote_not_found"]}
    assert (find.__name__, find.__doc__, list(inspect.signature(find).parameters)) == (
        "find",
        "Find boats.",
        ["question", "chunks", "top"],
    )
    assert places == [("question",), ("question", "chunks[0]", "chunks[1]")]
    assert current() is None
    assert outcomes() == {"boats.find": {"started": 2, "ok": 1, "degraded": 1}}


def test_a_coroutine_function_stays_one(sinks: Seen) -> None:
    """A task that is cancelled is a cancelled call."""

    @discreet.observe_call("boats.find", "question")
    async def find(question: str, seconds: float = 0) -> str:
        await asyncio.sleep(seconds)
        return "none"

    async def main() -> str:
        task = asyncio.create_task(find(QUESTION, 60))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        async with discreet.observe_call("boats.ask") as call:
            return call.result(await find(QUESTION))

    assert inspect.iscoroutinefunction(find)
    assert asyncio.run(main()) == "none"
    assert outcomes() == {
        "boats.find": {"started": 2, "ok": 1, "cancelled": 1},
        "boats.ask": {"started": 1, "ok": 1},
    }


def test_tasks_of_one_call_are_calls_inside_it(sinks: Seen) -> None:
    """Each has its own span, whose parent is the call's."""

    @discreet.observe_call("boats.find")
    async def find(code: str | None) -> dict[str, Any]:
        await asyncio.sleep(0)
        return {"warnings": [code] if code else []}

    @discreet.observe_call("boats.ask")
    async def ask() -> None:
        await asyncio.gather(find(None), find("quote_not_found"))

    asyncio.run(ask())
    *inner, outer = sinks.spans()
    assert [span.parent and span.parent.span_id for span in inner] == [outer.get_span_context().span_id] * 2
    assert outcomes() == {
        "boats.find": {"started": 2, "ok": 1, "degraded": 1},
        "boats.ask": {"started": 1, "degraded": 1},
    }


def test_one_observer_may_be_entered_again_while_it_is_open(sinks: Seen) -> None:
    """By other threads, or by a function that calls itself."""
    observed = discreet.observe_call("boats.find")
    with observed as outer, observed as inner:
        inner.warn("quote_not_found")
        assert outer is not inner
    assert outcomes() == {"boats.find": {"started": 2, "degraded": 2}}


def test_after_a_call_the_context_is_as_before(sinks: Seen) -> None:
    """The current span, and the scope."""
    before = otel_context.get_current()
    with discreet.observe_call("boats.find", question=QUESTION):
        assert trace.get_current_span().is_recording()
    assert (otel_context.get_current(), current()) == (before, None)


def test_a_call_may_be_left_in_another_context(sinks: Seen, caplog: pytest.LogCaptureFixture) -> None:
    """As a generator's is that is finished elsewhere; nothing complains."""

    def stream() -> Iterator[int]:
        with discreet.observe_call("boats.stream", question=QUESTION):
            yield 1
            yield 2

    generator = stream()
    contextvars.Context().run(next, generator)
    contextvars.Context().run(generator.close)
    assert outcomes() == {"boats.stream": {"started": 1, "cancelled": 1}}
    assert [record.name for record in caplog.records if record.name.startswith("opentelemetry")] == []


def test_a_generator_that_is_awaited_is_refused_where_it_is_decorated() -> None:
    """What it yields isn't for whoever awaits it: there are coroutine functions for that."""

    @types.coroutine
    def old() -> Iterator[int]:
        yield 1

    with pytest.raises(InvalidInputError) as caught:
        discreet.observe_call("boats.stream")(old)
    assert caught.value.param == "function"


@pytest.mark.parametrize(
    "name", ["", "Boats.find", "boats find", "boats.", "a.b.c.d.e", "boats-find", "x" * 33, QUESTION]
)
def test_a_decorator_refuses_an_operation_of_a_wrong_form(name: str) -> None:
    """And doesn't quote it."""
    with pytest.raises(InvalidInputError) as caught:
        discreet.observe_call(name)(len)
    assert caught.value.param == "operation"
    assert not name or name not in str(caught.value)


def test_a_decorator_refuses_a_parameter_that_the_function_has_not() -> None:
    """A wrong name would mean that a text is never registered."""
    with pytest.raises(InvalidInputError) as caught:
        discreet.observe_call("boats.find", "question")(len)
    assert caught.value.param == "parameters[0]"


@pytest.mark.parametrize("name", [QUESTION, "Boats.find", None, 7])
def test_a_running_call_of_a_wrong_name_goes_on_as_undeclared(name: Any, sinks: Seen) -> None:
    """Nothing is raised into it."""
    with discreet.observe_call(name, question=QUESTION) as call:
        call.result("none")
    assert [one["operation"] for one in sinks.records()] == ["undeclared"]
    assert [span.name for span in sinks.spans()] == ["undeclared"]
    assert sinks.points("discreet.calls") == {("undeclared", "ok"): 1}
    assert sinks.points("discreet.undeclared.names") == {("operation",): 1}


def test_an_operation_that_nobodys_code_says_is_undeclared(sinks: Seen) -> None:
    """A customer's word may have the form of a name; the same word in the program's own code tells nothing."""
    for name in [word.lower() for word in ("JACKDAW", "Where_is.The_key", "tool.Jackdaw")]:
        with discreet.observe_call(name, question=QUESTION):
            pass
        with pytest.raises(InvalidInputError, match="literal"):
            discreet.observe_call(name)(len)
    with discreet.observe_call("heron", question="heron"):
        pass
    assert [one["operation"] for one in sinks.records()] == [*["undeclared"] * 3, "heron"]
    assert sinks.points("discreet.undeclared.names") == {("operation",): 3}


def test_an_operation_may_come_from_a_constant_a_wrapper_or_be_public(sinks: Seen) -> None:
    """A public one is looked for in the texts of the call."""

    def wrapped(*names: Any) -> None:
        for name in names:
            with discreet.observe_call(name, question="Where is the bittern bay?"):
                pass

    wrapped("boats.wrapped", AT_THE_TOP)
    wrapped(*[discreet.public(word.lower()) for word in ("Tool.Finch", "Bittern_bay")])
    found = [one["operation"] for one in sinks.records()]
    assert found == ["boats.wrapped", "boats.top", "tool.finch", "undeclared"]


def test_operations_are_bounded(sinks: Seen) -> None:
    """A program that makes names up doesn't fill a store with time series."""
    counts = CallCounts()
    for number in range(300):
        counts.start(f"op{number}").end("ok")
    snapshot = counts.as_dict()
    assert len(snapshot) == 257
    assert (snapshot["other"]["started"], snapshot["other"]["ok"]) == (44, 44)


def test_what_is_no_text_is_counted_and_the_other_texts_are_registered(sinks: Seen) -> None:
    """The call goes on. Nothing was withheld; a record names the text, once for each parameter."""
    for chunks in ([QUESTION, object()], [object()]):
        with discreet.observe_call("boats.find", question=QUESTION, chunks=chunks):
            scope = current()
            places = scope.places if scope else ()
    assert places == ("question",)
    assert LEDGER.failures == {("call text", "Exception"): 2}
    assert sinks.points("discreet.guard.failures") == {}
    assert outcomes() == {"boats.find": {"started": 2, "ok": 2}}
    assert told(sinks) == [("boats.find: text chunks[1] could not be read", "WARNING", "boats.find", "chunks[1]")]


def test_what_does_not_name_a_text_is_not_told_as_its_name(sinks: Seen) -> None:
    """Whoever makes names up when the program runs may make them of a customer's words."""
    with discreet.observe_call("boats.find", **{"Who asks, and what for, and of whom": "a"}):
        pass
    with discreet.observe_call("boats.find", kari_nordmann_of_the_island_of_the_seven_seas_and_more=5):
        pass
    assert told(sinks) == [
        ("boats.find: text texts could not be read", "WARNING", "boats.find", "texts"),
        ("boats.find: a text could not be read", "WARNING", "boats.find", None),
    ]


def told(sinks: Seen) -> list[tuple[Any, ...]]:
    return [
        (one["message"], one["level"], one["operation"], one.get("param"))
        for one in map(json.loads, sinks.out.getvalue().splitlines())
        if one.get("event") == "text_unknown"
    ]


def test_a_name_of_a_parameter_means_nothing_to_a_with_block(sinks: Seen) -> None:
    """It is counted as well: that text is not registered, so match mode lets nothing through."""
    with discreet.observe_call("boats.find", "question", chunks=[QUESTION]):
        assert look() is None
    assert LEDGER.failures == {("call text", "Exception"): 1}
    assert told(sinks) == [("boats.find: text parameters could not be read", "WARNING", "boats.find", "parameters")]
    assert outcomes() == {"boats.find": {"started": 1, "ok": 1}}


def test_wrong_arguments_are_the_functions_own_matter(sinks: Seen) -> None:
    """It raises the TypeError that it would raise without us."""

    @discreet.observe_call("boats.find", "question")
    def find(question: str) -> None: ...

    with pytest.raises(TypeError, match="missing 1 required positional argument"):
        find()  # type: ignore[call-arg]  # on purpose
    assert outcomes() == {"boats.find": {"started": 1, "error": 1}}


def test_a_handler_that_raises_takes_nothing_from_the_call(sinks: Seen) -> None:
    """Neither its result nor its exception."""

    class Broken(logging.Filter):
        def filter(self, record: logging.LogRecord) -> bool:
            raise OSError(QUESTION)

    broken = Broken()
    logger = logging.getLogger("discreet")
    logger.addFilter(broken)
    try:
        with discreet.observe_call("boats.find") as call:
            call.result(1)
        failure = ValueError()
        with pytest.raises(ValueError) as caught, discreet.observe_call("boats.find"):
            raise failure
    finally:
        logger.removeFilter(broken)
    assert caught.value is failure
    assert outcomes() == {"boats.find": {"started": 2, "ok": 1, "error": 1}}
    assert LEDGER.failures == {("handler call", "OSError"): 2}
