"""Requests of openai's client: whole records and spans, streams, retries, and nothing of what was said."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import openai
import pytest
from openai import _base_client
from openai.resources import completions, embeddings
from openai.resources.chat.completions import completions as chat
from openai.resources.responses import responses
from opentelemetry.trace import SpanKind, StatusCode

import discreet
from discreet.call_counts import CALLS
from discreet.export.ledger import LEDGER
from discreet.instrument.openai import OpenAIInstrumentor
from discreet.scope import current
from discreet.seal.types import hosts
from tests.calls.seen import CHANGING, Seen
from tests.instrument.models import CANARIES, QUESTION, REPLY, Models, models

pytestmark = pytest.mark.integration

HELD = (
    *(
        (getattr(module, prefix + name), method)
        for module, name, method in (
            (chat, "Completions", "create"),
            (chat, "Completions", "parse"),
            (responses, "Responses", "create"),
            (responses, "Responses", "parse"),
            (completions, "Completions", "create"),
            (embeddings, "Embeddings", "create"),
        )
        for prefix in ("", "Async")
    ),
    (_base_client.BaseClient, "_calculate_retry_timeout"),
)

MESSAGES: Any = [{"role": "user", "content": QUESTION}]
SPAN = {
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": "openai",
    "gen_ai.request.model": "example-1",
}
TOKENS = {"input_tokens": 31, "output_tokens": 7}
REPLIED = {
    "gen_ai.response.model": "example-1-mini",
    "gen_ai.usage.input_tokens": 31,
    "gen_ai.usage.output_tokens": 7,
}


@pytest.fixture(autouse=True)
def _instrumented(sinks: Seen) -> Iterator[None]:
    OpenAIInstrumentor().instrument()
    yield
    if OpenAIInstrumentor().is_instrumented_by_opentelemetry:
        OpenAIInstrumentor().uninstrument()


@pytest.fixture
def served() -> Iterator[Models]:
    with models() as found:
        yield found


def client(served: Models, retries: int = 0) -> openai.OpenAI:
    return openai.OpenAI(base_url=served.url, api_key="none", max_retries=retries)


def async_client(served: Models, retries: int = 0) -> openai.AsyncOpenAI:
    return openai.AsyncOpenAI(base_url=served.url, api_key="none", max_retries=retries)


def told(sinks: Seen) -> list[dict[str, Any]]:
    """All records of calls and attempts, without times."""
    lines = [json.loads(line) for line in sinks.out.getvalue().splitlines()]
    found = [line for line in lines if line.get("event") in {"call_finished", "attempt_failed"}]
    for line in found:
        for name in (*CHANGING, "duration_ms", "exception_frames"):
            line.pop(name, None)
        line["message"] = line["message"].partition(",")[0]
    return found


def finished(outcome: str, operation: str = "openai.chat", **more: Any) -> dict[str, Any]:
    return {
        "level": "INFO",
        "logger": "discreet",
        "message": f"{operation}: {outcome}",
        "event": "call_finished",
        "operation": operation,
        "outcome": outcome,
        **more,
    }


def attempt(number: int, code: str, wait: float) -> dict[str, Any]:
    return {
        "level": "INFO",
        "logger": "discreet",
        "message": f"openai.chat: attempt {number} failed",
        "event": "attempt_failed",
        "error_code": code,
        "error_class": "upstream",
        "operation": "openai.chat",
        "attempt": number,
        "wait_s": wait,
    }


def of_model(sinks: Seen) -> dict[str, Any]:
    (span,) = sinks.spans()
    assert span.kind is SpanKind.CLIENT
    attributes = dict(span.attributes or {})
    assert isinstance(attributes.pop("server.port"), int)
    assert attributes.pop("server.address") == "127.0.0.1"
    return {name: value for name, value in attributes.items() if name.startswith("gen_ai.")}


def test_a_chat_is_a_call_with_the_numbers_of_the_conventions_and_no_content(sinks: Seen, served: Models) -> None:
    """Model, limits, tokens and finish reasons; neither the question nor the reply."""
    made = client(served).chat.completions.create(model="example-1", messages=MESSAGES, max_tokens=64, temperature=0.5)
    assert made.choices[0].message.content == REPLY
    assert told(sinks) == [finished("ok", **TOKENS)]
    assert of_model(sinks) == {
        **SPAN,
        **REPLIED,
        "gen_ai.request.max_tokens": 64,
        "gen_ai.request.temperature": 0.5,
        "gen_ai.response.finish_reasons": ("stop",),
    }
    assert sinks.spans()[0].name == "openai.chat"
    assert LEDGER.as_dict()["failures"] == []


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://api.openai.com/v1", {"server.address": "api.openai.com"}),
        ("http://models.quay.example:8000/v1", {"server.address": "models.quay.example", "server.port": 8000}),
        ("http://ottilie.brandvold.example:8000/v1", {"server.port": 8000}),
    ],
    ids=["a service", "declared", "any other"],
)
def test_the_server_is_told_as_hosts_are_in_records(url: str, shown: dict[str, Any], sinks: Seen) -> None:
    """Of another one it is left out, since it may be from a customer's link."""
    # httpx or httpx2, by the client's release.
    http: Any = import_module(openai.DefaultHttpxClient.__mro__[-2].__module__.partition(".")[0])
    transport = http.MockTransport(lambda request: http.Response(503))
    before = hosts.registered_hosts()
    hosts.register_hosts(["*.quay.example"])
    try:
        with (
            openai.OpenAI(
                base_url=url, api_key="none", max_retries=0, http_client=openai.DefaultHttpxClient(transport=transport)
            ) as asked,
            pytest.raises(openai.InternalServerError),
        ):
            asked.chat.completions.create(model="example-1", messages=MESSAGES)
    finally:
        hosts.restore_hosts(before)
    (span,) = sinks.spans()
    assert {key: one for key, one in (span.attributes or {}).items() if key.startswith("server.")} == shown


