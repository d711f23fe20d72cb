"""groundkit: what it indexes, searches, reranks, rewrites, answers, judges, cites and evaluates."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import PurePath, PurePosixPath
from typing import Any

from discreet.instrument.base import LibraryInstrumentor, Target
from discreet.instrument.observed import Arguments, Observed

__all__ = ["GroundkitInstrumentor"]


def _file_name(arguments: Arguments) -> dict[str, object]:
    """The folders above are the operator's, and their names would be found in much that is logged."""
    source = arguments["source"]
    return {"source": PurePosixPath(source).name} if isinstance(source, str | PurePath) else {}


def _results(response: Any) -> int:
    return len(response.results)


def _citations(answer: Any) -> int:
    return len(answer.citations)


def _chunks(report: Any) -> int:
    return int(report.chunks_written)


_TARGETS = (
    Target(
        where="groundkit.indexer:Indexer.index_source",
        how=Observed(operation="groundkit.index", find_texts=_file_name, items=_chunks, whole=False),
    ),
    Target(
        where="groundkit.indexer:Indexer.index_directory",
        how=Observed(operation="groundkit.index", items=_chunks, whole=False),
    ),
    Target(
        where="groundkit.retrieval.search:Retriever.open",
        how=Observed(operation="groundkit.open"),
    ),
    Target(
        where="groundkit.retrieval.search:Retriever.search",
        how=Observed(operation="groundkit.search", texts=("query",), items=_results),
    ),
    Target(
        where="groundkit.retrieval.rerank:CrossEncoderReranker.rerank",
        how=Observed(operation="groundkit.rerank", texts=("query", "results"), items=len),
    ),
    Target(
        where="groundkit.providers.synthesis:Synthesizer.synthesize",
        how=Observed(operation="groundkit.synthesize", texts=("query", "results"), items=_citations),
    ),
    Target(
        where="groundkit.providers.query_rewrite:QueryRewriter.rewrite",
        how=Observed(operation="groundkit.rewrite", texts=("query",)),
    ),
    Target(
        where="groundkit.providers.judge:FaithfulnessJudge.judge",
        how=Observed(operation="groundkit.judge", texts=("query", "answer", "sources")),
    ),
    Target(
        where="groundkit.answer:AnswerPipeline.answer",
        how=Observed(operation="groundkit.answer", texts=("query",), items=_citations),
    ),
    Target(
        where="groundkit.retrieval.citations:resolve_citation",
        also=("groundkit.retrieval",),
        how=Observed(operation="groundkit.cite", whole=False),
    ),
    Target(
        where="groundkit.evals.runner:run_eval",
        how=Observed(operation="groundkit.evaluate", whole=False),
    ),
)


class GroundkitInstrumentor(LibraryInstrumentor):
    """Observes what groundkit does, as of release 0.2.1.

    ::

        GroundkitInstrumentor().instrument()

    Each of these is a call as of :func:`discreet.observe_call`:

    - ``groundkit.index``: ``Indexer.index_source`` and ``index_directory``;
    - ``groundkit.open`` and ``groundkit.search``: ``Retriever.open`` and ``search``;
    - ``groundkit.rerank``: ``CrossEncoderReranker.rerank``;
    - ``groundkit.rewrite``, ``groundkit.synthesize`` and ``groundkit.judge``: the methods of these names;
    - ``groundkit.answer``: ``AnswerPipeline.answer``, which has the others inside it;
    - ``groundkit.cite``: ``resolve_citation``, whose errors have a ``verdict``;
    - ``groundkit.evaluate``: ``evals.runner.run_eval``.

    Queries, results, answers and sources are registered as customer texts while they run. groundkit's own spans stay
    and are the children of those of the calls.

    .. versionadded:: 0.1.0
    """

    package = "groundkit"
    dependencies = ("groundkit >= 0.2.1, < 0.3",)

    def targets(self) -> Collection[Target]:
        """Return groundkit's functions."""
        return _TARGETS
