"""Queries, streams and rerankers of verbatim-rag 0.2.8, by a package that stands in for it."""

from __future__ import annotations

import asyncio
import importlib
import json
import logging
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
import requests
from verbatim_core.extractors import LLMSpanExtractor

from discreet.call_counts import CALLS
from discreet.export.ledger import LEDGER
from discreet.instrument.verbatim import VerbatimInstrumentor
from tests.calls.seen import CHANGING, Seen
from tests.instrument.absent import absent
from tests.instrument.models import Models, models
from tests.instrument.test_verbatim import CANARIES, CHUNKS, QUESTION, QUOTED, client, told
from tests.instrument.whole import call, ended

pytestmark = pytest.mark.integration

STANDINS = Path(__file__).with_name("standins")


@pytest.fixture(autouse=True)
def rag(sinks: Seen, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    for name in [name for name in sys.modules if name.partition(".")[0] == "verbatim_rag"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.syspath_prepend(STANDINS)
    VerbatimInstrumentor().instrument()
    yield SimpleNamespace(
        **{
            name: importlib.import_module(f"verbatim_rag.{name}")
            for name in ("core", "streaming", "embedding_providers")
        }
    )
    VerbatimInstrumentor().uninstrument()
    for name in [name for name in sys.modules if name.partition(".")[0] == "verbatim_rag"]:
        del sys.modules[name]


@pytest.fixture
def served() -> Iterator[Models]:
    with models() as found:
        found.steps = [QUOTED]
        yield found
        for opened in found.to_close:
            opened.close()


def search(question: str) -> list[Any]:
    return [SimpleNamespace(text=text) for text in CHUNKS]


class Reranker:
    """Fails with the status of its service, or with a bug."""

    def __init__(self, status: int) -> None:
        self.status = status

    def rerank(self, question: str, results: list[Any]) -> list[Any]:
        if self.status == 0:
            raise KeyError(question)
        if self.status == 200:
            return results[::-1]
        response = requests.Response()
        response.status_code = self.status
        raise requests.HTTPError(question, response=response)


@pytest.mark.parametrize("soon", [False, True], ids=["sync", "async"])
@pytest.mark.parametrize(
    ("status", "violation"),
    [(503, []), (401, [("violated", "authentication_failed", 1)]), (0, [("violated", None, 1)])],
)
def test_a_reranker_that_fails_is_a_warning(
    status: int, violation: list[Any], soon: bool, rag: Any, sinks: Seen, served: Models
) -> None:
    """Whatever the level of the root logger; after anything but an upstream error it is a violation too."""
    logging.getLogger().setLevel(logging.CRITICAL)
    made = rag.core.VerbatimRAG(search, LLMSpanExtractor(client(served)), Reranker(status))
    logging.getLogger("discreet").setLevel(logging.INFO)
    if soon:

        async def main() -> None:
            async with made.extractor.llm_client.async_client:
                await made.query_async(QUESTION)

        asyncio.run(main())
    else:
        made.query(QUESTION)
    found = [call for call in told(sinks) if call[0] in {"verbatim.query", "violated"}]
    assert found == [*violation, ("verbatim.query", "degraded", None, None, "reranker_fallback", None, None, 1)]
    assert made.reranker.status == status


def test_a_reranker_that_works_gives_its_order(rag: Any, sinks: Seen, served: Models) -> None:
    """And the object that the application gave stays where it is."""
    served.steps = ['{"doc_0": [], "doc_1": []}']
    reranker = Reranker(200)
    made = rag.core.VerbatimRAG(search, LLMSpanExtractor(client(served)), reranker)
    assert list(made.query(QUESTION)["spans"]) == CHUNKS[::-1]
    assert made.reranker is reranker
    assert [call[:2] for call in told(sinks)][-1] == ("verbatim.query", "ok")


async def read(stream: Any) -> list[str]:
    return [item["type"] async for item in stream]


def test_a_stream_is_one_call_until_its_end(rag: Any, sinks: Seen, served: Models) -> None:
    """Its extraction runs in a thread, and is a call inside it."""
    made = rag.core.VerbatimRAG(search, LLMSpanExtractor(client(served)))
    assert asyncio.run(read(rag.streaming.StreamingRAG(made).stream_query(QUESTION))) == ["documents", "answer"]
    assert [call[:2] for call in told(sinks)] == [
        ("verbatim.complete", "ok"),
        ("verbatim.extract", "ok"),
        ("verbatim.stream", "ok"),
    ]


def test_a_stream_whose_extraction_failed_is_an_error(rag: Any, sinks: Seen, served: Models) -> None:
    """Although it yields an answer, which is empty."""
    served.steps = [500]
    made = rag.core.VerbatimRAG(search, LLMSpanExtractor(client(served)))
    asyncio.run(read(rag.streaming.StreamingRAG(made).stream_query(QUESTION)))
    assert told(sinks)[-1][:4] == ("verbatim.stream", "error", "server_error", "upstream")


@pytest.mark.parametrize(
    ("code", "expected"), [(None, ("internal_error", "internal")), ("timeout", ("timeout", "upstream"))]
)
def test_a_stream_that_ends_with_an_error_has_its_code(
    code: str | None, expected: tuple[str, str], rag: Any, sinks: Seen, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That of its last event, else the code for what no caller can receive."""
    monkeypatch.setattr(rag.streaming.StreamingRAG, "code", code)

    def broken(question: str) -> list[Any]:
        raise LookupError(question)

    made = rag.core.VerbatimRAG(broken, None)
    assert asyncio.run(read(rag.streaming.StreamingRAG(made).stream_query(QUESTION))) == ["error"]
    about = {"error_code": expected[0], "error_class": expected[1], "items": 1}
    assert ended(sinks) == [call("verbatim.stream", "error", **about)]
    assert [word for word in CANARIES if word in sinks.out.getvalue()] == []


def test_a_package_that_cannot_be_loaded_is_left_out(
    rag: Any, sinks: Seen, served: Models, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What its dependencies are for isn't installed: that is counted once, and the rest is observed."""
    VerbatimInstrumentor().uninstrument()
    for name in [name for name in sys.modules if name.partition(".")[0] == "verbatim_rag"]:
        monkeypatch.delitem(sys.modules, name)
    (tmp_path / "verbatim_rag").mkdir()
    (tmp_path / "verbatim_rag" / "__init__.py").write_text("import a_library_of_gigabytes\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    VerbatimInstrumentor().instrument()
    LLMSpanExtractor(client(served)).extract_spans(QUESTION, search(QUESTION))
    assert [call[:2] for call in told(sinks)] == [("verbatim.complete", "ok"), ("verbatim.extract", "ok")]
    assert [(row["where"], row["count"]) for row in LEDGER.as_dict()["failures"]] == [("instrument", 1)]


def test_a_stream_that_nobody_reads_to_its_end_is_cancelled(rag: Any, sinks: Seen, served: Models) -> None:
    """And no call is left running."""

    async def main() -> None:
        made = rag.core.VerbatimRAG(search, LLMSpanExtractor(client(served)))
        stream = rag.streaming.StreamingRAG(made).stream_query(QUESTION)
        await anext(stream)
        await stream.aclose()

    asyncio.run(main())
    assert [call[:2] for call in told(sinks)] == [("verbatim.stream", "cancelled")]
    assert CALLS.as_dict()["verbatim.stream"]["active"] == 0


PROVIDERS = {"SentenceTransformersProvider": "SentenceTransformers", "SpladeProvider": "SPLADE"}


@pytest.mark.parametrize("provider", PROVIDERS)
def test_an_embedding_model_is_told_with_its_device_and_how_long_it_took(
    provider: str, rag: Any, sinks: Seen, monkeypatch: pytest.MonkeyPatch
) -> None:
    """0.2.8 logs only its name: that record gets the rest, and is the only one."""
    library: Any = ModuleType("sentence_transformers")
    library.SentenceTransformer = library.SparseEncoder = lambda name, device: name
    monkeypatch.setitem(sys.modules, "sentence_transformers", library)
    getattr(rag.embedding_providers, provider)("example-org/small-1", device="mps")
    assert ended(sinks) == [call("verbatim.load_model")]
    records = [json.loads(line) for line in sinks.out.getvalue().splitlines()]
    (record,) = [record for record in records if record.get("event") == "model_loaded"]
    assert record.pop("duration_ms") >= 0
    assert {name: record[name] for name in record if name not in CHANGING} == {
        "level": "INFO",
        "logger": "verbatim_rag.embedding_providers",
        "message": f"Loaded {PROVIDERS[provider]} model: example-org/small-1",
        "event": "model_loaded",
        "model": "example-org/small-1",
        "device": "mps",
    }
    (span,) = [span for span in sinks.spans() if span.name == "model_loaded"]
    assert {"model", "device", "duration_ms"} <= set(span.attributes or {})


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_provider_whose_package_is_missing_has_its_code(provider: str, rag: Any, sinks: Seen) -> None:
    """And nothing of ours stays on the library's logger."""
    with absent("sentence_transformers", words=QUESTION), pytest.raises(ImportError):
        getattr(rag.embedding_providers, provider)("example-org/small-1")
    facts = {
        "error_code": "missing_dependency",
        "error_class": "configuration",
        "exception_type": "ImportError",
        "exception_code": "missing_dependency",
        "exception_chain": "ImportError < ModuleNotFoundError",
    }
    assert ended(sinks) == [call("verbatim.load_model", "error", **facts)]
    assert logging.getLogger("verbatim_rag.embedding_providers").filters == []
