"""Each of groundkit's classes of exceptions, raised the way it happens: the whole record and the whole span."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from groundkit import retrieval
from groundkit.config import ChatConfig, EmbeddingConfig, RetrievalConfig
from groundkit.errors import GroundkitError, RedactionError
from groundkit.evals import runner
from groundkit.providers.embeddings import build_embedder
from groundkit.providers.judge import FaithfulnessJudge
from groundkit.providers.llm import RedactingChat, build_chat
from groundkit.providers.query_rewrite import QueryRewriter
from groundkit.providers.redaction import RedactionConfig
from groundkit.providers.synthesis import Synthesizer
from groundkit.retrieval.rerank import CrossEncoderReranker
from groundkit.retrieval.search import Retriever
from opentelemetry.trace import StatusCode

from discreet.instrument.groundkit import GroundkitInstrumentor
from tests.calls.seen import Seen
from tests.instrument.shelf import ANSWER, CANARIES, QUESTION, REPLY, Chat, Shelf, shelf

pytestmark = pytest.mark.integration

Act = Callable[[Shelf], Awaitable[Any]]


@pytest.fixture(autouse=True)
def _instrumented(sinks: Seen, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.delenv("GROUNDKIT_OPENAI_API_KEY", raising=False)
    GroundkitInstrumentor().instrument()
    yield
    GroundkitInstrumentor().uninstrument()


def closed_port() -> str:
    """An address where nobody listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{free.getsockname()[1]}"


async def found(at: Shelf) -> Any:
    return (await (await at.retriever()).search(QUESTION)).results


async def synthesized(at: Shelf, chat: Any) -> None:
    await Synthesizer(chat).synthesize(QUESTION, await found(at))


async def outside(at: Shelf) -> None:
    await at.indexer().index_source(str(at.papers.parent / "Brandvold.txt"))


async def no_chunks(at: Shelf) -> None:
    await at.indexer(chunking_config=RetrievalConfig()).index_source(str(at.paper))


async def dense_without_a_pair(at: Shelf) -> None:
    await (await at.retriever()).search(QUESTION, mode="dense")


async def embedder_is_down(at: Shelf) -> None:
    config = EmbeddingConfig(base_url=closed_port(), dimensions=8)
    await at.dense_indexer(embedder=build_embedder(config)).index_source(str(at.paper))


async def embedder_has_no_key(at: Shelf) -> None:
    config = EmbeddingConfig(provider="openai_compatible", base_url="https://api.example.org", dimensions=8)
    await at.dense_indexer(embedder=build_embedder(config)).index_source(str(at.paper))


async def vectors_are_gone(at: Shelf) -> None:
    await at.dense_indexer().index_source(str(at.paper))
    at.vectors = type(at.vectors)()
    await at.dense_indexer().index_source(str(at.paper))


async def another_width(at: Shelf) -> None:
    await at.dense_indexer().index_source(str(at.paper))
    from groundkit.providers.embeddings import InMemoryEmbedder

    await Retriever.open(at.store, embedder=InMemoryEmbedder(16), vector_store=at.vectors)


async def empty_query(at: Shelf) -> None:
    await (await at.retriever()).search("  ")


async def source_has_changed(at: Shelf) -> None:
    citation = (await found(at))[0].citation
    at.paper.write_text("Burnt.", encoding="utf-8")
    await retrieval.resolve_citation(citation, at.papers)


async def source_is_gone(at: Shelf) -> None:
    citation = (await found(at))[0].citation
    at.paper.unlink()
    await retrieval.resolve_citation(citation, at.papers)


async def no_reranker(at: Shelf) -> None:
    await CrossEncoderReranker().rerank(QUESTION, await found(at))


async def no_judgments(at: Shelf) -> None:
    await runner.run_eval(at.papers, at.papers / "Brandvold.jsonl")


async def chat_is_down(at: Shelf) -> None:
    await synthesized(at, build_chat(ChatConfig(base_url=closed_port())))


async def chat_has_no_key(at: Shelf) -> None:
    await synthesized(
        at,
        build_chat(ChatConfig(provider="openai_compatible", base_url="https://api.example.org"), redaction=REDACTION),
    )


async def rewrite_of_two_lines(at: Shelf) -> None:
    await QueryRewriter(Chat("Ottilie\nBrandvold")).rewrite(QUESTION)


async def cites_what_was_not_found(at: Shelf) -> None:
    await synthesized(at, Chat(ANSWER.replace("[1]", "[7]")))


async def judge_chats(at: Shelf) -> None:
    await FaithfulnessJudge(Chat(REPLY)).judge(query=QUESTION, answer=ANSWER, sources=[ANSWER])


async def a_redaction_of_ones_own(at: Shelf) -> None:
    await synthesized(at, Chat(RedactionError(QUESTION)))


async def a_token_from_elsewhere(at: Shelf) -> None:
    await synthesized(at, RedactingChat(Chat("[EMAIL_9] says Brandvold"), REDACTION))


async def an_error_of_ones_own(at: Shelf) -> None:
    class BrandvoldError(GroundkitError):
        """Of an application: its nearest base's code, and no name that can be imported."""

    await synthesized(at, Chat(BrandvoldError(QUESTION)))


REDACTION = RedactionConfig()


