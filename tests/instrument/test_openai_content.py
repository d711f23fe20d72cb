"""OpenTelemetry's own instrumentor of openai beside ours: what it captures of content is withheld by the guard."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import openai
import pytest
from openai.resources.chat import completions as chat
from opentelemetry.instrumentation.utils import unwrap
from wrapt import wrap_function_wrapper

from discreet.instrument.openai import OpenAIInstrumentor
from tests.forking import environment
from tests.instrument.answers import for_all
from tests.instrument.models import CANARIES, QUESTION, models

pytestmark = [pytest.mark.integration, pytest.mark.long]

PROGRAM = str(Path(__file__).parent / "programs" / "content.py")
CAPTURE = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
NEWEST = {"OTEL_SEMCONV_STABILITY_OPT_IN": "gen_ai_latest_experimental"}
TWO = ["chat example-1", "chat example-1"]
REQUESTS = [*TWO, "embeddings text-embedding-3-small", "chat missing-1", *TWO]


@pytest.fixture(params=["before", "after"])
def order(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def run(folder: Path, order: str, **variables: str) -> tuple[Any, Any]:
    with models() as served:
        served.choose = for_all
        command = [sys.executable, PROGRAM, served.url, order]
        env = environment(**variables)
        done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    bare, guarded = (json.loads((folder / f"{name}.json").read_text("utf-8")) for name in ("bare", "guarded"))
    return bare, guarded


def quoted(found: Any) -> set[str]:
    text = json.dumps(found, ensure_ascii=False)
    return {word for word in CANARIES if word in text}


def of_theirs(found: Any) -> list[Any]:
    return [one for one in found["spans"] if not one["name"].startswith("openai.")]


@pytest.mark.parametrize(
    ("variables", "where"),
    [
        ({CAPTURE: "true"}, "logs"),
        ({CAPTURE: "span_only", **NEWEST}, "spans"),
        ({CAPTURE: "event_only", **NEWEST}, "logs"),
        ({CAPTURE: "span_and_event", **NEWEST}, "spans and logs"),
    ],
    ids=["events", "newest, spans", "newest, events", "newest, both"],
)
def test_content_that_it_captures_stays_inside(
    variables: dict[str, str], where: str, order: str, tmp_path: Path
) -> None:
    """Without the guard questions and replies are on its spans or log records; behind it on none of either.

    Its spans are all there, and the numbers of their requests.
    """
    bare, guarded = run(tmp_path, order, **variables)
    for kind in where.split(" and "):
        assert quoted(bare[kind]) == set(CANARIES)
    assert quoted(guarded) == set()
    assert [one["name"] for one in of_theirs(guarded)] == REQUESTS
    assert [len(guarded[kind]) for kind in ("spans", "logs")] == [len(bare[kind]) for kind in ("spans", "logs")]
    said = {"gen_ai.request.model": "example-1", "gen_ai.response.model": "example-1-mini"}
    attributes = of_theirs(guarded)[0]["attributes"]
    assert {name: attributes.get(name) for name in said} == said
    assert attributes["gen_ai.usage.input_tokens"] == 31


@pytest.mark.parametrize("soon", [False, True], ids=["sync", "async"])
def test_a_wrapper_of_others_is_told_the_object(soon: bool) -> None:
    """Also inside of ours: instrumentors look there for the server that the request goes to."""
    told: list[Any] = []

    def wrapper(wrapped: Any, instance: Any, args: Any, kwargs: Any) -> Any:
        told.append(instance)
        return wrapped(*args, **kwargs)

    kind = "AsyncCompletions" if soon else "Completions"
    wrap_function_wrapper("openai.resources.chat.completions", f"{kind}.create", wrapper)
    theirs = vars(getattr(chat, kind))["create"]
    OpenAIInstrumentor().instrument()
    try:
        with models() as served:
            asked = asyncio.run(ask_soon(served.url)) if soon else ask(served.url)
        assert [one is asked for one in told] == [True]
    finally:
        OpenAIInstrumentor().uninstrument()
        assert vars(getattr(chat, kind))["create"] is theirs
        unwrap(getattr(chat, kind), "create")


def ask(url: str) -> Any:
    with openai.OpenAI(base_url=url, api_key="none") as client:
        asked = client.chat.completions
        asked.create(model="example-1", messages=[{"role": "user", "content": QUESTION}])
        return asked


async def ask_soon(url: str) -> Any:
    async with openai.AsyncOpenAI(base_url=url, api_key="none") as client:
        asked = client.chat.completions
        await asked.create(model="example-1", messages=[{"role": "user", "content": QUESTION}])
        return asked


def test_each_request_is_one_span_of_each(order: str, tmp_path: Path) -> None:
    """The one that came last stands around the other."""
    _, guarded = run(tmp_path, order, **{CAPTURE: "true"})
    inner, outer = ("chat", "openai.chat") if order == "before" else ("openai.chat", "chat")
    spans = {one["context"]["span_id"]: one for one in guarded["spans"]}
    chats = [one for one in guarded["spans"] if one["name"].split(" ")[0] == inner]
    assert len(chats) == 5
    assert [spans[one["parent_id"]]["name"].split(" ")[0] for one in chats] == [outer] * 5
