"""Models of verbatim 0.2.8 that are loaded, and extraction with them; torch and transformers are stood in for."""

from __future__ import annotations

import json
import logging
import re
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from verbatim_core.extractors import ModelSpanExtractor, SemanticHighlightExtractor
from verbatim_core.templates.question_specific import QuestionSpecificTemplate

from discreet.instrument.verbatim import VerbatimInstrumentor
from tests.calls.seen import CHANGING, Seen
from tests.instrument.test_verbatim import CANARIES, CHUNKS, QUESTION, told

pytestmark = pytest.mark.integration

MODEL = "example-org/highlighter-2"


class Model:
    """Highlights whole chunks, or fails at those that have a word in them."""

    failing = ""

    def to(self, device: str) -> None:
        """Stay where it is."""

    def eval(self) -> None:
        """Do nothing."""

    tokenizer = None

    def process(self, *, context: str, **_: Any) -> dict[str, Any]:
        if self.failing and self.failing in context:
            raise RuntimeError(context)
        return {"spans": [{"text": context}], "highlighted_sentences": [context]}


def _from_pretrained(name: str, **_: Any) -> Any:
    if "missing" in name:
        raise OSError(name)
    return Model()


@pytest.fixture
def _libraries(monkeypatch: pytest.MonkeyPatch) -> None:
    torch: Any = ModuleType("torch")
    torch.cuda = SimpleNamespace(is_available=lambda: False)
    torch.backends = SimpleNamespace(mps=None)
    torch.no_grad = nullcontext
    transformers: Any = ModuleType("transformers")
    config = SimpleNamespace(auto_map={"AutoModel": "modeling.Highlighter"})
    transformers.AutoConfig = SimpleNamespace(from_pretrained=lambda *_, **__: config)
    transformers.AutoModel = SimpleNamespace(from_pretrained=_from_pretrained)
    monkeypatch.setitem(sys.modules, "torch", torch)
    monkeypatch.setitem(sys.modules, "transformers", transformers)
    monkeypatch.setattr(Model, "failing", "")


@pytest.fixture(autouse=True)
def _instrumented(sinks: Seen) -> Iterator[None]:
    VerbatimInstrumentor().instrument()
    yield
    VerbatimInstrumentor().uninstrument()


def loaded(sinks: Seen) -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in sinks.out.getvalue().splitlines()]
    found = [line for line in lines if line.get("event") == "model_loaded"]
    for line in found:
        assert line.pop("duration_ms") >= 0
        assert line.pop("message").startswith("Model loaded in ")
        for name in CHANGING:
            line.pop(name, None)
    return found


@pytest.mark.usefixtures("_libraries")
@pytest.mark.parametrize("kind", [ModelSpanExtractor, SemanticHighlightExtractor])
def test_a_loaded_model_is_told_with_its_device_and_how_long_it_took(kind: Any, sinks: Seen) -> None:
    """Once it is there: 0.2.8 itself speaks before it begins."""
    kind(MODEL)
    assert loaded(sinks) == [
        {
            "level": "INFO",
            "logger": "verbatim_core.extractors",
            "event": "model_loaded",
            "model": MODEL,
            "device": "cpu",
        }
    ]
    assert [call[:2] for call in told(sinks)] == [("verbatim.load_model", "ok")]


def test_a_package_that_is_missing_has_its_code(sinks: Seen, monkeypatch: pytest.MonkeyPatch) -> None:
    """0.2.8 raises what the import raises."""
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ImportError):
        ModelSpanExtractor(MODEL)
    (record,) = sinks.records()
    names = ("operation", "outcome", "error_code", "error_class", "exception_type", "exception_code")
    assert [record[name] for name in names] == [
        "verbatim.load_model",
        "error",
        "missing_dependency",
        "configuration",
        "ModuleNotFoundError",
        "missing_dependency",
    ]
    assert loaded(sinks) == []


@pytest.mark.usefixtures("_libraries")
def test_a_model_that_is_not_there_or_a_wrong_setting_has_its_code(sinks: Seen) -> None:
    """Builtins too, of the library of models and of 0.2.8."""
    with pytest.raises(OSError, match="missing"):
        SemanticHighlightExtractor("example-org/missing")
    with pytest.raises(ValueError, match="output_mode"):
        SemanticHighlightExtractor(MODEL, output_mode="Brandvold")
    assert [call[1:4] for call in told(sinks)] == [
        ("error", "model_not_loaded", "configuration"),
        ("error", "invalid_value", "configuration"),
    ]


@pytest.mark.usefixtures("_libraries")
@pytest.mark.parametrize("level", [logging.DEBUG, logging.CRITICAL])
@pytest.mark.parametrize("kind", [ModelSpanExtractor, SemanticHighlightExtractor])
def test_chunks_that_a_model_fails_at_are_counted(
    kind: Any, level: int, sinks: Seen, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One is a degraded call, all are an error. That is no upstream's fault, so 0.2.8 should have raised."""
    made = kind(MODEL)
    results: Any = [SimpleNamespace(text=text) for text in CHUNKS]
    logging.getLogger("verbatim_core").setLevel(level)
    for failing in ("", "lighter", " "):
        monkeypatch.setattr(Model, "failing", failing)
        made.extract_spans(QUESTION, results)
    logging.getLogger("verbatim_core").setLevel(logging.NOTSET)
    _, *found = told(sinks)
    assert found == [
        ("verbatim.extract", "ok", None, None, None, 2, None, None),
        ("violated", None, 1),
        ("verbatim.extract", "degraded", None, None, None, 2, 1, None),
        ("violated", None, 2),
        ("verbatim.extract", "error", None, None, None, 2, 2, None),
    ]
    # What is called a highlighter has one of the words in it.
    assert [word for word in CANARIES if re.search(rf"\b{word}", sinks.out.getvalue())] == []


def test_the_embedder_of_templates_is_loaded_once(sinks: Seen, monkeypatch: pytest.MonkeyPatch) -> None:
    """Later questions ask for it and get it: that is no call. 0.2.8 itself says that it is loaded."""
    encoders: Any = ModuleType("sentence_transformers")
    encoders.SentenceTransformer = lambda name, device: SimpleNamespace(encode=list)
    monkeypatch.setitem(sys.modules, "sentence_transformers", encoders)
    made = QuestionSpecificTemplate([{"template": "[DISPLAY_SPANS]", "examples": [QUESTION]}], model_name=MODEL)
    made._get_embedder()
    assert [call[:2] for call in told(sinks)] == [("verbatim.load_model", "ok")]
    records = [json.loads(line) for line in sinks.out.getvalue().splitlines()]
    (record,) = [record for record in records if record.get("event") == "model_loaded"]
    assert record.pop("duration_ms") >= 0
    assert {name: record[name] for name in record if name not in CHANGING} == {
        "level": "INFO",
        "logger": "verbatim_core.templates.question_specific",
        "message": f"Loaded embedding model: {MODEL}",
        "event": "model_loaded",
        "model": MODEL,
        "device": "cpu",
    }
    assert logging.getLogger("verbatim_core.templates.question_specific").filters == []
