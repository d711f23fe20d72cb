"""The mechanism that the instrumentors share: functions of every kind, replaced and put back."""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import json
import logging
from collections.abc import Callable, Collection
from typing import Any

import pytest
from opentelemetry import trace

from discreet.call_counts import CALLS
from discreet.errors import InvalidInputError
from discreet.export.ledger import LEDGER
from discreet.instrument.base import LibraryInstrumentor, Target
from discreet.instrument.observed import Observed, Switch, observed
from discreet.scope import current
from tests.calls.seen import QUESTION, Seen
from tests.instrument import library

HERE = "tests.instrument.library"
NAME = f"{__name__}.Boats"


class Boats(LibraryInstrumentor):
    package = "tests"
    dependencies = ()
    wanted: Collection[Target] = ()

    def targets(self) -> Collection[Target]:
        return self.wanted


@pytest.fixture
def instrument(request: pytest.FixtureRequest) -> Callable[..., Boats]:
    def begin(*targets: Target) -> Boats:
        boats = Boats()
        boats.wanted = targets
        boats.instrument()
        request.addfinalizer(lambda: boats.is_instrumented_by_opentelemetry and boats.uninstrument())
        return boats

    library.SEEN.clear()
    return begin


def target(name: str, *, operation: str = "boats.find", **how: Any) -> Target:
    return Target(where=f"{HERE}:{name}", how=Observed(operation=operation, texts=("question",), **how))


def outcomes() -> dict[str, int]:
    return {name: count for name, count in CALLS.as_dict()["boats.find"].items() if count and name != "errors"}


def test_a_function_is_called_as_before(sinks: Seen, instrument: Callable[..., Boats]) -> None:
    """It keeps its name, signature and result, its own error comes out, and its warnings count."""
    instrument(target("find", items=lambda result: result["hits"]))
    assert library.find(QUESTION, top=5) == {"hits": 5, "warnings": ["quote_not_found"]}
    assert library.find(question=QUESTION)["hits"] == 3
    with pytest.raises(ValueError, match="ferry") as caught:
        library.find(QUESTION, top=-1)
    assert caught.value.args == (QUESTION,)
    assert (library.find.__name__, library.find.__doc__, list(inspect.signature(library.find).parameters)) == (
        "find",
        "Find boats.",
        ["question", "top"],
    )
    assert library.SEEN == [("question",)] * 3
    assert current() is None
    assert outcomes() == {"started": 3, "ok": 1, "degraded": 1, "error": 1, "warnings": {"quote_not_found": 1}}
    assert [(one["outcome"], one.get("items")) for one in sinks.records()] == [
        ("degraded", 5),
        ("ok", 3),
        ("error", None),
    ]
    assert QUESTION not in sinks.out.getvalue()


def test_wrong_arguments_are_the_functions_own_matter(sinks: Seen, instrument: Callable[..., Boats]) -> None:
    """It raises what it would raise without us."""
    instrument(target("find"))
    with pytest.raises(TypeError, match="missing 1 required positional argument"):
        library.find()  # type: ignore[call-arg]  # on purpose
    assert outcomes() == {"started": 1, "error": 1}


def test_a_coroutine_function_stays_one(sinks: Seen, instrument: Callable[..., Boats]) -> None:
    """Its call ends when it was awaited."""
    instrument(target("find_soon"))
    assert inspect.iscoroutinefunction(library.find_soon)
    assert asyncio.run(library.find_soon(QUESTION)) == {"hits": 3}
    assert outcomes() == {"started": 1, "ok": 1}