def test_an_async_chat_is_the_same_call(sinks: Seen, served: Models) -> None:
    """Its wrapper is a decorator of the client's own, which isn't a coroutine function."""

    async def main() -> None:
        async with async_client(served) as asked:
            await asked.chat.completions.create(model="example-1", messages=MESSAGES)

    asyncio.run(main())
    assert told(sinks) == [finished("ok", **TOKENS)]
    assert of_model(sinks) == {**SPAN, **REPLIED, "gen_ai.response.finish_reasons": ("stop",)}


def test_a_stream_is_a_call_until_it_ends(sinks: Seen, served: Models) -> None:
    """Between its pieces the call isn't the current one; its reply is registered once it is whole."""
    with discreet.customer_text(question="x") as around:
        stream = client(served).chat.completions.create(model="example-1", messages=MESSAGES, stream=True)
        assert (told(sinks), current() is around) == ([], True)
        assert "".join(piece.choices[0].delta.content or "" for piece in stream if piece.choices).strip() == REPLY
        assert told(sinks) == [finished("ok", **TOKENS)]
        assert around.find("Thorvald repaired it") is not None
    assert of_model(sinks) == {
        **SPAN,
        **REPLIED,
        "gen_ai.request.stream": True,
        "gen_ai.response.finish_reasons": ("length",),
    }


@pytest.mark.parametrize("way", ["whole", "closed", "dropped"])
def test_an_async_stream_ends_once_whichever_way_it_ends(way: str, sinks: Seen, served: Models) -> None:
    """Read to its end it is ok; closed or dropped before that it is cancelled."""

    async def main() -> None:
        async with async_client(served) as asked:
            stream = await asked.chat.completions.create(model="example-1", messages=MESSAGES, stream=True)
            async for _ in stream:
                if way != "whole":
                    break
            await stream.close()

    asyncio.run(main())
    cancelled = finished("cancelled", exception_type="GeneratorExit")
    assert told(sinks) == [finished("ok", **TOKENS) if way == "whole" else cancelled]
    assert CALLS.as_dict()["openai.chat"]["active"] == 0


def test_a_stream_that_breaks_is_an_error_with_its_code(sinks: Seen, served: Models) -> None:
    """The service says so in the middle, with a text that quotes the reply."""
    served.steps = ["Thorvald repaired the capstan !"]
    with pytest.raises(openai.APIError):
        list(client(served).chat.completions.create(model="example-1", messages=MESSAGES, stream=True))
    (record,) = told(sinks)
    assert record == finished(
        "error",
        error_code="server_error",
        error_class="upstream",
        exception_type="openai.APIError",
        exception_code="server_error",
        provider_code="server_error",
        retryable=True,
    )


def test_each_attempt_that_is_repeated_has_one_record_with_code_and_wait(sinks: Seen, served: Models) -> None:
    """The client's own retries, at most as many as it makes; the call that succeeds in the end is ok."""
    served.steps = [429, 503, REPLY]
    client(served, retries=2).chat.completions.create(model="example-1", messages=MESSAGES)
    assert served.retry_counts == ["0", "1", "2"]
    assert told(sinks) == [
        attempt(1, "rate_limited", 0.003),
        attempt(2, "server_error", 0.003),
        finished("ok", retries=2, **TOKENS),
    ]


