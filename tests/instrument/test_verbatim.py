"""verbatim 0.2.8 against a service: what it swallows is in its calls, and nothing of what was said is anywhere."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import verbatim_core
from verbatim_core import extractors, llm_client
from verbatim_core.extractors import LLMSpanExtractor
from verbatim_core.llm_client import LLMClient
from verbatim_core.templates import contextual, random

from discreet.call_counts import CALLS
from discreet.export.ledger import LEDGER
from discreet.instrument.verbatim import VerbatimInstrumentor
from tests.calls.seen import Seen
from tests.instrument.models import Models, Step, models

pytestmark = pytest.mark.integration

QUESTION = "Who repaired Ottilie Brandvold's capstan?"
CHUNKS = ["Thorvald repaired the capstan on Monday.", "The lighter belongs to Ottilie Brandvold."]
CONTEXT = [{"content": text, "title": "Harbour book"} for text in CHUNKS]
CANARIES = ("Ottilie", "Brandvold", "capstan", "lighter", "Thorvald", "Harbour")
TEMPLATE = "Aboard:\n\n[DISPLAY_SPANS]"

HELD: tuple[tuple[Any, str], ...] = (
    (verbatim_core.VerbatimTransform, "transform"),
    (verbatim_core.VerbatimTransform, "transform_async"),
    (LLMClient, "complete"),
    (LLMClient, "complete_async"),
    (LLMClient, "extract_spans"),
    (LLMClient, "extract_spans_async"),
    (LLMClient, "extract_structured"),
    (LLMClient, "extract_structured_async"),
    (LLMSpanExtractor, "extract_spans"),
    (LLMSpanExtractor, "extract_spans_async"),
    (extractors.ModelSpanExtractor, "extract_spans"),
    (extractors.ModelSpanExtractor, "__init__"),
    (extractors.SemanticHighlightExtractor, "extract_spans"),
    (extractors.SemanticHighlightExtractor, "__init__"),
    (contextual.ContextualTemplate, "_get_fallback_template"),
    (random.RandomTemplate, "generate_diverse_templates"),
)


@pytest.fixture(autouse=True)
def _instrumented(sinks: Seen) -> Iterator[None]:
    VerbatimInstrumentor().instrument()
    yield
    if VerbatimInstrumentor().is_instrumented_by_opentelemetry:
        VerbatimInstrumentor().uninstrument()


@pytest.fixture
def served() -> Iterator[Models]:
    with models() as found:
        yield found
        for opened in found.to_close:
            opened.close()


def client(served: Models) -> LLMClient:
    made = LLMClient(model="example-1", api_base=served.url, api_key="none")
    served.to_close.append(made.client)
    made.client = made.client.with_options(max_retries=0)
    made.async_client = made.async_client.with_options(max_retries=0)
    return made


def transform(served: Models, *, soon: bool = False, **options: Any) -> Any:
    made = verbatim_core.VerbatimTransform(client(served), **options)
    if soon:
        return asyncio.run(_soon(made))
    return made.transform(QUESTION, CONTEXT)


async def _soon(made: Any) -> Any:
    async with made.llm_client.async_client:
        return await made.transform_async(QUESTION, CONTEXT)


def scripted(extraction: Callable[[str], Step] | Step, template: Step = TEMPLATE) -> Callable[[str], Step]:
    """Answers the two kinds of prompts."""

    def choose(prompt: str) -> Step:
        if "[DISPLAY_SPANS]" in prompt or "[SPAN_1]" in prompt or "template" in prompt.lower():
            return template
        return extraction(prompt) if callable(extraction) else extraction

    return choose


def told(sinks: Seen) -> list[tuple[Any, ...]]:
    """Of each call: operation, outcome, codes, items, failed ones and warnings; of each violation: code and count."""
    names = ("operation", "outcome", "error_code", "error_class", "warning_code", "items", "items_failed", "warnings")
    lines = [json.loads(line) for line in sinks.out.getvalue().splitlines()]
    found: list[tuple[Any, ...]] = []
    for line in lines:
        if line.get("event") == "call_finished":
            found.append(tuple(line.get(name) for name in names))
        elif line.get("event") == "contract_violated":
            found.append(("violated", line.get("error_code"), line["count"]))
    return found


QUOTED = json.dumps({"doc_0": [CHUNKS[0]], "doc_1": []})


@pytest.mark.parametrize("soon", [False, True], ids=["sync", "async"])
def test_an_answer_is_four_calls(soon: bool, sinks: Seen, served: Models) -> None:
    """Extraction with a request in it, a request for the template, and the transformation around them."""
    served.choose = scripted(QUOTED)
    result = transform(served, soon=soon)
    assert CHUNKS[0] in result.answer
    done = (None, None, None)
    assert told(sinks) == [
        ("verbatim.complete", "ok", *done, None, None, None),
        ("verbatim.extract", "ok", *done, 2, None, None),
        ("verbatim.complete", "ok", *done, None, None, None),
        ("verbatim.transform", "ok", *done, None, None, None),
    ]
    by_name = {span.name: span for span in sinks.spans()}
    outer = by_name["verbatim.transform"].context
    assert [by_name[name].parent.span_id == outer.span_id for name in ("verbatim.extract", "verbatim.complete")] == [
        True,
        True,
    ]
    assert LEDGER.as_dict()["failures"] == []


@pytest.mark.parametrize("soon", [False, True], ids=["sync", "async"])
@pytest.mark.parametrize("mode", ["auto", "individual"])
def test_a_call_whose_every_item_failed_is_an_error_although_it_returned(
    mode: str, soon: bool, sinks: Seen, served: Models
) -> None:
    """The service is down for all: no answer, not a bad one. That is an upstream error, and no violation."""
    served.steps = [500]
    assert transform(served, soon=soon, extraction_mode=mode).answer
    *_, extract, whole = told(sinks)
    assert extract == ("verbatim.extract", "error", "server_error", "upstream", None, 2, 2, None)
    assert whole == ("verbatim.transform", "error", "server_error", "upstream", None, None, None, None)


def test_the_error_has_type_chain_and_frames_of_what_was_swallowed(sinks: Seen, served: Models) -> None:
    """The whole record, and the span's own."""
    served.steps = [401]
    transform(served)
    record, span = sinks.records()[-1], sinks.spans()[-1]
    assert record.pop("exception_frames").startswith("verbatim_core/extractors.py")
    milliseconds = record["duration_ms"]
    about = {
        "event": "call_finished",
        "logger": "discreet",
        "operation": "verbatim.transform",
        "outcome": "error",
        "duration_ms": milliseconds,
        "error_code": "authentication_failed",
        "error_class": "configuration",
        "exception_code": "authentication_failed",
        "provider_code": "invalid_api_key",
        "status": 401,
    }
    assert record == {
        "level": "INFO",
        "message": f"verbatim.transform: error, {milliseconds} ms",
        "exception_type": "openai.AuthenticationError",
        **about,
    }
    assert dict(span.attributes or {}) == {
        "exception.type": "openai.AuthenticationError",
        "error.type": "authentication_failed",
        **about,
    }
    assert ("violated", "authentication_failed", 2) in told(sinks)