def test_a_generator_is_its_call_until_it_ends(sinks: Seen, instrument: Callable[..., Boats]) -> None:
    """Its texts and its span are current while its own code runs only; what is sent and thrown reaches it."""
    instrument(target("stream"))
    assert inspect.isgeneratorfunction(library.stream)
    generator: Any = library.stream(QUESTION)
    assert CALLS.as_dict()["boats.find"]["started"] == 0
    outside = []
    outside.append((next(generator), current(), trace.get_current_span().is_recording()))
    outside.append((generator.send("left"), current(), trace.get_current_span().is_recording()))
    assert CALLS.as_dict()["boats.find"]["active"] == 1
    assert generator.throw(KeyError()) == "caught"
    with pytest.raises(StopIteration) as stopped:
        next(generator)
    assert outside == [("one", None, False), ("two, left", None, False)]
    assert stopped.value.value == "done"
    assert library.SEEN == [("question",)] * 2
    assert outcomes() == {"started": 1, "ok": 1}


def test_an_async_generator_is_its_call_until_it_ends(sinks: Seen, instrument: Callable[..., Boats]) -> None:
    """As a generator."""
    instrument(target("stream_soon"))
    assert inspect.isasyncgenfunction(library.stream_soon)

    async def main() -> list[Any]:
        generator: Any = library.stream_soon(QUESTION)
        found = [await anext(generator), await generator.asend("left"), current(), await generator.athrow(KeyError())]
        return [*found, [item async for item in generator]]

    assert asyncio.run(main()) == ["one", "two, left", None, "caught", []]
    assert library.SEEN == [("question",)] * 2
    assert outcomes() == {"started": 1, "ok": 1}


@pytest.mark.parametrize("elsewhere", [True, False])
def test_a_stream_that_is_left_is_a_cancelled_call(
    elsewhere: bool, sinks: Seen, instrument: Callable[..., Boats], caplog: pytest.LogCaptureFixture
) -> None:
    """Also where it is closed in another context."""
    instrument(target("stream"))
    generator: Any = library.stream(QUESTION)
    contextvars.Context().run(next, generator)
    if elsewhere:
        contextvars.Context().run(generator.close)
    else:
        generator.close()
    assert outcomes() == {"started": 1, "cancelled": 1}
    assert [one["outcome"] for one in sinks.records()] == ["cancelled"]
    assert [record.name for record in caplog.records if record.name.startswith("opentelemetry")] == []


def test_two_streams_at_once_keep_apart(sinks: Seen, instrument: Callable[..., Boats]) -> None:
    """Neither is the other's parent."""
    instrument(target("stream"))
    first, second = library.stream(QUESTION), library.stream(QUESTION)
    assert list(zip(first, second, strict=True)) == [("one", "one"), ("two, None", "two, None")]
    spans = sinks.spans()
    assert [span.parent for span in spans] == [None, None]
    assert len({span.get_span_context().trace_id for span in spans}) == 2
    assert outcomes() == {"started": 2, "ok": 2}


@pytest.mark.parametrize("name", ["Boats.own", "Boats.of_class", "Boats.alone", "Ships.own", "find", "stream"])
def test_everything_is_put_back_by_identity(name: str, sinks: Seen, instrument: Callable[..., Boats]) -> None:
    """Methods of every kind, and inherited ones, which are the base's again."""
    *outer, attribute = name.split(".")
    holder: Any = getattr(library, outer[0]) if outer else library
    before = dict(vars(holder))
    boats = instrument(target(name))
    assert vars(holder)[attribute] is not before.get(attribute)
    if outer:
        assert getattr(holder(), attribute)(question=QUESTION) in {QUESTION, "Boats"}
        assert outcomes() == {"started": 1, "ok": 1}
    boats.uninstrument()
    after = dict(vars(holder))
    assert before.keys() == after.keys()
    assert all(before[key] is after[key] for key in before)


