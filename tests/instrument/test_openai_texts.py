"""Which texts of a request to a model are known, whatever it is made of, and what is done if one can't be read."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import httpx2
import openai
import pytest
from openai.types.chat import ChatCompletionMessage
from openai.types.responses import ResponseOutputMessage

from discreet.call_counts import CALLS
from discreet.instrument.openai import OpenAIInstrumentor
from discreet.instrument.openai_texts import texts_of
from discreet.scope import current
from tests.calls.seen import Seen
from tests.instrument.models import Models, models

pytestmark = pytest.mark.integration

ASKED = "Who let the Osterhoudt goats out?"
SAID = "It was Osterhoudt himself, at noon."


class Safe(str):
    """As a template's strings are."""

    __slots__ = ()

    def __str__(self) -> str:
        return "nothing"


MESSAGE = ChatCompletionMessage(role="assistant", content=SAID, reasoning_content="of goats")  # type: ignore[call-arg]
OUTPUT = ResponseOutputMessage.model_validate(
    {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "status": "completed",
        "content": [{"type": "output_text", "text": SAID, "annotations": []}],
    }
)


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ([{"role": "user", "content": ASKED}], [ASKED]),
        ([{"role": "user", "name": "Osterhoudt", "content": Safe(ASKED)}], ["Osterhoudt", ASKED]),
        ([{"role": "user", "content": [{"type": "text", "text": ASKED}]}, MESSAGE], [ASKED, SAID, "of goats"]),
        (
            [
                {"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "find", "arguments": SAID}}]},
                {"role": "assistant", "tool_calls": [{"id": "2", "custom": {"name": "find", "input": ASKED}}]},
                {"role": "tool", "tool_call_id": "1", "content": "goats"},
            ],
            [SAID, ASKED, "goats"],
        ),
        (
            [
                {"type": "file", "file": {"filename": "goats.pdf", "file_data": "data:application/pdf;base64,AAAA"}},
                {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}},
                {"type": "image_url", "image_url": {"url": "https://osterhoudt.example/goats.png", "detail": "low"}},
            ],
            ["goats.pdf", "https://osterhoudt.example/goats.png"],
        ),
        ([{"type": "reasoning", "id": "r", "summary": [{"type": "summary_text", "text": SAID}]}, OUTPUT], [SAID, SAID]),
        ([{"type": "file_search_call", "queries": [ASKED], "results": [{"text": SAID, "score": 0.5}]}], [ASKED, SAID]),
        ([[7, 11, 13], [17]], []),
        (ASKED.encode(), [ASKED.encode()]),
        (openai.omit, []),
    ],
)
def test_the_texts_of_what_a_model_is_given(given: Any, found: list[Any]) -> None:
    """The words of the protocol aren't among them, nor a picture's own data."""
    assert texts_of("messages", {"messages": given, "model": "example-1"}) == {"messages": found}


def test_other_parameters_have_text_too() -> None:
    """What is expected of the model, whom it is for, and what only this server knows."""
    found = texts_of(
        "input",
        {
            "input": ASKED,
            "instructions": "Be brief.",
            "prompt": {"id": "p_1", "variables": {"who": "Osterhoudt"}},
            "prediction": {"type": "content", "content": SAID},
            "suffix": None,
            "metadata": {"customer": "Osterhoudt"},
            "user": "Osterhoudt",
            "extra_body": {"documents": [SAID], "top_k": 7},
            "model": "example-1",
        },
    )

    assert found == {
        "input": [ASKED],
        "instructions": ["Be brief."],
        "prediction": [SAID],
        "prompt": ["Osterhoudt"],
        "metadata": ["Osterhoudt"],
        "user": ["Osterhoudt"],
        "extra_body": [SAID],
    }


def nested(depth: int) -> Any:
    value: Any = ASKED
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    "given",
    [
        (one for one in [{"role": "user", "content": ASKED}]),
        [{"role": "user", "content": SimpleNamespace(text=ASKED)}],
        nested(30),
    ],
    ids=["iterator", "object", "nested"],
)
def test_what_cannot_be_read_is_known_to_be_missing(given: Any) -> None:
    """Something among them is no text, so match mode lets nothing through."""
    assert type(texts_of("messages", {"messages": given})["others"]) is object