def test_a_call_with_some_failed_items_is_degraded(sinks: Seen, served: Models) -> None:
    """And says how many."""
    served.choose = scripted(lambda prompt: 503 if CHUNKS[1] in prompt else json.dumps({"doc": [CHUNKS[0]]}))
    transform(served, extraction_mode="individual")
    found = [call for call in told(sinks) if call[0] != "verbatim.complete"]
    assert found == [
        ("verbatim.extract", "degraded", None, None, None, 2, 1, None),
        ("verbatim.transform", "degraded", None, None, None, None, None, 1),
    ]


REPLIES: list[tuple[Step, str, str]] = [
    (401, "authentication_failed", "configuration"),
    (403, "permission_denied", "configuration"),
    (404, "model_not_found", "configuration"),
    (429, "rate_limited", "upstream"),
    (500, "server_error", "upstream"),
    (400, "request_rejected", "upstream"),
    (
        {"error": {"message": "Brandvold", "code": "insufficient_quota"}, "status": 429},
        "quota_exceeded",
        "configuration",
    ),
    ('{"doc_0": ["Thorv', "invalid_reply", "upstream"),
    ("", "empty_reply", "upstream"),
    (None, "empty_reply", "upstream"),
]


@pytest.mark.parametrize(("reply", "code", "error_class"), REPLIES, ids=lambda value: str(value)[:14])
@pytest.mark.parametrize(
    "options", [{}, {"extraction_prompt": "Quote: {{ question }} {{ documents }}"}], ids=["", "own"]
)
def test_each_way_to_fail_has_its_code(
    options: dict[str, str], reply: Step, code: str, error_class: str, sinks: Seen, served: Models
) -> None:
    """By the status, or by what can't be made of a reply; also with a prompt of one's own, which takes other ways."""
    served.steps = [reply]
    transform(served, template_mode="static", **options)
    found = [call[:4] for call in told(sinks) if call[0] in {"verbatim.extract", "verbatim.transform"}]
    assert found == [(name, "error", code, error_class) for name in ("verbatim.extract", "verbatim.transform")]
    violations = [call[1] for call in told(sinks) if call[0] == "violated"]
    assert violations == ([code] if error_class == "configuration" else [])
    assert [word for word in CANARIES if word in sinks.out.getvalue()] == []


