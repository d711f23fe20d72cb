"""stamina's retries: one record of each attempt that is repeated, beside the application's own hooks."""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import httpx
import pytest
import stamina
from opentelemetry.instrumentation import dependencies
from stamina import _core
from stamina._config import CONFIG
from stamina.instrumentation import (
    LoggingOnRetryHook,
    RetryDetails,
    StructlogOnRetryHook,
    get_on_retry_hooks,
    set_on_retry_hooks,
)

import discreet
from discreet.call_counts import CALLS
from discreet.export.ledger import LEDGER
from discreet.instrument.stamina import StaminaInstrumentor, _hooked
from tests.calls.seen import Seen
from tests.instrument.retried import CANARIES, QUESTION, SLOW, TOO_SLOW, attempt, finished, told

pytestmark = pytest.mark.integration

MAKE = _core._make_before_sleep


@pytest.fixture(autouse=True)
def _instrumented(sinks: Seen, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    # No waits, and none that are left to chance.
    monkeypatch.setattr("tenacity.nap.time.sleep", lambda seconds: None)
    monkeypatch.setattr(_core, "_smart_sleep", _no_sleep)
    set_on_retry_hooks(None)
    StaminaInstrumentor().instrument()
    yield
    if StaminaInstrumentor().is_instrumented_by_opentelemetry:
        StaminaInstrumentor().uninstrument()
    set_on_retry_hooks(None)


async def _no_sleep(seconds: float) -> None:
    await asyncio.sleep(0)


OPTIONS: Any = {"on": httpx.ReadTimeout, "attempts": 3, "wait_initial": 0.25, "wait_jitter": 0}


class Server:
    """Fails so many times, then answers."""

    def __init__(self, failures: int) -> None:
        self.failures = failures

    def fetch(self, question: str, *, of: str = "") -> str:
        self.failures -= 1
        if self.failures >= 0:
            raise httpx.ReadTimeout(question)
        return question


def decorated(server: Server) -> str:
    return stamina.retry(**OPTIONS)(server.fetch)(QUESTION, of=QUESTION)


def called(server: Server) -> str:
    more = {name: value for name, value in OPTIONS.items() if name != "on"}
    return stamina.RetryingCaller(**more).on(OPTIONS["on"])(server.fetch, QUESTION, of=QUESTION)


def iterated(server: Server) -> str:
    found = ""
    for step in stamina.retry_context(**OPTIONS):
        with step:
            found = server.fetch(QUESTION)
    return found


def generated(server: Server) -> str:
    @stamina.retry(**OPTIONS)
    def fetch(question: str) -> Iterator[str]:
        yield server.fetch(question)

    return "".join(fetch(QUESTION))


def decorated_coroutine(server: Server) -> str:
    @stamina.retry(**OPTIONS)
    async def fetch(question: str) -> str:
        await asyncio.sleep(0)
        return server.fetch(question)

    return asyncio.run(fetch(QUESTION))


def async_iterated(server: Server) -> str:
    async def fetch() -> str:
        found = ""
        async for step in stamina.retry_context(**OPTIONS):
            with step:
                found = server.fetch(QUESTION)
        return found

    return asyncio.run(fetch())


def async_generated(server: Server) -> str:
    @stamina.retry(**OPTIONS)
    async def fetch(question: str) -> AsyncIterator[str]:
        yield server.fetch(question)

    async def main() -> str:
        return "".join([piece async for piece in fetch(QUESTION)])

    return asyncio.run(main())


FORMS: list[Callable[[Server], str]] = [
    decorated,
    called,
    iterated,
    generated,
    decorated_coroutine,
    async_iterated,
    async_generated,
]


@pytest.mark.parametrize("form", FORMS)
def test_each_attempt_that_is_repeated_has_one_record_in_every_form(form: Callable[[Server], str], sinks: Seen) -> None:
    """With code and wait, and the operation of the call in which it is made; none outside of one."""
    with discreet.observe_call("harbour.fetch"):
        assert form(Server(2)) == QUESTION
    form(Server(1))
    assert told(sinks) == [
        attempt(1, 0.25, **SLOW),
        attempt(2, 0.5, **SLOW),
        finished("ok", retries=2),
        attempt(1, 0.25, None, **SLOW),
    ]
    assert LEDGER.as_dict()["failures"] == []
    written = sinks.out.getvalue() + "".join(span.to_json() for span in sinks.exporter.get_finished_spans())
    assert [word for word in CANARIES if word in written] == []


@pytest.mark.parametrize("form", FORMS)
def test_what_fails_in_each_attempt_is_an_error_with_its_code(form: Callable[[Server], str], sinks: Seen) -> None:
    """stamina raises the last exception itself."""
    with pytest.raises(httpx.ReadTimeout), discreet.observe_call("harbour.fetch"):
        form(Server(3))
    assert told(sinks) == [attempt(1, 0.25, **SLOW), attempt(2, 0.5, **SLOW), finished("error", **TOO_SLOW, retries=2)]


def test_hooks_of_the_application_are_called_whenever_they_are_set(sinks: Seen) -> None:
    """After ours, with the same details; one that raises is the application's affair, and the attempt is told of."""
    seen: list[int] = []

    def note(details: RetryDetails) -> None:
        seen.append(details.retry_num)
        if details.retry_num == 2:
            raise KeyError(QUESTION)

    set_on_retry_hooks([note])
    with pytest.raises(KeyError), discreet.observe_call("harbour.fetch"):
        decorated(Server(3))
    assert (seen, get_on_retry_hooks()) == ([1, 2], (note,))
    assert told(sinks) == [
        attempt(1, 0.25, **SLOW),
        attempt(2, 0.5, **SLOW),
        finished(
            "error",
            exception_type="KeyError",
            retries=2,
        ),
    ]


@pytest.mark.parametrize("own", [None, [LoggingOnRetryHook], [StructlogOnRetryHook]], ids=["default", "log", "struct"])
def test_hooks_of_staminas_that_log_are_left_out_meanwhile(
    own: Any, sinks: Seen, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    """They log arguments and the exception's text; afterwards they are as they were."""
    set_on_retry_hooks(own)
    decorated(Server(1))
    assert [one.name for one in caplog.records if one.name == "stamina"] == []
    assert capfd.readouterr().out == ""
    assert [one["event"] for one in told(sinks)] == ["attempt_failed"]
    hooks = get_on_retry_hooks()
    assert [hook.__module__ for hook in hooks][-1].startswith("stamina.instrumentation")
    StaminaInstrumentor().uninstrument()
    assert get_on_retry_hooks() is hooks
    decorated(Server(1))
    assert len(told(sinks)) == 1


def test_nothing_stays_after_it(sinks: Seen) -> None:
    """The very function is back; stamina's configuration was never touched; a loop that still runs tells nothing."""
    assert MAKE is not _core._make_before_sleep
    assert (CONFIG._on_retry, CONFIG._get_on_retry) == (None, CONFIG._init_on_first_retry)
    set_on_retry_hooks([])
    steps = iter(stamina.retry_context(**OPTIONS))
    with next(steps):
        raise httpx.ReadTimeout(QUESTION)
    StaminaInstrumentor().uninstrument()
    next(steps)
    assert (_core._make_before_sleep is MAKE, told(sinks)) == (True, [])


def test_it_looks_at_what_stamina_tells_a_hook_and_raises_nothing(sinks: Seen) -> None:
    """A release that tells less costs a record, which is counted."""
    config = type("Config", (), {"on_retry": (), "lock": 7})()
    given: list[Any] = []

    def keep(name: str, config: Any, *others: Any) -> None:
        given.append(config)

    _hooked(StaminaInstrumentor()._switch)(keep)("name", config)
    (hook,) = given[0].on_retry
    hook(object())
    assert (given[0].lock, [one["where"] for one in LEDGER.as_dict()["failures"]]) == (7, ["instrument"])


@pytest.mark.parametrize("skip_dep_check", [True, False])
def test_where_it_is_missing_nothing_happens(
    skip_dep_check: bool, sinks: Seen, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Also as `opentelemetry-instrument` asks for it, which skips the look for the library's release."""
    StaminaInstrumentor().uninstrument()

    def no_distribution(name: str) -> Any:
        # Its own name for it: with older releases it isn't the standard library's.
        raise dependencies.PackageNotFoundError(name)

    monkeypatch.setattr("opentelemetry.instrumentation.dependencies.version", no_distribution)
    monkeypatch.setitem(sys.modules, "stamina", None)
    StaminaInstrumentor().instrument(skip_dep_check=skip_dep_check)
    assert _core._make_before_sleep is MAKE
    assert [one for one in caplog.records if one.levelno >= logging.WARNING and skip_dep_check] == []
    assert (CALLS.as_dict(), LEDGER.failures) == ({}, {})
