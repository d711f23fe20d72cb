"""groundkit's calls that return: whole records and spans, its own spans, and nothing of what customers wrote."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import groundkit
import pytest
from groundkit import answer, indexer, retrieval
from groundkit.evals import runner
from groundkit.providers import judge, query_rewrite, synthesis
from groundkit.retrieval import citations, rerank, search
from opentelemetry import trace

from discreet.call_counts import CALLS
from discreet.export.ledger import LEDGER
from discreet.instrument.groundkit import GroundkitInstrumentor
from discreet.scope import current
from tests.calls.seen import Seen, all_points
from tests.instrument.shelf import ANSWER, CANARIES, QUESTION, REWRITTEN, Chat, shelf

pytestmark = pytest.mark.integration

HELD: tuple[tuple[Any, str], ...] = (
    (indexer.Indexer, "index_source"),
    (indexer.Indexer, "index_directory"),
    (search.Retriever, "open"),
    (search.Retriever, "search"),
    (rerank.CrossEncoderReranker, "rerank"),
    (synthesis.Synthesizer, "synthesize"),
    (query_rewrite.QueryRewriter, "rewrite"),
    (judge.FaithfulnessJudge, "judge"),
    (answer.AnswerPipeline, "answer"),
    (citations, "resolve_citation"),
    (retrieval, "resolve_citation"),
    (runner, "run_eval"),
)
FAITHFUL = '{"faithful": true, "unsupported_claims": [], "reasoning": "Ingeborg wrote it."}'


@pytest.fixture(autouse=True)
def _instrumented(sinks: Seen, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for module in (indexer, search, synthesis):
        # A tracer of OpenTelemetry's stays with the first provider that there was.
        monkeypatch.setattr(module, "tracer", trace.get_tracer("groundkit"))
    GroundkitInstrumentor().instrument()
    yield
    if GroundkitInstrumentor().is_instrumented_by_opentelemetry:
        GroundkitInstrumentor().uninstrument()


class PlacesChat(Chat):
    """Notes which texts are registered while it is asked, and logs what it is asked and answers."""

    def __init__(self, reply: str) -> None:
        super().__init__(reply)
        self.places: tuple[str, ...] = ()

    async def complete(self, prompt: str, *, system: str | None = None) -> str:
        scope = current()
        self.places = () if scope is None else scope.places
        logging.getLogger("harbour.chat").info("Asked %s", prompt)
        logging.getLogger("harbour.chat").warning(f"Answered {self.answer}")
        return str(self.answer)


async def answered(folder: Path, chats: list[PlacesChat]) -> answer.AnswerReport:
    async with shelf(folder) as at:
        retriever = await at.retriever()
        pipeline = answer.AnswerPipeline(
            retriever.search,
            synthesis.Synthesizer(chats[1]),
            rewriter=query_rewrite.QueryRewriter(chats[0]),
            judge=judge.FaithfulnessJudge(chats[2]),
        )
        report = await pipeline.answer(QUESTION)
        quote = await retrieval.resolve_citation(report.citations[0], at.papers)
        assert quote == report.results[0].content
        return report


def record(operation: str, items: int | None = None) -> dict[str, Any]:
    return {
        "level": "INFO",
        "logger": "discreet",
        "event": "call_finished",
        "operation": operation,
        "outcome": "ok",
        **({} if items is None else {"items": items}),
    }


def test_an_answer_is_a_call_with_the_others_inside_it(sinks: Seen, tmp_path: Path) -> None:
    """One record and one span each, groundkit's own spans inside those, and texts that are known where they are."""
    chats = [PlacesChat(REWRITTEN), PlacesChat(ANSWER), PlacesChat(FAITHFUL)]
    report = asyncio.run(answered(tmp_path, chats))
    assert (report.answer, report.rewritten_query) == (ANSWER, REWRITTEN)

    found = sinks.records()
    assert [one.pop("message").startswith(f"{one['operation']}: ok, ") for one in found] == [True] * 8
    assert [one.pop("duration_ms") >= 0 for one in found] == [True] * 8
    assert found == [
        record("groundkit.index", 1),
        record("groundkit.open"),
        record("groundkit.rewrite"),
        record("groundkit.search", 1),
        record("groundkit.synthesize", 1),
        record("groundkit.judge"),
        record("groundkit.answer", 1),
        record("groundkit.cite"),
    ]
    spans = {span.get_span_context().span_id: span for span in sinks.spans()}
    assert sorted((span.name, spans[span.parent.span_id].name if span.parent else None) for span in spans.values()) == [
        ("groundkit.answer", None),
        ("groundkit.cite", None),
        ("groundkit.index", None),
        ("groundkit.ingest.index_directory", "groundkit.index"),
        ("groundkit.judge", "groundkit.answer"),
        ("groundkit.open", None),
        ("groundkit.retrieve.search", "groundkit.search"),
        ("groundkit.rewrite", "groundkit.answer"),
        ("groundkit.search", "groundkit.answer"),
        ("groundkit.synthesize", "groundkit.answer"),
        ("groundkit.synthesize.synthesize", "groundkit.synthesize"),
    ]
    assert [chat.places for chat in chats] == [
        ("query", "query"),
        ("query", "query", "results[0]"),
        ("query", "query", "answer", "sources[0]"),
    ]
    assert LEDGER.failures == {}
    written = sinks.out.getvalue() + "".join(span.to_json() for span in spans.values())
    assert [word for word in CANARIES if word in written] == []