@pytest.mark.parametrize(("failing", "code"), [("connection", "connection_failed"), ("time", "timeout")])
def test_a_service_that_does_not_answer_is_an_error_too(failing: str, code: str, sinks: Seen, served: Models) -> None:
    """Nobody listens; or no answer comes in time."""
    asked = client(served)
    if failing == "connection":
        asked.client = asked.client.with_options(base_url="http://127.0.0.1:9/v1")
    else:
        served.choose = lambda _: time.sleep(0.4)
        asked.client = asked.client.with_options(timeout=0.05)
    verbatim_core.VerbatimTransform(asked, template_mode="static").transform(QUESTION, CONTEXT)
    assert told(sinks)[-1][:4] == ("verbatim.transform", "error", code, "upstream")


class OldClient:
    """A client of somebody's own, with exceptions of its own."""

    model = "old"

    def extract_spans(self, question: str, documents: dict[str, str]) -> dict[str, list[str]]:
        raise RuntimeError(question)

    def extract_relevant_spans(self, question: str, document_text: str) -> list[str]:
        raise RuntimeError(document_text)


def test_a_client_of_ones_own_that_fails_has_a_code(sinks: Seen) -> None:
    """Its exceptions are nobody's."""
    old: Any = OldClient()
    verbatim_core.VerbatimTransform(old, template_mode="static").transform(QUESTION, CONTEXT)
    assert [call[:4] for call in told(sinks)] == [
        ("verbatim.extract", "error", "client_failed", "upstream"),
        ("verbatim.transform", "error", "client_failed", "upstream"),
    ]


@pytest.mark.parametrize(
    ("item", "code", "kind"),
    [({"title": "Harbour"}, "missing_field", "ValueError"), (7, "invalid_value", "TypeError")],
)
def test_input_of_a_wrong_shape_has_its_code(item: Any, code: str, kind: str, sinks: Seen, served: Models) -> None:
    """0.2.8 raises builtins for it."""
    with pytest.raises((ValueError, TypeError)):
        verbatim_core.VerbatimTransform(client(served)).transform(QUESTION, [item])
    (record,) = sinks.records()
    assert (record["error_code"], record["error_class"], record["exception_type"]) == (code, "input", kind)


@pytest.mark.parametrize("level", [logging.DEBUG, logging.CRITICAL])
def test_a_quote_that_is_not_in_its_chunk_is_a_warning_whatever_the_level(
    level: int, sinks: Seen, served: Models
) -> None:
    """0.2.8 drops it and says so only in its log."""
    logging.getLogger("verbatim_core").setLevel(level)
    served.choose = scripted(json.dumps({"doc_0": ["Thorvald mended", CHUNKS[0]], "doc_1": ["a lighter", "no"]}))
    transform(served)
    logging.getLogger("verbatim_core").setLevel(logging.NOTSET)
    found = [call for call in told(sinks) if call[0] != "verbatim.complete"]
    assert found == [
        ("verbatim.extract", "degraded", None, None, "quote_not_found", 2, None, 3),
        ("verbatim.transform", "degraded", None, None, "quote_not_found", None, None, 3),
    ]