def test_a_request_that_fails_in_every_attempt_is_missing_at_the_end(sinks: Seen, served: Models) -> None:
    """Its last attempt isn't repeated: what became of it is in its call's record."""
    served.steps = [503]

    async def main() -> None:
        async with async_client(served, retries=1) as asked:
            await asked.chat.completions.create(model="example-1", messages=MESSAGES)

    with pytest.raises(openai.InternalServerError):
        asyncio.run(main())
    assert told(sinks) == [
        attempt(1, "server_error", 0.003),
        finished(
            "error",
            error_code="server_error",
            error_class="upstream",
            exception_type="openai.InternalServerError",
            exception_code="server_error",
            status=503,
            retryable=True,
            retries=1,
        ),
    ]
    (span,) = sinks.spans()
    assert (span.status.status_code, span.status.description) == (StatusCode.ERROR, None)
    assert [event.name for event in span.events] == ["attempt_failed"]


def test_a_reply_is_registered_in_what_is_around_the_request(sinks: Seen, served: Models) -> None:
    """As long as that lasts, and outside of any scope nowhere."""
    asked = client(served)
    asked.chat.completions.create(model="example-1", messages=MESSAGES)
    assert current() is None
    with discreet.observe_call("harbour.answer"):
        asked.chat.completions.create(model="example-1", messages=MESSAGES)
        around = current()
        assert around is not None
        assert around.places == ("reply",)
        assert around.find(REPLY) is not None
    assert around.find(REPLY) is None


def test_embeddings_and_refusals_are_calls_too(sinks: Seen, served: Models) -> None:
    """An unknown model's name isn't shown if it is no name."""
    client(served).embeddings.create(model=QUESTION, input=QUESTION)
    assert told(sinks) == [finished("ok", "openai.embeddings", input_tokens=5)]
    assert of_model(sinks) == {
        "gen_ai.operation.name": "embeddings",
        "gen_ai.provider.name": "openai",
        "gen_ai.response.model": "text-embedding-3-small",
        "gen_ai.usage.input_tokens": 5,
    }


def test_nothing_that_was_said_comes_out(sinks: Seen, served: Models) -> None:
    """At DEBUG, with errors that quote the question, and the client's own records."""
    logging.getLogger().setLevel(logging.DEBUG)
    served.steps = [REPLY, 400, 429, REPLY]
    asked = client(served, retries=1)
    asked.chat.completions.create(model="example-1", messages=MESSAGES)
    with pytest.raises(openai.BadRequestError):
        asked.chat.completions.create(model="example-1", messages=MESSAGES)
    list(asked.chat.completions.create(model="example-1", messages=MESSAGES, stream=True))
    written = sinks.out.getvalue() + "".join(span.to_json() for span in sinks.exporter.get_finished_spans())
    assert [word for word in CANARIES if word in written] == []
    assert len(sinks.spans()) == 3


def test_nothing_stays_after_it() -> None:
    """Every attribute is the very object that it was."""
    now = [vars(holder)[name] for holder, name in HELD]
    OpenAIInstrumentor().uninstrument()
    before = [vars(holder)[name] for holder, name in HELD]
    assert [one is other for one, other in zip(now, before, strict=True)] == [False] * len(HELD)
    OpenAIInstrumentor().instrument()
    OpenAIInstrumentor().uninstrument()
    assert [vars(holder)[name] is one for (holder, name), one in zip(HELD, before, strict=True)] == [True] * len(HELD)


def test_where_the_client_is_missing_nothing_happens(
    sinks: Seen, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """And it says so at DEBUG only."""
    OpenAIInstrumentor().uninstrument()
    monkeypatch.setattr("discreet.instrument.base.find_spec", lambda _: None)
    OpenAIInstrumentor().instrument()
    assert [hasattr(vars(holder)[name], "__wrapped__") for holder, name in HELD[-1:]] == [False]
    assert [record for record in caplog.records if record.levelno >= logging.WARNING] == []


def test_a_kept_method_is_observed_no_longer(sinks: Seen, served: Models) -> None:
    """Somebody may have kept what stood there meanwhile."""
    kept = client(served).chat.completions.create
    OpenAIInstrumentor().uninstrument()
    kept(model="example-1", messages=MESSAGES)
    assert told(sinks) == []
