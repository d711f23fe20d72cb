"""The demo's fake LLM, asked by the real openai client: each way of failing is the real one."""

import importlib
import json
import sys
from collections.abc import Iterator
from types import ModuleType

import pytest

from tests.demo.conftest import DEMO

pytestmark = pytest.mark.integration

# As verbatim-core words it: the documents stand between these two.
PROMPT = "Question: {question}\n\nDocuments:\n{documents}\n\nExtract verbatim spans from each."
MODULES = ("llm_server", "worlds", "documents")


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    monkeypatch.syspath_prepend(DEMO)
    for name in MODULES:
        monkeypatch.delitem(sys.modules, name, raising=False)
    yield importlib.import_module("llm_server")
    for name in MODULES:
        sys.modules.pop(name, None)


def _ask(server: ModuleType, behaviour: str) -> str | None:
    import openai

    documents = importlib.import_module("documents")
    question = documents.QUESTIONS[2]
    document = documents.DOCUMENTS[question.document]
    keyed = {f"doc_{index}": chunk for index, chunk in enumerate(document.chunks)}
    prompt = PROMPT.format(question=question.text, documents=json.dumps(keyed))
    with server.FakeLLM(str) as llm:
        llm.expect(question, document, server.Behaviour[behaviour])
        with openai.OpenAI(base_url=llm.base_url, api_key="sk-test", max_retries=0) as client:
            completion = client.chat.completions.create(
                model="fake-llm", messages=[{"role": "user", "content": prompt}]
            )
    content: str | None = completion.choices[0].message.content
    return content


def test_a_good_reply_quotes_the_chunks(server: ModuleType) -> None:
    """The reply is a JSON object with quotes that stand in their chunks, under the keys asked."""
    assert json.loads(_ask(server, "GOOD") or "") == {
        "doc_0": [],
        "doc_1": [],
        "doc_2": ["since then no penicillin is to be given"],
    }


def test_an_altered_reply_also_quotes_what_no_chunk_says(server: ModuleType) -> None:
    """Reworded quotes stand beside the good one."""
    reply = json.loads(_ask(server, "ALTERED") or "")
    assert {key: len(quotes) for key, quotes in reply.items()} == {
        "doc_0": 1,
        "doc_1": 1,
        "doc_2": 1,
    }


def test_a_broken_reply_is_no_json_and_an_empty_one_has_no_text(server: ModuleType) -> None:
    """Both come with status 200, as from real providers."""
    with pytest.raises(json.JSONDecodeError):
        json.loads(_ask(server, "BROKEN_JSON") or "")
    assert _ask(server, "EMPTY") == ""


@pytest.mark.parametrize(
    ("behaviour", "error", "status", "retry_after"),
    [
        ("UNAUTHORIZED", "AuthenticationError", 401, None),
        ("RATE_LIMITED", "RateLimitError", 429, "1"),
        ("SERVER_ERROR", "InternalServerError", 500, None),
    ],
)
def test_an_error_is_the_clients_own_and_quotes_the_prompt(
    server: ModuleType, behaviour: str, error: str, status: int, retry_after: str | None
) -> None:
    """The openai client raises its class for the status, with customer text in its message."""
    import openai

    with pytest.raises(openai.APIStatusError) as caught:
        _ask(server, behaviour)
    raised = caught.value
    assert (type(raised).__name__, raised.status_code) == (error, status)
    assert raised.response.headers.get("retry-after") == retry_after
    assert "no penicillin is to be given" in str(raised)


def test_a_server_that_was_told_nothing_says_that_it_is_fake(server: ModuleType) -> None:
    """Whoever meets it on the network can tell that it is no LLM."""
    with server.FakeLLM(str) as llm:
        import urllib.request

        request = urllib.request.Request(
            f"{llm.base_url}/chat/completions",
            data=b'{"messages": [{"role": "user", "content": "Hello"}]}',
        )
        with urllib.request.urlopen(request) as answer:
            reply = json.loads(answer.read())
            assert answer.headers["server"].strip() == "FakeLLM/1"
    assert reply["model"] == "fake-llm"