@pytest.mark.parametrize("soon", [False, True], ids=["sync", "async"])
@pytest.mark.parametrize(
    ("reply", "violation"), [(500, []), (" ", []), (401, [("violated", "authentication_failed", 1)])]
)
def test_a_template_that_the_llm_could_not_write_is_a_warning(
    reply: Step, violation: list[Any], soon: bool, sinks: Seen, served: Models
) -> None:
    """After an upstream error that is the contract; after anything else it is counted as a violation."""
    served.choose = scripted(QUOTED, reply)
    transform(served, soon=soon)
    *_, whole = told(sinks)
    assert whole == ("verbatim.transform", "degraded", None, None, "template_fallback", None, None, 1)
    assert [call for call in told(sinks) if call[0] == "violated"] == violation


def test_random_templates_that_the_llm_could_not_write_are_a_warning(sinks: Seen, served: Models) -> None:
    """And without a client there is a configuration error."""
    served.steps = [503]
    random.RandomTemplate(llm_client=client(served)).generate_diverse_templates(2)
    with pytest.raises(ValueError, match="LLM client"):
        random.RandomTemplate().generate_diverse_templates(2)
    _, written, refused = told(sinks)
    assert written == ("verbatim.write_templates", "degraded", None, None, "template_fallback", None, None, 1)
    assert refused[:4] == ("verbatim.write_templates", "error", "missing_llm_client", "configuration")


def test_a_structured_extraction_whose_reply_cannot_be_read_is_an_error(sinks: Seen, served: Models) -> None:
    """0.2.8 returns no spans for all documents."""
    served.steps = ["Thorvald"]
    client(served).extract_structured(QUESTION, "[NAME]", {"NAME": "who"}, CHUNKS)
    assert told(sinks)[-1] == ("verbatim.extract", "error", "invalid_reply", "upstream", None, 2, 2, None)


def test_nothing_that_was_said_comes_out(sinks: Seen, served: Models) -> None:
    """At DEBUG, whatever fails, with errors that quote the prompt."""
    logging.getLogger().setLevel(logging.DEBUG)
    for reply in (QUOTED, 500, '{"doc_0": ["Thorvald mended"]}', "Ottilie"):
        served.choose = scripted(reply, 400)
        transform(served)
    written = sinks.out.getvalue() + "".join(span.to_json() for span in sinks.exporter.get_finished_spans())
    assert [word for word in CANARIES if word in written] == []
    assert CALLS.as_dict()["verbatim.transform"]["started"] == 4


def test_where_the_library_is_missing_nothing_happens(sinks: Seen, monkeypatch: pytest.MonkeyPatch) -> None:
    """No part of it is replaced, and nothing has failed."""
    VerbatimInstrumentor().uninstrument()
    before = [vars(holder)[name] for holder, name in HELD]
    monkeypatch.setattr("discreet.instrument.base.find_spec", lambda _: None)
    VerbatimInstrumentor().instrument()
    assert [vars(holder)[name] for holder, name in HELD] == before
    assert LEDGER.as_dict()["failures"] == []


def test_nothing_stays_after_it() -> None:
    """Every attribute is the very object that it was."""
    now = [vars(holder)[name] for holder, name in HELD]
    VerbatimInstrumentor().uninstrument()
    before = [vars(holder)[name] for holder, name in HELD]
    assert [one is other for one, other in zip(now, before, strict=True)] == [False] * len(HELD)
    loggers = (extractors.logger, llm_client.logger)
    assert [{"isEnabledFor", "filter"} & set(vars(logger)) for logger in loggers] == [set(), set()]
    VerbatimInstrumentor().instrument()
    VerbatimInstrumentor().uninstrument()
    assert [vars(holder)[name] is one for (holder, name), one in zip(HELD, before, strict=True)] == [True] * len(HELD)
