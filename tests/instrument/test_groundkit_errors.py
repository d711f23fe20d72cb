"""Each of groundkit's classes of exceptions, raised the way it happens: whole records and spans, and its own spans."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from groundkit import indexer
from groundkit.errors import GroundkitError
from groundkit.providers import synthesis
from groundkit.retrieval import search
from opentelemetry import trace

from discreet.contract.source import load_shipped
from discreet.export.ledger import LEDGER
from discreet.instrument.groundkit import GroundkitInstrumentor
from tests.calls.seen import Seen
from tests.instrument import failing_shelf as ways
from tests.instrument.failing_shelf import Act
from tests.instrument.models import Models, models
from tests.instrument.shelf import CANARIES, shelf
from tests.instrument.whole import Ended, call, ended, others

pytestmark = pytest.mark.integration

G = "groundkit.errors."


@pytest.fixture(scope="module")
def service() -> Iterator[Models]:
    with models() as running:
        yield running


@pytest.fixture
def served(service: Models, sinks: Seen, monkeypatch: pytest.MonkeyPatch) -> Iterator[Models]:
    monkeypatch.delenv("GROUNDKIT_OPENAI_API_KEY", raising=False)
    for module in (indexer, search, synthesis):
        # A tracer of OpenTelemetry's stays with the first provider that there was.
        monkeypatch.setattr(module, "tracer", trace.get_tracer("groundkit"))
    GroundkitInstrumentor().instrument()
    yield service
    service.begin()
    GroundkitInstrumentor().uninstrument()
    assert LEDGER.failures == {}
    written = sinks.out.getvalue() + "".join(span.to_json() for span in sinks.exporter.get_finished_spans())
    assert [word for word in CANARIES if word in written] == []


class Row(NamedTuple):
    """What happens, in which call, what is known of the exception, and which calls there are before."""

    name: str
    act: Act
    operation: str
    kind: str
    code: str
    error_class: str | None
    own: str | None = None
    before: tuple[Ended, ...] = ()
    cause: str = ""
    verdict: str | None = None
    model: str | None = None


SOURCE, FOLDER = "groundkit.ingest.index_source", "groundkit.ingest.index_directory"
SEARCH, SYNTHESIZE = "groundkit.retrieve.search", "groundkit.synthesize.synthesize"
INDEXED = call("groundkit.index", items=1)
OPENED = (INDEXED, call("groundkit.open"))
FOUND = (*OPENED, call("groundkit.search", items=1))


def indexing(act: Act, kind: str, code: str, error_class: str, name: str = "", **more: Any) -> Row:
    return Row(name or act.__name__, act, "groundkit.index", kind, code, error_class, SOURCE, **more)


def synthesizing(act: Act, kind: str, code: str, error_class: str | None, name: str = "", **more: Any) -> Row:
    name, more = name or act.__name__, {"before": FOUND, "model": "mine-1", **more}
    return Row(name, act, "groundkit.synthesize", kind, code, error_class, SYNTHESIZE, **more)


def searching(act: Act, kind: str, code: str, error_class: str) -> Row:
    return Row(act.__name__, act, "groundkit.search", kind, code, error_class, SEARCH, OPENED)


def other(act: Act, operation: str, kind: str, code: str, error_class: str, **more: Any) -> Row:
    return Row(act.__name__, act, operation, kind, code, error_class, **more)


LLAMA = {"model": "llama3.2:3b"}
ROWS = [
    synthesizing(ways.an_error_of_the_root, "GroundkitError", "groundkit_error", None),
    synthesizing(ways.an_error_of_ones_own, "", "groundkit_error", None),
    searching(ways.dense_without_a_pair, "ConfigurationError", "configuration_error", "configuration"),
    indexing(ways.outside, "IngestionError", "ingestion_error", "input", cause="ValueError"),
    indexing(ways.no_chunks, "IngestionError", "ingestion_error", "input", cause=f"{G}ChunkingError"),
    other(ways.chunker_of_ones_own, "harbour.chunk", "ChunkingError", "chunking_error", "input"),
    *(
        indexing(ways.embedder(step, wait), "EmbeddingError", "embedding_error", "upstream", f"embedder: {name}")
        for name, step, wait in ways.SERVICE
    ),
    indexing(ways.embedder_is_down, "EmbeddingError", "embedding_error", "upstream"),
    indexing(ways.embedder_has_no_key, "ProviderNotConfiguredError", "provider_not_configured", "configuration"),
    indexing(ways.vectors_are_gone, "StorageError", "storage_error", "internal", before=(INDEXED,)),
    other(
        ways.another_width,
        "groundkit.open",
        "IndexIdentityError",
        "index_identity_mismatch",
        "configuration",
        before=(INDEXED,),
    ),
    searching(ways.empty_query, "RetrievalError", "retrieval_error", "internal"),
    other(
        ways.source_has_changed,
        "groundkit.cite",
        "RetrievalError",
        "retrieval_error",
        "internal",
        before=FOUND,
        verdict="drifted",
    ),
    other(
        ways.source_is_gone,
        "groundkit.cite",
        "RetrievalError",
        "retrieval_error",
        "internal",
        before=FOUND,
        cause="FileNotFoundError",
        verdict="unresolvable",
    ),
    other(
        ways.no_reranker,
        "groundkit.rerank",
        "RerankerNotConfiguredError",
        "reranker_not_configured",
        "configuration",
        before=FOUND,
        cause="ModuleNotFoundError",
    ),
    other(ways.no_judgments, "groundkit.evaluate", "EvalError", "eval_error", "input", cause="FileNotFoundError"),
    *(
        synthesizing(ways.chat(step, wait), "ChatError", "chat_error", "upstream", f"chat: {name}", **LLAMA)
        for name, step, wait in ways.SERVICE
    ),
    synthesizing(ways.chat_is_down, "ChatError", "chat_error", "upstream", **LLAMA),
    synthesizing(
        ways.chat_has_no_key,
        "ChatProviderNotConfiguredError",
        "chat_provider_not_configured",
        "configuration",
        **LLAMA,
    ),
    other(ways.rewrite_of_two_lines, "groundkit.rewrite", "QueryRewriteError", "query_rewrite_failed", "upstream"),
    synthesizing(ways.cites_what_was_not_found, "SynthesisError", "synthesis_failed", "upstream"),
    other(
        ways.judge_chats,
        "groundkit.judge",
        "JudgeError",
        "judge_failed",
        "upstream",
        cause="pydantic_core._pydantic_core.ValidationError",
    ),
    synthesizing(ways.a_redaction_of_ones_own, "RedactionError", "redaction_error", "internal"),
    synthesizing(ways.a_token_from_elsewhere, "UnknownRedactionTokenError", "unknown_redaction_token", "internal"),
]


def own_spans(row: Row, kind: str) -> list[dict[str, Any]]:
    """groundkit's own spans, each in that of its call; of an exception only the class."""
    parents = {INDEXED.span["name"]: FOLDER if len(row.before) > 1 else SOURCE, "groundkit.search": SEARCH}
    counts = {
        "groundkit.index": {"groundkit.chunk_count": 1, "groundkit.document_count": 1},
        "groundkit.search": {
            "groundkit.retrieval.mode": "bm25",
            "groundkit.retrieval.stage": "bm25",
            "groundkit.retrieval.top_k": 5,
            "groundkit.result_count": 1,
        },
    }
    names = [one.span["name"] for one in row.before]
    found = [own_span(parents[name], name, counts[name]) for name in names if name in parents]
    if row.own is None:
        return found
    attributes: dict[str, Any] = {"groundkit.failure_kind": kind.rpartition(".")[2]}
    if row.own == SYNTHESIZE:
        attributes["groundkit.chat.model"] = row.model
        if row.model != "mine-1":
            provider = "openai_compatible" if row.code == "chat_provider_not_configured" else "ollama"
            attributes["groundkit.chat.provider"] = provider
    event = ["exception", {"exception.type": kind, "exception.escaped": False}]
    return [*found, own_span(row.own, row.operation, attributes, [event])]


