"""A generator that is observed does what the bare one does, whatever is sent, thrown, closed and dropped."""

from __future__ import annotations

import gc
import types
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from opentelemetry import trace

import discreet
from discreet.call_counts import CALLS, OUTCOMES
from discreet.scope import current

KINDS: dict[str, type[BaseException]] = {
    "lookup": LookupError,
    "left": GeneratorExit,
    "interrupted": KeyboardInterrupt,
    "stop": StopIteration,
    "stop_soon": StopAsyncIteration,
}


@dataclass
class Give:
    """Yield a value; what is thrown there is raised, another is raised for it, it is gone past or ends all."""

    value: int
    then: str
    pause: bool


@dataclass
class Within:
    """Give what another script gives."""

    script: list[Any]


@dataclass
class End:
    """Return, or raise."""

    how: str


@dataclass
class Side:
    """One of the two that are compared: what it gave to whoever drives it, and what its code saw."""

    stream: Any = None
    seen: list[Any] = field(default_factory=list)


def react(step: Give, error: BaseException, seen: list[Any]) -> bool:
    """Return whether the script ends there."""
    seen.append((type(error), error.args, type(error.__context__)))
    if step.then == "raise":
        raise error
    if step.then == "other":
        raise OSError(step.value)
    return step.then == "end"


def play(script: list[Any], seen: list[Any]) -> Generator[int, Any, str]:
    for step in script:
        if isinstance(step, Give):
            try:
                seen.append((yield step.value))
            except BaseException as error:
                if react(step, error, seen):
                    break
        elif isinstance(step, Within):
            seen.append((yield from play(step.script, seen)))
        elif step.how == "raise":
            raise OSError(step.how)
        else:
            return step.how
    return "played"


@types.coroutine
def pause() -> Generator[None, None, None]:
    yield


async def play_soon(script: list[Any], seen: list[Any]) -> AsyncGenerator[int, Any]:
    for step in script:
        if isinstance(step, Give):
            if step.pause:
                await pause()
            try:
                seen.append((yield step.value))
            except BaseException as error:
                if react(step, error, seen):
                    break
            finally:
                if step.pause:
                    await pause()
        elif isinstance(step, Within):
            async for value in play_soon(step.script, seen):
                yield value
        elif step.how == "raise":
            raise OSError(step.how)
        else:
            return


def awaited(step: Awaitable[Any]) -> Any:
    waiting = step.__await__()
    while True:
        try:
            next(waiting)
        except StopIteration as stop:
            return stop.value


GIVE = st.builds(Give, st.integers(0, 9), st.sampled_from(["raise", "raise", "other", "go_on", "end"]), st.booleans())
SCRIPTS = st.recursive(
    st.lists(GIVE | st.builds(End, st.sampled_from(["raise", "return"])), max_size=4),
    lambda inner: st.lists(GIVE | st.builds(Within, inner), max_size=4),
    max_leaves=6,
)


def outcome(do: Callable[[], Any]) -> tuple[Any, ...]:
    try:
        return ("gave", do())
    except BaseException as error:
        return ("raised", type(error), error.args, type(error.__cause__), type(error.__context__))


class Protocol(RuleBasedStateMachine):
    """The bare generator and the observed one get the same; each answer and all that their code saw is compared."""

    soon = False

    @initialize(script=SCRIPTS)
    def begin(self, script: list[Any]) -> None:
        CALLS.begin_anew(forget=True)
        bare = play_soon if self.soon else play
        observed: Any = discreet.observe_call("boats.play")(bare)
        self.bare, self.observed = Side(), Side()
        self.bare.stream = bare(script, self.bare.seen)  # type: ignore[operator]  # either of two
        self.observed.stream = observed(script, self.observed.seen)
        self.expected = dict.fromkeys(("started", "active", "missing", *OUTCOMES), 0)

    def both(self, closes: bool, act: Callable[[Any], Any]) -> None:
        bare, observed = (
            outcome(lambda side=side: awaited(act(side.stream)) if self.soon else act(side.stream))  # type: ignore[misc]
            for side in (self.bare, self.observed)
        )
        assert observed == bare
        self.expect(closes, bare)

    def expect(self, closes: bool, answer: tuple[Any, ...]) -> None:
        stream = self.bare.stream
        frame = stream.ag_frame if self.soon else stream.gi_frame
        if self.expected["active"] and frame is None:
            ended = closes or answer[1] in (GeneratorExit, KeyboardInterrupt)
            normal = answer[:2] == ("raised", StopAsyncIteration if self.soon else StopIteration)
            self.expected["active"] = 0
            how = "cancelled" if ended else "ok" if normal else "error"
            if closes and answer[0] == "raised" and answer[1] not in (GeneratorExit, StopIteration, StopAsyncIteration):
                how = "cancelled" if answer[1] is KeyboardInterrupt else "error"
            self.expected[how] = 1

    def starts(self) -> None:
        stream = self.bare.stream
        frame = stream.ag_frame if self.soon else stream.gi_frame
        if frame is not None and not self.expected["started"]:
            self.expected["started"] = self.expected["active"] = 1

    @rule()
    def go_on(self) -> None:
        self.starts()
        self.both(closes=False, act=lambda stream: anext(stream) if self.soon else next(stream))

    @rule(value=st.none() | st.integers(10, 19))
    def send(self, value: int | None) -> None:
        if value is None:
            self.starts()
        self.both(closes=False, act=lambda stream: stream.asend(value) if self.soon else stream.send(value))

    @rule(kind=st.sampled_from(sorted(KINDS)))
    def throw(self, kind: str) -> None:
        def act(stream: Any) -> Any:
            error = KINDS[kind](kind)
            return stream.athrow(error) if self.soon else stream.throw(error)

        self.both(closes=kind == "left", act=act)

    @rule()
    def close(self) -> None:
        self.both(closes=True, act=lambda stream: stream.aclose() if self.soon else stream.close())

    @invariant()
    def all_is_the_same(self) -> None:
        assert self.observed.seen == self.bare.seen
        assert current() is None
        assert not trace.get_current_span().get_span_context().is_valid
        counts = CALLS.as_dict()["boats.play"]
        assert {name: counts[name] for name in self.expected} == self.expected

    def teardown(self) -> None:
        """Drop what is left: it has ended then, exactly once."""
        self.bare.stream = self.observed.stream = None
        if CALLS.as_dict()["boats.play"]["active"]:
            # Its own code didn't let itself be closed, and what is left holds on to itself.
            gc.collect()
        counts = CALLS.as_dict()["boats.play"]
        assert counts["active"] == 0
        assert counts["started"] == sum(counts[name] for name in (*OUTCOMES, "missing"))


class ProtocolSoon(Protocol):
    """The same with async generators, whose every step is awaited."""

    soon = True


# Whoever drops a generator that doesn't let itself be closed is told so by Python, bare or not.
dropped = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
TestProtocol = dropped(Protocol.TestCase)
TestProtocol.settings = settings(max_examples=80, stateful_step_count=10, deadline=None)
TestProtocolSoon = dropped(ProtocolSoon.TestCase)
TestProtocolSoon.settings = settings(max_examples=80, stateful_step_count=10, deadline=None)
