"""Uses a release of verbatim that says itself what is wrong, in each way that it has, and tells what its calls leave.

Writes one line for each: its name, what was raised, and the records and spans of its calls.
"""

from __future__ import annotations

import asyncio
import json
import socket
import sys
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import verbatim_core
from verbatim_core.extractors import LLMSpanExtractor, ModelSpanExtractor
from verbatim_core.llm_client import LLMClient
from verbatim_core.transform import Transformer, default
from verbatim_rag.core import JinaReranker, VerbatimRAG
from verbatim_rag.streaming import StreamingRAG

from discreet.export.ledger import LEDGER
from discreet.instrument.verbatim import VerbatimInstrumentor
from tests.calls.seen import seen
from tests.instrument.models import HANG_UP, NEVER, Models, Step, models
from tests.instrument.verbatim_texts import CHUNK, QUESTION, REFUSAL, refused
from tests.instrument.whole import ended_in

SHORT = "Eilif leaked."


def free_port() -> str:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{free.getsockname()[1]}/v1"


class OldClient:
    def extract_relevant_spans(self, question: str, chunk: str) -> list[str]:
        raise RuntimeError(f"{question} {chunk}")


class OldExtractor:
    """Has only the method that extractors had before."""

    def extract_spans(self, question: str, chunks: list[str]) -> dict[str, list[str]]:
        return {chunk: [chunk[:9], QUESTION, REFUSAL] for chunk in chunks}


def client(url: str, timeout: float = 5) -> LLMClient:
    return LLMClient("example-1", url, timeout=timeout)


def ask(url: str, chunks: list[Any] | None = None, timeout: float = 5, **options: Any) -> None:
    asked = client(url, timeout)
    with asked.client:
        default(asked, **options).transform(QUESTION, [{"content": CHUNK}] if chunks is None else chunks)


async def ask_soon(url: str) -> None:
    asked = client(url)
    async with asked.async_client:
        await default(asked).transform_async(QUESTION, [{"content": CHUNK}])


def own_client(url: str) -> None:
    default(OldClient()).transform(QUESTION, [{"content": CHUNK}])


def two_of_one_id(url: str) -> None:
    ask(url, [{"id": QUESTION, "content": CHUNK}, {"id": QUESTION, "content": CHUNK}])


def no_such_device(url: str) -> None:
    ModelSpanExtractor.from_pretrained("example-org/small-1", device=QUESTION)


def no_package(url: str) -> None:
    ModelSpanExtractor.from_pretrained("example-org/small-1", needs="a_library_of_gigabytes")


def no_such_model(url: str) -> None:
    ModelSpanExtractor.from_pretrained(f"/nowhere/{QUESTION}")


def found(question: str) -> list[Any]:
    return [{"content": SHORT}]


def model(**options: Any) -> Transformer:
    return Transformer(ModelSpanExtractor("example-org/small-1"), **options)


def no_client(url: str) -> None:
    VerbatimRAG(found, model(templates="structured")).query(QUESTION)


def reranked(url: str) -> None:
    VerbatimRAG(found, model(), JinaReranker(url)).query(QUESTION)


def streamed(url: str) -> None:
    """A bug of somebody's, which the last event tells of."""

    def broken(question: str) -> list[Any]:
        raise LookupError(question)

    async def main() -> None:
        async for _ in StreamingRAG(VerbatimRAG(broken, model())).stream_query(QUESTION):
            pass

    asyncio.run(main())


def streamed_soon(url: str) -> None:
    """The stream that raises."""

    async def main() -> None:
        asked = client(url)
        rag = VerbatimRAG(found, Transformer(LLMSpanExtractor(asked)))
        async with asked.async_client:
            async for _ in rag.stream(QUESTION):
                pass

    asyncio.run(main())


def deprecated(url: str) -> None:
    asked = client(url)
    with asked.client:
        LLMSpanExtractor(asked).extract_spans(QUESTION, [SimpleNamespace(text=CHUNK), SimpleNamespace(text=SHORT)])


def loaded(url: str) -> None:
    ModelSpanExtractor.from_pretrained("example-org/small-1")