def own_span(name: str, parent: str, attributes: dict[str, Any], events: list[Any] | None = None) -> dict[str, Any]:
    return {
        "name": name,
        "kind": "INTERNAL",
        "scope": "groundkit",
        "parent": parent,
        "status": ["ERROR" if events else "UNSET", None],
        "attributes": attributes,
        "events": events or [],
        "links": [],
    }


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_an_error_has_its_code_in_the_record_and_the_span_of_its_call(
    row: Row, served: Models, sinks: Seen, tmp_path: Path
) -> None:
    """And nothing of its message; the exception that the program gets is the library's own."""

    async def main() -> None:
        async with shelf(tmp_path) as at:
            await row.act(at, served)

    with pytest.raises(GroundkitError) as caught:
        asyncio.run(main())
    assert type(caught.value).__name__ == (row.kind or "QuaysideError")

    kind = f"{G}{row.kind}" if row.kind else f"{ways.__name__}.QuaysideError"
    facts = {
        "error_code": row.code,
        **({} if row.error_class is None else {"error_class": row.error_class}),
        "exception_type": kind,
        "exception_code": row.code,
        **({"exception_chain": f"{kind} < {row.cause}"} if row.cause else {}),
        **({} if row.verdict is None else {"verdict": row.verdict}),
    }
    assert ended(sinks) == [*row.before, call(row.operation, "error", **facts)]
    assert others(sinks, changing="groundkit.duration_ms") == own_spans(row, kind)


def test_an_error_is_in_each_call_that_it_goes_through(served: Models, sinks: Seen, tmp_path: Path) -> None:
    """The answer has failed because its synthesis has; its search hasn't."""

    async def main() -> None:
        async with shelf(tmp_path) as at:
            await ways.an_answer_within_a_call(at, served)

    with pytest.raises(GroundkitError):
        asyncio.run(main())
    facts = {
        "error_code": "synthesis_failed",
        "error_class": "upstream",
        "exception_type": f"{G}SynthesisError",
        "exception_code": "synthesis_failed",
    }
    assert ended(sinks) == [
        *OPENED,
        call("groundkit.search", parent="groundkit.answer", items=1),
        call("groundkit.synthesize", "error", parent="groundkit.answer", **facts),
        call("groundkit.answer", "error", **facts),
    ]


def test_every_class_of_the_contract_is_raised_with_its_code() -> None:
    """The contract says which there are."""
    contract = load_shipped("groundkit")
    raised = {(f"{G}{row.kind}", row.code, row.error_class) for row in ROWS if row.kind}
    assert raised == {(row.class_name, row.code, row.error_class) for row in contract.exceptions}
    assert {row.code for row in ROWS} == {row.code for row in contract.error_codes}
    assert {row.verdict for row in ROWS} == {None, "drifted", "unresolvable"}
