"""What is noticed of verbatim's failures is let go of with the call, and never raised into it."""

from __future__ import annotations

import asyncio
import gc
import weakref
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest

import discreet
from discreet.export.ledger import LEDGER
from discreet.instrument.verbatim_models import embedding, loaded
from discreet.instrument.verbatim_parts import completed, streamed, tallied, unread
from discreet.instrument.verbatim_rerank import reranked
from discreet.instrument.verbatim_swallowed import TALLY
from tests.calls.seen import Seen

pytestmark = pytest.mark.long

Raised = discreet.UpstreamError


class Kept:
    """Raises, and remembers weakly what."""

    def __init__(self) -> None:
        self.errors: list[weakref.ref[Raised]] = []

    def fail(self, *_: object, **__: object) -> Any:
        raise self._made()

    def _made(self) -> Raised:
        # Not where it is raised: that frame is in the traceback, and would hold it.
        error = Raised("No answer", service="database")
        self.errors.append(weakref.ref(error))
        return error

    @property
    def alive(self) -> int:
        return sum(error() is not None for error in self.errors)


@pytest.fixture(autouse=True)
def _without_collector() -> Iterator[None]:
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def swallowing(part: Callable[..., Any]) -> Callable[..., Any]:
    """Return what does as 0.2.8: a call of its own, in which a part fails and is gone on without."""

    def run(*args: Any) -> Any:
        try:
            return part(*args)
        except Raised as error:
            tally = TALLY.get()
            assert tally is not None
            tally.item_failed(error)
            tally.fell_back("template_fallback", error)

    return tallied(count=lambda _: 2)(run)


def observed(function: Callable[..., Any], *args: Any) -> None:
    try:
        with discreet.observe_call("verbatim.extract"):
            function(*args)
    except Raised:
        pass


async def stream(kept: Kept) -> AsyncIterator[dict[str, str]]:
    yield {"type": "error"}
    kept.fail()


async def read(kept: Kept) -> None:
    try:
        async for _ in streamed(stream)(kept):
            tally = TALLY.get()
            assert tally is None
    except Raised:
        pass


class Rag:
    """Reranks as 0.2.8 does."""

    def __init__(self, kept: Kept) -> None:
        self.reranker = self
        self.rerank = kept.fail

    def apply(self) -> str:
        try:
            self.reranker.rerank()
        except Raised:
            return "as it was"
        return "reranked"


@pytest.mark.parametrize(
    "run",
    [
        lambda kept: observed(tallied()(kept.fail)),
        lambda kept: observed(tallied()(tallied(name=lambda _: ("timeout", "upstream"))(kept.fail))),
        lambda kept: observed(swallowing(kept.fail)),
        lambda kept: observed(swallowing(tallied()(kept.fail))),
        lambda kept: observed(tallied()(swallowing(completed(kept.fail)))),
        lambda kept: observed(tallied()(lambda: reranked(Rag.apply)(Rag(kept)))),
        lambda kept: asyncio.run(read(kept)),
    ],
    ids=["raised", "named", "swallowed", "swallowed in a call", "of an LLM", "of a reranker", "of a stream"],
)
def test_an_exception_is_gone_when_its_call_is(sinks: Seen, run: Callable[[Kept], None]) -> None:
    """Its traceback has the frames of the call, and these the customer's texts: they wait for no garbage collector."""
    kept = Kept()
    run(kept)
    assert (len(kept.errors), kept.alive) == (1, 0)


class Odd:
    """A call's own object that can't be asked."""

    def __getattribute__(self, name: str) -> Any:
        raise RuntimeError(name)


def extract(documents: object) -> list[Any]:
    from discreet.instrument.verbatim_swallowed import UNREAD

    found = UNREAD.get()
    assert found is not None
    found.append(ValueError())
    return []


def load(self: object, model_path: str) -> None:
    """Loads nothing."""


def tell(self: object) -> str:
    import logging

    logging.getLogger(tell.__module__).info("Loaded")
    return "loaded"


@pytest.mark.parametrize(
    ("run", "value"),
    [
        (lambda: tallied()(lambda: unread(extract)(5))(), []),
        (lambda: loaded(load)(object(), "example-1"), None),
        (lambda: embedding(tell)(Odd()), "loaded"),
        (lambda: tallied(after=lambda _: 1 / 0)(lambda: "found")(), "found"),  # type: ignore[arg-type, return-value]
    ],
    ids=["a number of documents", "no device", "an odd owner", "a look"],
)
def test_what_looks_on_raises_nothing_into_the_library(
    sinks: Seen, run: Callable[[], object], value: object, caplog: pytest.LogCaptureFixture
) -> None:
    """The library's value comes out, and one failure is counted."""
    caplog.set_level("INFO")
    assert run() == value
    assert {place: count for (place, _), count in LEDGER.failures.items()} == {"instrument": 1}