class Row(NamedTuple):
    """What happens, in which call, and what is known of the exception."""

    act: Act
    operation: str
    kind: str
    code: str
    error_class: str | None
    chain: str = ""
    verdict: str | None = None


G = "groundkit.errors."
ROWS = [
    Row(an_error_of_ones_own, "groundkit.synthesize", "", "groundkit_error", None),
    Row(dense_without_a_pair, "groundkit.search", "ConfigurationError", "configuration_error", "configuration"),
    Row(outside, "groundkit.index", "IngestionError", "ingestion_error", "input", " < ValueError"),
    Row(
        no_chunks,
        "groundkit.index",
        "IngestionError",
        "ingestion_error",
        "input",
        " < groundkit.errors.ChunkingError",
    ),
    Row(embedder_is_down, "groundkit.index", "EmbeddingError", "embedding_error", "upstream"),
    Row(
        embedder_has_no_key,
        "groundkit.index",
        "ProviderNotConfiguredError",
        "provider_not_configured",
        "configuration",
    ),
    Row(vectors_are_gone, "groundkit.index", "StorageError", "storage_error", "internal"),
    Row(another_width, "groundkit.open", "IndexIdentityError", "index_identity_mismatch", "configuration"),
    Row(empty_query, "groundkit.search", "RetrievalError", "retrieval_error", "internal"),
    Row(source_has_changed, "groundkit.cite", "RetrievalError", "retrieval_error", "internal", "", "drifted"),
    Row(
        source_is_gone,
        "groundkit.cite",
        "RetrievalError",
        "retrieval_error",
        "internal",
        " < FileNotFoundError",
        "unresolvable",
    ),
    Row(
        no_reranker,
        "groundkit.rerank",
        "RerankerNotConfiguredError",
        "reranker_not_configured",
        "configuration",
        " < ModuleNotFoundError",
    ),
    Row(no_judgments, "groundkit.evaluate", "EvalError", "eval_error", "input", " < FileNotFoundError"),
    Row(chat_is_down, "groundkit.synthesize", "ChatError", "chat_error", "upstream"),
    Row(
        chat_has_no_key,
        "groundkit.synthesize",
        "ChatProviderNotConfiguredError",
        "chat_provider_not_configured",
        "configuration",
    ),
    Row(rewrite_of_two_lines, "groundkit.rewrite", "QueryRewriteError", "query_rewrite_failed", "upstream"),
    Row(cites_what_was_not_found, "groundkit.synthesize", "SynthesisError", "synthesis_failed", "upstream"),
    Row(
        judge_chats,
        "groundkit.judge",
        "JudgeError",
        "judge_failed",
        "upstream",
        " < pydantic_core._pydantic_core.ValidationError",
    ),
    Row(a_redaction_of_ones_own, "groundkit.synthesize", "RedactionError", "redaction_error", "internal"),
    Row(
        a_token_from_elsewhere,
        "groundkit.synthesize",
        "UnknownRedactionTokenError",
        "unknown_redaction_token",
        "internal",
    ),
]


@pytest.mark.usefixtures("_clock")
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.act.__name__)
def test_an_error_has_its_code_in_the_record_and_the_span_of_its_call(row: Row, sinks: Seen, tmp_path: Path) -> None:
    """And nothing of its message; the exception that the program gets is the library's own."""

    async def main() -> None:
        async with shelf(tmp_path) as at:
            await row.act(at)

    with pytest.raises(GroundkitError) as caught:
        asyncio.run(main())
    assert type(caught.value).__name__ == (row.kind or "BrandvoldError")

    kind = f"{G}{row.kind}" if row.kind else f"{__name__}.an_error_of_ones_own.<locals>.BrandvoldError"
    record, span = sinks.records()[-1], sinks.spans()[-1]
    milliseconds = record["duration_ms"]
    about = {
        "event": "call_finished",
        "logger": "discreet",
        "operation": row.operation,
        "outcome": "error",
        "duration_ms": milliseconds,
        "error_code": row.code,
        **({} if row.error_class is None else {"error_class": row.error_class}),
        "exception_code": row.code,
        **({} if not row.chain else {"exception_chain": f"{kind}{row.chain}"}),
        **({} if row.verdict is None else {"verdict": row.verdict}),
    }
    frames = record.pop("exception_frames")
    assert frames.startswith("groundkit/")
    assert record == {
        "level": "INFO",
        "message": f"{row.operation}: error, {milliseconds} ms",
        "exception_type": kind,
        **about,
    }
    assert (span.name, dict(span.attributes or {})) == (
        row.operation,
        {"exception.type": kind, "error.type": row.code, **about},
    )
    assert (span.status.status_code, span.status.description, span.events) == (StatusCode.ERROR, None, ())
    assert [word for word in CANARIES if word in sinks.out.getvalue().replace("BrandvoldError", "")] == []


def test_every_class_of_the_contract_was_raised() -> None:
    """Two are never raised as themselves by this release: the root, and the error of a chunker, which is a cause."""
    from discreet.contract.source import load_shipped

    raised = {f"{G}{row.kind}" for row in ROWS if row.kind} | {f"{G}GroundkitError", f"{G}ChunkingError"}
    assert raised == {row.class_name for row in load_shipped("groundkit").exceptions}
