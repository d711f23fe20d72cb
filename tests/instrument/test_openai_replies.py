"""What a model replies is known, of how many pieces and parts it ever is; and only that."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import openai
import pytest
from openai.types.chat import ChatCompletion, ChatCompletionChunk
from openai.types.completion import Completion
from openai.types.responses import Response, ResponseFunctionToolCall, ResponseOutputMessage

import discreet
from discreet.call import Call
from discreet.calls import begun
from discreet.export.ledger import LEDGER
from discreet.instrument.openai_streams import watch_stream
from discreet.instrument.openai_watch import Kind, Watch
from discreet.instrument.streams import Stretches
from discreet.scope import current
from tests.calls.seen import Seen

pytestmark = pytest.mark.integration

KIND = Kind("openai.chat", "chat", "messages")
ABOUT = {"id": "c", "created": 1, "model": "example-1"}


def known(take: Callable[[Watch], None], *words: str) -> list[str]:
    """Return those words that are known after a reply."""
    with discreet.customer_text(question="a quiet word"):
        call = begun(KIND.operation, {}, None)
        watch = Watch(call, KIND)
        take(watch)
        call.end()
        scope = current()
        assert scope is not None
        return [word for word in words if scope.find(word) is not None]


def chunk(index: int = 0, **delta: Any) -> ChatCompletionChunk:
    choices = [{"index": index, "delta": delta, "finish_reason": None}]
    return ChatCompletionChunk.model_validate({**ABOUT, "object": "chat.completion.chunk", "choices": choices})


def tool(index: int, arguments: str) -> ChatCompletionChunk:
    return chunk(tool_calls=[{"index": index, "function": {"arguments": arguments}}])


def delta(kind: str, output: int, text: str) -> Any:
    return SimpleNamespace(type=f"response.{kind}.delta", output_index=output, content_index=0, delta=text)


@pytest.mark.parametrize(
    ("pieces", "words"),
    [
        (
            [chunk(content="Hil"), chunk(1, content="Brock"), chunk(content="dred sang"), chunk(1, content="way sang")],
            ["Hildred", "Brockway"],
        ),
        (
            [chunk(content="Hildred"), tool(0, '{"who": "Brock'), tool(1, '{"who": "Ames'), tool(0, 'way"}')],
            ["Hildred", "Brockway"],
        ),
        ([chunk(content="Hildred"), chunk(reasoning_content="Brockway"), chunk(refusal="Amesbury")], ["Hildred"]),
        (
            [delta("output_text", 0, "Hil"), delta("reasoning_text", 1, "Brock"), delta("output_text", 0, "dred")],
            ["Hildred", "Brock"],
        ),
    ],
    ids=["choices", "tools", "kinds", "outputs"],
)
def test_the_pieces_of_a_stream_are_put_together_by_what_they_belong_to(
    pieces: list[Any], words: list[str], sinks: Seen
) -> None:
    """They come in any order, and a name may be cut."""

    def take(watch: Watch) -> None:
        for one in pieces:
            watch.piece(one)
        watch.told()

    assert known(take, *words, "assistant") == words


def test_all_of_a_whole_reply_is_known_but_for_the_words_of_the_protocol(sinks: Seen) -> None:
    """Each choice, tool, thought and title by itself."""
    first = {
        "role": "assistant",
        "content": "Hildred",
        "reasoning_content": "of herons",
        "tool_calls": [{"id": "call_heron", "type": "custom", "custom": {"name": "searching", "input": "Brockway"}}],
    }
    choices = [
        {"index": 0, "finish_reason": "stop", "message": first},
        {"index": 1, "finish_reason": "length", "message": {"role": "assistant", "content": "Amesbury"}},
    ]
    chat = ChatCompletion.model_validate({**ABOUT, "object": "chat.completion", "choices": choices})
    plain = Completion.model_validate(
        {**ABOUT, "object": "text_completion", "choices": [{"index": 0, "finish_reason": "stop", "text": "Hildred"}]}
    )
    output = [
        ResponseFunctionToolCall(
            arguments='{"who": "Brockway"}', call_id="call_heron", name="searching", type="function_call"
        ),
        ResponseOutputMessage.model_validate(
            {
                "id": "m",
                "type": "message",
                "role": "assistant",
                "status": "completed",
                "content": [
                    {"type": "output_text", "text": "Hildred", "annotations": []},
                    {"type": "refusal", "refusal": "Amesbury"},
                ],
            }
        ),
    ]
    words = ("Hildred", "of herons", "Brockway", "Amesbury", "assistant", "stop", "length", "searching", "call_heron")

    assert known(lambda watch: watch.answered(chat), *words) == ["Hildred", "of herons", "Brockway", "Amesbury"]
    assert known(lambda watch: watch.answered(plain), *words) == ["Hildred"]
    response = Response.model_construct(output=output, model="example-1")
    assert known(lambda watch: watch.answered(response), *words) == ["Hildred", "Brockway", "Amesbury"]
    assert LEDGER.as_dict()["failures"] == []


@pytest.mark.parametrize(
    "value", [None, 7, "Hildred", {"choices": "Hildred"}, SimpleNamespace(choices=7, output="Hildred")]
)
def test_a_reply_of_another_shape_raises_nothing(value: Any, sinks: Seen) -> None:
    """The client has it, whatever it is."""
    known(lambda watch: (watch.answered(value), watch.piece(value), watch.told()) and None)


def test_the_model_of_a_stream_is_looked_for_once(sinks: Seen, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of its pieces says it, and there are thousands."""
    shown: list[dict[str, Any]] = []
    monkeypatch.setattr(Call, "_tell_span", lambda _, attributes: shown.append(attributes))
    known(lambda watch: [watch.piece(chunk(content=word)) for word in ("One", "two", "three")] and None)
    assert shown == [{"gen_ai.response.model": "example-1"}]


class NextStream(openai.Stream[Any]):
    """As a release may make it in which nothing has the names of before."""

    def __init__(self) -> None:
        """Has none of them."""


def test_a_stream_of_another_make_is_the_applications_as_it_is(sinks: Seen) -> None:
    """The call ends with the request, and one failure is counted."""
    call = begun(KIND.operation, {}, None)
    assert not watch_stream(NextStream(), call, Watch(call, KIND), Stretches())
    call.end()
    assert LEDGER.failures == {("instrument", "AttributeError"): 1}


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ({"n": 3, "dimensions": 256}, {"gen_ai.request.choice.count": 3, "gen_ai.embeddings.dimension.count": 256}),
        ({"n": 1}, {}),
        ({"n": "a quiet word", "dimensions": openai.NOT_GIVEN}, {}),
    ],
    ids=["several", "one", "neither"],
)
def test_how_many_choices_and_dimensions_were_asked_for_is_on_the_span(
    given: dict[str, Any], shown: dict[str, int], sinks: Seen
) -> None:
    """By the names of the GenAI conventions."""
    known(lambda watch: watch.asked((None,), given))
    attributes = sinks.spans()[0].attributes or {}
    names = ("gen_ai.request.choice.count", "gen_ai.embeddings.dimension.count")
    assert {name: attributes[name] for name in names if name in attributes} == shown