Act = Callable[[str], Any]
FINE = '["The third barrel"]'
ACTS: dict[str, tuple[Step | list[Step], Act]] = {
    "InvalidInputError/invalid_value": (FINE, two_of_one_id),
    "InvalidInputError/invalid_value/kind": (FINE, lambda url: ask(url, [CHUNK])),
    "InvalidInputError/invalid_value/structured": (FINE, lambda url: ask(url, templates="structured")),
    "InvalidInputError/invalid_value/quoting": (FINE, lambda url: ask(url, templates="quoting")),
    "InvalidInputError/missing_field": (FINE, lambda url: ask(url, [{"title": CHUNK}])),
    "ConfigurationError/invalid_value": (FINE, no_such_device),
    "ConfigurationError/missing_dependency": (FINE, no_package),
    "ConfigurationError/model_not_loaded": (FINE, no_such_model),
    "ConfigurationError/missing_embedder": (FINE, lambda url: ask(url, templates="question_specific")),
    "ConfigurationError/missing_llm_client": (FINE, no_client),
    "ConfigurationError/authentication_failed": (refused(401), ask),
    "ConfigurationError/authentication_failed/reranker": (refused(401), reranked),
    "ConfigurationError/authentication_failed/template": (
        refused(401),
        lambda url: model(templates="contextual", llm_client=client(url)).transform(QUESTION, found(QUESTION)),
    ),
    "ConfigurationError/permission_denied": (refused(403), ask),
    "ConfigurationError/model_not_found": (refused(404), ask),
    "ConfigurationError/quota_exceeded": (refused(429, code="insufficient_quota"), ask),
    "UpstreamError/timeout": (NEVER, lambda url: ask(url, timeout=0.05)),
    "UpstreamError/connection_failed": (FINE, lambda url: ask(free_port())),
    "UpstreamError/connection_failed/hang up": (HANG_UP, ask),
    "UpstreamError/rate_limited": (refused(429, headers={"retry-after": "2"}), ask),
    "UpstreamError/rate_limited/soon": (refused(429), lambda url: asyncio.run(ask_soon(url))),
    "UpstreamError/server_error": (refused(500), ask),
    "UpstreamError/server_error/stream": (refused(503), streamed_soon),
    "UpstreamError/request_rejected": (refused(400), ask),
    "UpstreamError/invalid_reply": (REFUSAL, ask),
    "UpstreamError/invalid_reply/body": (REFUSAL.encode(), ask),
    "UpstreamError/empty_reply": ("", ask),
    "UpstreamError/client_failed": (FINE, own_client),
    "VerbatimError/verbatim_error": (FINE, lambda url: ask(url, templates="verbatim_error")),
    "VerbatimError/internal_error": (FINE, streamed),
    "InvalidInputError/invalid_input": (FINE, lambda url: ask(url, templates="invalid_input")),
    "ConfigurationError/configuration_error": (FINE, lambda url: ask(url, templates="configuration_error")),
    "UpstreamError/upstream_error": (FINE, lambda url: ask(url, templates="upstream_error")),
    "quote_not_found": ('["The third barrel", "A fourth barrel", "Of Eilif"]', ask),
    "span_text_not_found": (
        FINE,
        lambda url: Transformer(OldExtractor()).transform(QUESTION, [{"content": CHUNK}]),
    ),
    "chunk_truncated": (FINE, lambda url: model().transform(QUESTION, [{"content": CHUNK}, {"text": SHORT}])),
    "template_fallback": (
        refused(503),
        lambda url: model(templates="contextual", llm_client=client(url)).transform(QUESTION, found(QUESTION)),
    ),
    "reranker_fallback": (refused(503), reranked),
    "items failed": (refused(503), deprecated),
    "an item failed": ([FINE, refused(503)], deprecated),
    "model_loaded": (FINE, loaded),
}


def main(served: Models) -> None:
    with seen() as sinks:
        lines, spans = len(sinks.out.getvalue().splitlines()), len(sinks.exporter.get_finished_spans())
        for name, (step, act) in ACTS.items():
            served.begin()
            served.steps = list(step) if isinstance(step, list) else [step]
            raised = None
            try:
                act(served.url)
            except verbatim_core.VerbatimError as error:
                raised = f"{type(error).__name__}/{error.code}"
            written = sinks.out.getvalue().splitlines()[lines:]
            finished = sinks.exporter.get_finished_spans()[spans:]
            lines, spans = lines + len(written), spans + len(finished)
            told = {"raised": raised, "calls": ended_in(written, finished), "lines": written}
            print(json.dumps({"name": name, **told, "spans": [span.to_json() for span in finished]}))
    if LEDGER.failures:
        print(LEDGER.as_dict()["failures"], file=sys.stderr)


VerbatimInstrumentor().instrument()
with models() as running:
    main(running)
