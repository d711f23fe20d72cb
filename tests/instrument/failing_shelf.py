"""Each way in which groundkit fails, with a customer's sentence in its message wherever it can have one."""

from __future__ import annotations

import socket
from collections.abc import Awaitable, Callable
from typing import Any

import httpx
from groundkit import retrieval
from groundkit.answer import AnswerPipeline
from groundkit.config import ChatConfig, EmbeddingConfig, RetrievalConfig
from groundkit.contracts import Document
from groundkit.errors import GroundkitError, RedactionError
from groundkit.evals import runner
from groundkit.ingestion.chunking import RecursiveChunker
from groundkit.providers.embeddings import InMemoryEmbedder, OllamaEmbedder, build_embedder
from groundkit.providers.judge import FaithfulnessJudge
from groundkit.providers.llm import OllamaChat, RedactingChat, build_chat
from groundkit.providers.query_rewrite import QueryRewriter
from groundkit.providers.redaction import RedactionConfig
from groundkit.providers.synthesis import Synthesizer
from groundkit.retrieval.rerank import CrossEncoderReranker
from groundkit.retrieval.search import Retriever

import discreet
from tests.instrument.absent import absent
from tests.instrument.models import HANG_UP, NEVER, Models, Step
from tests.instrument.shelf import ANSWER, PAPER, QUESTION, REPLY, Chat, Shelf

Act = Callable[[Shelf, Models], Awaitable[None]]
REDACTION = RedactionConfig()
REFUSAL = f"We won't answer: {QUESTION} {PAPER}"


def refused(status: int) -> Step:
    return {"status": status, "error": REFUSAL}


def closed_port() -> str:
    """An address where nobody listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{free.getsockname()[1]}"


async def found(at: Shelf) -> Any:
    return (await (await at.retriever()).search(QUESTION)).results


async def synthesized(at: Shelf, chat: Any) -> None:
    await Synthesizer(chat).synthesize(QUESTION, await found(at))


async def outside(at: Shelf, served: Models) -> None:
    await at.indexer().index_source(str(at.papers.parent / "Brandvold.txt"))


async def no_chunks(at: Shelf, served: Models) -> None:
    await at.indexer(chunking_config=RetrievalConfig()).index_source(str(at.paper))


async def chunker_of_ones_own(at: Shelf, served: Models) -> None:
    with discreet.observe_call("harbour.chunk", paper=PAPER):
        RecursiveChunker().chunk(Document(document_id="1", source=QUESTION, content=PAPER), config=QUESTION)


async def dense_without_a_pair(at: Shelf, served: Models) -> None:
    await (await at.retriever()).search(QUESTION, mode="dense")


def embedder(step: Step, timeout: float = 5) -> Act:
    async def embedded(at: Shelf, served: Models) -> None:
        served.steps = [step]
        config = EmbeddingConfig(base_url=served.url.removesuffix("/v1"), dimensions=8, timeout_seconds=timeout)
        async with httpx.AsyncClient(timeout=timeout) as asked:
            await at.dense_indexer(embedder=OllamaEmbedder(config, asked)).index_source(str(at.paper))

    return embedded


async def embedder_is_down(at: Shelf, served: Models) -> None:
    config = EmbeddingConfig(base_url=closed_port(), dimensions=8)
    await at.dense_indexer(embedder=build_embedder(config)).index_source(str(at.paper))


async def embedder_has_no_key(at: Shelf, served: Models) -> None:
    config = EmbeddingConfig(provider="openai_compatible", base_url="https://api.example.org", dimensions=8)
    await at.dense_indexer(embedder=build_embedder(config)).index_source(str(at.paper))


async def vectors_are_gone(at: Shelf, served: Models) -> None:
    await at.dense_indexer().index_source(str(at.paper))
    at.vectors = type(at.vectors)()
    await at.dense_indexer().index_source(str(at.paper))


async def another_width(at: Shelf, served: Models) -> None:
    await at.dense_indexer().index_source(str(at.paper))
    await Retriever.open(at.store, embedder=InMemoryEmbedder(16), vector_store=at.vectors)


async def empty_query(at: Shelf, served: Models) -> None:
    await (await at.retriever()).search("  ")


async def source_has_changed(at: Shelf, served: Models) -> None:
    citation = (await found(at))[0].citation
    at.paper.write_text("Burnt.", encoding="utf-8")
    await retrieval.resolve_citation(citation, at.papers)


async def source_is_gone(at: Shelf, served: Models) -> None:
    citation = (await found(at))[0].citation
    at.paper.unlink()
    await retrieval.resolve_citation(citation, at.papers)


async def no_reranker(at: Shelf, served: Models) -> None:
    results = await found(at)
    with absent("sentence_transformers", words=QUESTION):
        await CrossEncoderReranker().rerank(QUESTION, results)


async def no_judgments(at: Shelf, served: Models) -> None:
    await runner.run_eval(at.papers, at.papers / "Brandvold.jsonl")


def chat(step: Step, timeout: float = 5) -> Act:
    async def asked(at: Shelf, served: Models) -> None:
        served.steps = [step]
        where = served.url.removesuffix("/v1")
        async with httpx.AsyncClient(timeout=timeout) as client:
            await synthesized(at, OllamaChat(base_url=where, timeout=timeout, client=client))

    return asked


async def chat_is_down(at: Shelf, served: Models) -> None:
    await synthesized(at, build_chat(ChatConfig(base_url=closed_port())))


async def chat_has_no_key(at: Shelf, served: Models) -> None:
    config = ChatConfig(provider="openai_compatible", base_url="https://api.example.org")
    await synthesized(at, build_chat(config, redaction=REDACTION))


async def rewrite_of_two_lines(at: Shelf, served: Models) -> None:
    await QueryRewriter(Chat("Ottilie\nBrandvold")).rewrite(QUESTION)


async def cites_what_was_not_found(at: Shelf, served: Models) -> None:
    await synthesized(at, Chat(ANSWER.replace("[1]", "[7]")))


async def judge_chats(at: Shelf, served: Models) -> None:
    await FaithfulnessJudge(Chat(REPLY)).judge(query=QUESTION, answer=ANSWER, sources=[ANSWER])


async def a_redaction_of_ones_own(at: Shelf, served: Models) -> None:
    await synthesized(at, Chat(RedactionError(QUESTION)))


async def a_token_from_elsewhere(at: Shelf, served: Models) -> None:
    await synthesized(at, RedactingChat(Chat("[EMAIL_9] says Brandvold"), REDACTION))


async def an_error_of_the_root(at: Shelf, served: Models) -> None:
    await synthesized(at, Chat(GroundkitError(QUESTION)))


async def an_answer_within_a_call(at: Shelf, served: Models) -> None:
    retriever = await at.retriever()
    await AnswerPipeline(retriever.search, Synthesizer(Chat(ANSWER.replace("[1]", "[7]")))).answer(QUESTION)


class QuaysideError(GroundkitError):
    """An application's own: it has the code of its nearest base."""


async def an_error_of_ones_own(at: Shelf, served: Models) -> None:
    await synthesized(at, Chat(QuaysideError(QUESTION)))


SERVICE: list[tuple[str, Step, float]] = [
    ("401", refused(401), 5),
    ("403", refused(403), 5),
    ("404", refused(404), 5),
    ("429", refused(429), 5),
    ("500", refused(500), 5),
    ("503", refused(503), 5),
    ("hangs up", HANG_UP, 5),
    ("never", NEVER, 0.05),
    ("no JSON", REFUSAL.encode(), 5),
    ("no reply", b'{"response": 7}', 5),
]
"""What a service does: of each there is one error, of the class for embedders or that for chats."""