@pytest.fixture
def served(sinks: Seen) -> Iterator[Models]:
    logging.getLogger("openai").setLevel(logging.WARNING)
    OpenAIInstrumentor().instrument()
    with models() as found:
        yield found
    OpenAIInstrumentor().uninstrument()


def test_they_are_known_while_the_request_runs(served: Models) -> None:
    """To whoever logs in it, such as a hook of its transport."""
    places: list[Any] = []

    def hook(_: httpx2.Request) -> None:
        scope = current()
        places.append(None if scope is None else (scope.find("Osterhoudt himself"), scope._index.partial))

    def ask(messages: Any) -> None:
        transport = httpx2.Client(event_hooks={"request": [hook]})
        with openai.OpenAI(base_url=served.url, api_key="none", max_retries=0, http_client=transport) as client:
            client.chat.completions.create(model="example-1", messages=messages)

    ask([MESSAGE])
    ask(one for one in [{"role": "user", "content": ASKED}])

    (found, partial), (missing, all_but) = places
    assert found.place.startswith("messages[0]")
    assert (partial, missing, all_but) == (False, None, True)


def test_arguments_are_refused_as_before(served: Models) -> None:
    """At the call, not when it is waited for; and what is waited for has its name."""
    client = openai.AsyncOpenAI(base_url=served.url, api_key="none")
    with pytest.raises(TypeError, match="Missing required arguments"):
        client.chat.completions.create()  # type: ignore[call-overload]
    waited_for: Any = client.chat.completions.create(model="example-1", messages=[])
    assert waited_for.__qualname__ == "AsyncCompletions.create"
    waited_for.close()
    with pytest.warns(RuntimeWarning) as warned:
        client.chat.completions.create(model="example-1", messages=[])  # type: ignore[unused-coroutine]
    assert [str(one.message) for one in warned] == ["coroutine 'AsyncCompletions.create' was never awaited"]
    assert CALLS.as_dict()["openai.chat"]["started"] == 0


class Held:
    def __init__(self, stream: Any) -> None:
        self.stream = stream


@pytest.mark.parametrize("asynchronous", [False, True])
def test_a_stream_in_another_tools_hands_is_a_call_until_it_ends(
    asynchronous: bool, served: Models, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever of the two was there first."""
    OpenAIInstrumentor().uninstrument()
    from openai.resources.chat.completions import completions as chat

    create, create_async = chat.Completions.create, chat.AsyncCompletions.create

    def other(*args: Any, **kwargs: Any) -> Held:
        return Held(create(*args, **kwargs))

    async def other_async(*args: Any, **kwargs: Any) -> Held:
        return Held(await create_async(*args, **kwargs))

    monkeypatch.setattr(chat.Completions, "create", other)
    monkeypatch.setattr(chat.AsyncCompletions, "create", other_async)
    OpenAIInstrumentor().instrument()
    messages: Any = [{"role": "user", "content": ASKED}]
    seen: list[tuple[int, int]] = []

    def see() -> None:
        counts = CALLS.as_dict()["openai.chat"]
        seen.append((counts["active"], counts["ok"]))

    async def run() -> None:
        async with openai.AsyncOpenAI(base_url=served.url, api_key="none") as client:
            held: Any = await client.chat.completions.create(model="example-1", messages=messages, stream=True)
            see()
            _ = [one async for one in held.stream]
            see()

    if asynchronous:
        asyncio.run(run())
    else:
        with openai.OpenAI(base_url=served.url, api_key="none") as client:
            held: Any = client.chat.completions.create(model="example-1", messages=messages, stream=True)
            see()
            _ = list(held.stream)
            see()
    OpenAIInstrumentor().uninstrument()
    assert seen == [(1, 0), (0, 1)]
