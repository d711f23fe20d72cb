"""Retries inside one another: the client's own, tenacity's and stamina's; each counts those that it makes."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import openai
import pytest
import stamina
import tenacity
from tenacity import AsyncRetrying, retry, stop_after_attempt, wait_fixed

import discreet
from discreet.call_counts import CALLS
from discreet.instrument.openai import OpenAIInstrumentor
from discreet.instrument.stamina import StaminaInstrumentor
from discreet.instrument.tenacity import log_attempt
from tests.calls.seen import Seen
from tests.instrument.models import CANARIES, QUESTION, REPLY, Models, models
from tests.instrument.retried import attempt, finished, told

pytestmark = pytest.mark.integration

MESSAGES: Any = [{"role": "user", "content": QUESTION}]
LIMITED = {"error_code": "rate_limited", "error_class": "upstream"}
BROKEN = {"error_code": "server_error", "error_class": "upstream"}
NO_REPLY = {
    "error_code": "server_error",
    "error_class": "upstream",
    "exception_type": "openai.InternalServerError",
    "exception_code": "server_error",
    "status": 500,
    "retryable": True,
}
BEHIND = "tenacity.RetryError < openai.InternalServerError"


@pytest.fixture(autouse=True)
def _instrumented(sinks: Seen) -> Iterator[None]:
    OpenAIInstrumentor().instrument()
    StaminaInstrumentor().instrument()
    yield
    StaminaInstrumentor().uninstrument()
    OpenAIInstrumentor().uninstrument()


@pytest.fixture
def served() -> Iterator[Models]:
    with models() as found:
        yield found


def options(stop: int) -> dict[str, Any]:
    return {
        "stop": stop_after_attempt(stop),
        "wait": wait_fixed(2),
        "sleep": lambda seconds: None,
        "before_sleep": log_attempt(),
    }


def ask(served: Models) -> str | None:
    with openai.OpenAI(base_url=served.url, api_key="none", max_retries=1) as client:
        return client.chat.completions.create(model="example-1", messages=MESSAGES).choices[0].message.content


FIRST = [
    attempt(1, 0.003, "openai.chat", **LIMITED),
    finished("error", "openai.chat", **NO_REPLY, retries=1),
]
SECOND = [
    attempt(1, 0.003, "openai.chat", **LIMITED),
    finished("ok", "openai.chat", retries=1, input_tokens=31, output_tokens=7),
]


def test_a_client_inside_of_tenacity_counts_its_own(sinks: Seen, served: Models) -> None:
    """Four requests: the client repeats after each 429, tenacity after the client has given up at 500."""
    served.steps = [429, 500, 429, REPLY]
    with discreet.observe_call("harbour.answer"):
        assert retry(**options(3))(ask)(served) == REPLY
    assert served.retry_counts == ["0", "1", "0", "1"]
    assert told(sinks) == [
        *FIRST,
        attempt(1, 2.0, "harbour.answer", **BROKEN),
        *SECOND,
        finished("ok", "harbour.answer", retries=1),
    ]
    spans = {span.name: [event.name for event in span.events] for span in sinks.spans()}
    assert spans == {"openai.chat": ["attempt_failed"], "harbour.answer": ["attempt_failed"]}
    assert [word for word in CANARIES if word in sinks.out.getvalue()] == []


def test_an_async_client_is_the_same(sinks: Seen, served: Models) -> None:
    """In one task, and with others beside it that don't count in each other."""
    served.steps = [429, 500, 429, REPLY]

    async def fetch() -> None:
        async with openai.AsyncOpenAI(base_url=served.url, api_key="none", max_retries=1) as client:
            async for step in AsyncRetrying(**{**options(3), "sleep": asyncio.sleep, "wait": wait_fixed(0)}):
                with step:
                    await client.chat.completions.create(model="example-1", messages=MESSAGES)

    async def beside() -> None:
        with discreet.observe_call("harbour.beside"):
            await asyncio.sleep(0.01)

    async def main() -> None:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(beside())
            with discreet.observe_call("harbour.answer"):
                await tasks.create_task(fetch())

    asyncio.run(main())
    assert [one for one in told(sinks) if one["operation"] != "harbour.beside"] == [
        *FIRST,
        attempt(1, 0.0, "harbour.answer", **BROKEN),
        *SECOND,
        finished("ok", "harbour.answer", retries=1),
    ]
    assert [one for one in told(sinks) if one["operation"] == "harbour.beside"] == [finished("ok", "harbour.beside")]


def test_what_no_attempt_of_any_gets_is_missing_once(sinks: Seen, served: Models) -> None:
    """stamina around tenacity around the client: eight requests, one answer that is missing."""
    served.steps = [429, 500] * 4

    @discreet.observe_call("harbour.answer")
    @stamina.retry(on=tenacity.RetryError, attempts=2, wait_initial=0, wait_jitter=0)
    @retry(**options(2))
    def answer() -> str | None:
        return ask(served)

    with pytest.raises(tenacity.RetryError):
        answer()
    assert len(served.requests) == 8
    inner = [*FIRST, attempt(1, 2.0, "harbour.answer", **BROKEN), *FIRST]
    assert told(sinks) == [
        *inner,
        attempt(1, 0.0, "harbour.answer", **BROKEN),
        *inner,
        finished(
            "error",
            "harbour.answer",
            **{**NO_REPLY, "exception_type": "tenacity.RetryError", "exception_chain": BEHIND},
            retries=3,
        ),
    ]
    counts = CALLS.as_dict()
    assert [counts[name]["errors"] for name in ("harbour.answer", "openai.chat")] == [
        {"server_error": 1},
        {"server_error": 4},
    ]