def test_who_kept_or_wrapped_a_wrapper_has_the_function_itself(sinks: Seen, instrument: Callable[..., Boats]) -> None:
    """What stands there of somebody else's stays, and nothing is observed any longer."""
    original = library.find
    boats = instrument(target("find"))
    kept = library.find
    other = library.find = lambda *args, **kwargs: kept(*args, **kwargs)  # type: ignore[assignment]
    try:
        boats.uninstrument()
        assert library.find is other
        assert library.find(QUESTION)["hits"] == 3
        assert [*observed(library.stream, target("stream").how, switch=_off())(QUESTION)] == ["one", "two, None"]
    finally:
        library.find = original
    assert CALLS.as_dict()["boats.find"]["started"] == 0


def _off() -> Switch:
    switch = Switch()
    switch.on = False
    return switch


def test_instrumenting_twice_changes_nothing(
    sinks: Seen, instrument: Callable[..., Boats], caplog: pytest.LogCaptureFixture
) -> None:
    """A call counts once; OpenTelemetry's base says that it was asked twice."""
    instrument(target("find"))
    once = library.find
    Boats().instrument()
    assert library.find is once
    library.find(QUESTION)
    assert outcomes() == {"started": 1, "ok": 1}
    assert [record.levelname for record in caplog.records if "already" in record.getMessage()] == ["WARNING"]


def test_a_function_that_is_not_there_is_counted(sinks: Seen, instrument: Callable[..., Boats]) -> None:
    """The others are observed all the same; which ones aren't is said."""
    instrument(
        target("find_all"), target("Boats.none"), target("find"), Target(where="tests.gone:a", how=target("").how)
    )
    library.find(QUESTION)
    assert outcomes() == {"started": 1, "ok": 1}
    assert LEDGER.failures == {("instrument", "AttributeError"): 2, ("instrument", "ModuleNotFoundError"): 1}
    lines = [json.loads(line) for line in sinks.out.getvalue().splitlines()]
    assert [(line["message"], line["operation"]) for line in lines if line["level"] == "WARNING"] == [
        (f"{NAME}: an operation is not observed, its function is not where it should be", "boats.find")
    ] * 3


def test_a_release_that_it_was_not_written_for_is_left_alone(
    sinks: Seen, instrument: Callable[..., Boats], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the question is left to us, as `opentelemetry-instrument` does."""
    monkeypatch.setattr(Boats, "dependencies", ("orjson >= 99",))
    before = library.find
    boats = Boats()
    boats.wanted = (target("find"),)
    boats.instrument(skip_dep_check=True)
    assert library.find is before
    boats.uninstrument()
    lines = [json.loads(line)["message"] for line in sinks.out.getvalue().splitlines()]
    assert f"{NAME} observes nothing: the library has a release that it was not written for" in lines


def test_wrong_items_and_texts_are_counted(sinks: Seen, instrument: Callable[..., Boats]) -> None:
    """A result of another shape takes nothing from the call."""
    instrument(target("find", items=lambda result: result["boats"], find_texts=lambda given: given["boats"]))
    assert library.find(QUESTION)["hits"] == 3
    assert LEDGER.failures == {("instrument", "KeyError"): 1, ("observe_call", "KeyError"): 1}
    assert library.SEEN == [("question",)]


@pytest.mark.parametrize(
    ("how", "param"),
    [(Observed(operation="Boats find"), "operation"), (Observed(operation="a.b", texts=("top", "who")), "texts[1]")],
)
def test_wrong_names_are_refused(how: Observed, param: str) -> None:
    """A wrong parameter would mean that a text is never registered."""
    with pytest.raises(InvalidInputError) as caught:
        observed(library.find, how)
    assert caught.value.param == param


def test_a_library_that_is_missing_is_left_out(
    sinks: Seen, instrument: Callable[..., Boats], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Quietly: an environment has few of the libraries that could be instrumented."""
    monkeypatch.setattr(Boats, "package", "no_such_library")
    caplog.set_level(logging.DEBUG)
    boats = instrument(target("find"))
    assert boats.is_instrumented_by_opentelemetry
    library.find(QUESTION)
    assert sinks.records() == []
    assert [record.levelname for record in caplog.records if record.name == "discreet"] == ["DEBUG"]