def test_a_record_inside_a_call_leads_to_its_span(sinks: Seen, tmp_path: Path) -> None:
    """groundkit's own record of a search has the id of its own span, in the call's trace."""
    chats = [PlacesChat(REWRITTEN), PlacesChat(ANSWER), PlacesChat(FAITHFUL)]
    asyncio.run(answered(tmp_path, chats))
    lines = [json.loads(line) for line in sinks.out.getvalue().splitlines()]
    (own,) = [line for line in lines if line["logger"] == "groundkit.retrieval.search" and "results" in line]
    by_name = {span.name: span.get_span_context() for span in sinks.spans()}
    assert int(own["span_id"], 16) == by_name["groundkit.retrieve.search"].span_id
    assert int(own["trace_id"], 16) == by_name["groundkit.answer"].trace_id


def test_every_operation_begins_at_0(sinks: Seen) -> None:
    """A rate of errors needs the calls that had none."""
    assert sorted(all_points(sinks.reader, "discreet.calls.started")) == [
        (f"groundkit.{name}",)
        for name in (
            "answer",
            "cite",
            "evaluate",
            "index",
            "judge",
            "open",
            "rerank",
            "rewrite",
            "search",
            "synthesize",
        )
    ]


def test_a_result_with_warnings_is_degraded(sinks: Seen, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No result of this release has any; of one that will, the codes count and the texts stay out."""

    class Later:
        results = ()
        warnings = ({"code": "reranker_fallback", "message": QUESTION},)

    async def later(self: object, query: str) -> Later:
        return Later()

    GroundkitInstrumentor().uninstrument()
    monkeypatch.setattr(search.Retriever, "search", later)
    GroundkitInstrumentor().instrument()

    async def main() -> None:
        async with shelf(tmp_path) as at:
            await (await at.retriever()).search(QUESTION)

    asyncio.run(main())
    *_, last = sinks.records()
    assert (last["outcome"], last["warning_code"], last["warnings"]) == ("degraded", "reranker_fallback", 1)
    GroundkitInstrumentor().uninstrument()


def test_nothing_stays_after_it() -> None:
    """Every attribute is the very object that it was."""
    now = [vars(holder)[name] for holder, name in HELD]
    GroundkitInstrumentor().uninstrument()
    before = [vars(holder)[name] for holder, name in HELD]
    assert [one is other for one, other in zip(now, before, strict=True)] == [False] * len(HELD)
    assert [hasattr(getattr(one, "__func__", one), "__wrapped__") for one in before] == [False] * len(HELD)
    GroundkitInstrumentor().instrument()
    GroundkitInstrumentor().uninstrument()
    assert [vars(holder)[name] is one for (holder, name), one in zip(HELD, before, strict=True)] == [True] * len(HELD)


def test_a_second_time_changes_nothing(sinks: Seen, tmp_path: Path) -> None:
    """One search is one call."""
    GroundkitInstrumentor().instrument()

    async def main() -> None:
        async with shelf(tmp_path) as at:
            await (await at.retriever()).search(QUESTION)

    asyncio.run(main())
    assert CALLS.as_dict()["groundkit.search"]["started"] == 1


def test_it_is_made_for_the_release_that_is_tested() -> None:
    """Another minor release may have other names."""
    assert GroundkitInstrumentor().instrumentation_dependencies() == ("groundkit >= 0.2.1, < 0.3",)
    assert groundkit.__version__ == "0.2.1"
