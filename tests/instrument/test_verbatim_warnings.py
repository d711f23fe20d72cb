"""verbatim 0.2.8: each warning of its contract as it comes about there, whole records and spans of its calls."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest
import requests
from verbatim_core.extractors import LLMSpanExtractor, SemanticHighlightExtractor
from verbatim_core.templates.random import RandomTemplate

from tests.calls.seen import Seen
from tests.instrument.models import Models, Step
from tests.instrument.test_verbatim_rag import rag  # noqa: F401
from tests.instrument.verbatim_calls import _served, _service, client, transform  # noqa: F401
from tests.instrument.verbatim_texts import CHUNK, QUESTION, refused
from tests.instrument.whole import Ended, call, ended, inside

pytestmark = pytest.mark.integration

EXTRACTION = json.dumps({"doc": [CHUNK]})
NOT_THERE = json.dumps({"doc": ["A fourth barrel", CHUNK, "of Eilif's"]})
EXTRACTORS, CLIENT = "verbatim_core.extractors", "verbatim_core.llm_client"
REQUEST = call("verbatim.complete", parent="verbatim.extract")
EXTRACTED = call("verbatim.extract", parent="verbatim.transform", items=1)


def answers(served: Models, extraction: Step, template: Step) -> None:
    served.choose = lambda prompt: template if "[DISPLAY_SPANS]" in prompt or "template" in prompt else extraction


def quotes(served: Models, soon: bool) -> None:
    served.steps = [NOT_THERE]
    transform(client(served), soon=soon)


def quotes_alike(served: Models, soon: bool) -> None:
    served.steps = [json.dumps({"doc": ["A wholly other sentence.", CHUNK]})]
    transform(client(served), soon=soon, span_match_mode="fuzzy")


def template_fails(served: Models, soon: bool) -> None:
    answers(served, EXTRACTION, refused(503))
    transform(client(served), soon=soon, template_mode="contextual")


def template_is_refused(served: Models, soon: bool) -> None:
    answers(served, EXTRACTION, refused(401))
    transform(client(served), soon=soon, template_mode="contextual")


def template_is_blank(served: Models, soon: bool) -> None:
    answers(served, EXTRACTION, " ")
    transform(client(served), soon=soon, template_mode="contextual")


def random_templates(served: Models, soon: bool) -> None:
    served.steps = [refused(503)]
    RandomTemplate(llm_client=client(served)).generate_diverse_templates(2)


class Window:
    """A model of the kind that gives a probability for each token: it sees the first so many."""

    def __init__(self, seen: int) -> None:
        self.seen = seen

    def get_raw_predictions(self, question: str, contexts: list[str]) -> Any:
        return SimpleNamespace(pruning_probs=[1.0] * self.seen, context_ranges=[(0, self.seen)])

    def __call__(self, context: str, **options: Any) -> dict[str, Any]:
        return {"offset_mapping": [(place, place + 1) for place in range(len(context))]}


def window(served: Models, soon: bool) -> None:
    made: Any = SemanticHighlightExtractor.__new__(SemanticHighlightExtractor)
    made.output_mode, made.threshold, made.max_tokens = "spans", 0.5, 10
    made.model = made.tokenizer = Window(10)
    # It compares an array of numpy's, which is there only with a model.
    made._find_span_regions = lambda _: [(0, 10)]
    chunks = [SimpleNamespace(text=CHUNK), SimpleNamespace(text=CHUNK[:10])]
    made.extract_spans(QUESTION, chunks)


class JinaReranker:
    """Asks a service for the order, as that of the library does."""

    def __init__(self, url: str) -> None:
        self.url = url

    def rerank(self, question: str, results: list[Any]) -> list[Any]:
        response = requests.post(self.url, json={"input": question}, timeout=5)
        response.raise_for_status()
        return results[::-1]


def reranker(status: int) -> Callable[..., None]:
    def act(served: Models, soon: bool, library: Any) -> None:
        served.choose = lambda prompt: refused(status) if prompt == QUESTION else json.dumps({"doc_0": [CHUNK]})
        asked = client(served)
        made = library.core.VerbatimRAG(
            lambda _: [SimpleNamespace(text=CHUNK)], LLMSpanExtractor(asked), JinaReranker(served.url)
        )

        async def main() -> None:
            async with asked.async_client:
                await made.query_async(QUESTION)

        if soon:
            asyncio.run(main())
        else:
            made.query(QUESTION)

    return act


class Row(NamedTuple):
    """What happens; the calls before the one that is degraded; what is told within that one; and its items."""

    code: str
    act: Callable[..., None]
    operation: str
    told: tuple[list[Any], ...]
    before: tuple[Ended, ...] = ()
    count: int = 1
    items: dict[str, int] = {}
    parent: str | None = None
    soon: tuple[bool, ...] = (False, True)


def fell_back(code: str, logger: str, level: str = "WARNING", **facts: Any) -> list[Any]:
    return inside("fallback_used", logger, level, warning_code=code, **facts)


def violated(**facts: Any) -> list[Any]:
    return inside("contract_violated", "discreet", "WARNING", count=1, **facts)


DOWN = {"error_code": "server_error", "error_class": "upstream", "status": 503, "retryable": True}
REFUSED = {"error_code": "authentication_failed", "error_class": "configuration", "status": 401}


def wrote(parent: str, exception: str, **facts: Any) -> Ended:
    """The request for a template that failed."""
    about = {"exception_type": exception, "exception_code": facts["error_code"], **facts}
    return call("verbatim.complete", "error", parent=parent, **about)


DOWN_FOR = {"exception": "openai.InternalServerError", **DOWN}
NO_QUOTE = fell_back("quote_not_found", EXTRACTORS)
ROWS = [
    Row("quote_not_found", quotes, "verbatim.extract", (NO_QUOTE, NO_QUOTE), (REQUEST,), 2, {"items": 1}, "up"),
    Row("quote_not_found", quotes_alike, "verbatim.extract", (NO_QUOTE,), (REQUEST,), 1, {"items": 1}, "up"),
    Row(
        "chunk_truncated",
        window,
        "verbatim.extract",
        (fell_back("chunk_truncated", EXTRACTORS),),
        items={"items": 2},
        soon=(False,),
    ),
    Row(
        "template_fallback",
        template_fails,
        "verbatim.transform",
        (fell_back("template_fallback", CLIENT, "ERROR", **DOWN),),
        (REQUEST, EXTRACTED, wrote("verbatim.transform", **DOWN_FOR)),
    ),
    Row(
        "template_fallback",
        template_is_refused,
        "verbatim.transform",
        (
            fell_back("template_fallback", CLIENT, "ERROR", **REFUSED),
            violated(error_code="authentication_failed", error_class="configuration"),
        ),
        (REQUEST, EXTRACTED, wrote("verbatim.transform", "openai.AuthenticationError", **REFUSED)),
    ),
    Row(
        "template_fallback",
        template_is_blank,
        "verbatim.transform",
        (fell_back("template_fallback", "discreet", operation="verbatim.transform", count=1),),
        (
            REQUEST,
            EXTRACTED,
            call(
                "verbatim.complete",
                "error",
                parent="verbatim.transform",
                error_code="empty_reply",
                error_class="upstream",
            ),
        ),
    ),
    Row(
        "template_fallback",
        random_templates,
        "verbatim.write_templates",
        (fell_back("template_fallback", "discreet", operation="verbatim.write_templates", count=1),),
        (wrote("verbatim.write_templates", **DOWN_FOR),),
        soon=(False,),
    ),
    Row(
        "reranker_fallback",
        reranker(503),
        "verbatim.query",
        (fell_back("reranker_fallback", "root", **DOWN),),
        (REQUEST, call("verbatim.extract", parent="verbatim.query", items=1)),
    ),
    Row(
        "reranker_fallback",
        reranker(401),
        "verbatim.query",
        (
            fell_back("reranker_fallback", "root", **REFUSED),
            violated(error_code="authentication_failed", error_class="configuration"),
        ),
        (REQUEST, call("verbatim.extract", parent="verbatim.query", items=1)),
    ),
]
WAYS = [(row, soon) for row in ROWS for soon in row.soon]


@pytest.mark.parametrize(
    ("row", "soon"), WAYS, ids=[f"{row.act.__name__}-{'async' if soon else 'sync'}" for row, soon in WAYS]
)
def test_a_warning_makes_its_call_degraded(
    row: Row, soon: bool, served: Models, sinks: Seen, request: pytest.FixtureRequest
) -> None:
    """Once with the record of the library, which there may be for each warning, or else with one of ours."""
    more = (request.getfixturevalue("rag"),) if row.operation == "verbatim.query" else ()
    row.act(served, soon, *more)
    facts = {"warning_code": row.code, "warnings": row.count}
    degraded = call(row.operation, "degraded", parent=row.parent and "verbatim.transform", **facts, **row.items)
    degraded.span["events"].extend(row.told)
    above = [call("verbatim.transform", "degraded", **facts)] if row.parent else []
    assert ended(sinks) == [*row.before, degraded, *above]


def test_a_warning_that_the_library_does_not_log_has_a_record_of_ours(served: Models, sinks: Seen) -> None:
    """Whatever the level of its loggers; one for both, in the call that they are of and not again around it."""
    logging.getLogger("verbatim_core").setLevel(logging.CRITICAL)
    try:
        quotes(served, soon=False)
    finally:
        logging.getLogger("verbatim_core").setLevel(logging.NOTSET)
    facts = {"warning_code": "quote_not_found", "warnings": 2}
    extract = call("verbatim.extract", "degraded", parent="verbatim.transform", items=1, **facts)
    ours = fell_back("quote_not_found", "discreet", operation="verbatim.extract", count=2)
    extract.span["events"].append(ours)
    assert ended(sinks) == [REQUEST, extract, call("verbatim.transform", "degraded", **facts)]
