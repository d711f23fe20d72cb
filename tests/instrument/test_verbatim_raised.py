"""verbatim 0.2.8: what it raises for a bad argument or a missing package, by the codes of its contract."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, NamedTuple

import pytest
from verbatim_core.extractors import ModelSpanExtractor, SemanticHighlightExtractor
from verbatim_core.templates import TemplateManager
from verbatim_core.templates.question_specific import QuestionSpecificTemplate
from verbatim_core.templates.random import RandomTemplate

from tests.calls.seen import Seen
from tests.instrument.absent import absent
from tests.instrument.models import Models
from tests.instrument.verbatim_calls import _served, _service, client, transform  # noqa: F401
from tests.instrument.verbatim_texts import CHUNK, QUESTION
from tests.instrument.whole import Ended, call, ended

pytestmark = pytest.mark.integration

MODEL = "example-org/highlighter-2"
TEMPLATES = [{"template": "[RELEVANT_SENTENCES]", "examples": [QUESTION]}]


@pytest.fixture
def _nothing_installed() -> Iterator[None]:
    with absent("torch", "transformers", "sentence_transformers", words=QUESTION):
        yield


@pytest.fixture
def _installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stands in for the libraries of models, which are gigabytes: a model is read from its folder, as theirs is."""
    torch: Any = ModuleType("torch")
    torch.cuda = SimpleNamespace(is_available=lambda: False)
    torch.no_grad = nullcontext
    transformers: Any = ModuleType("transformers")
    transformers.AutoModel = SimpleNamespace(
        from_pretrained=lambda name, **_: Path(name, "config.json").read_text("utf-8")
    )
    for module in (torch, transformers):
        monkeypatch.setitem(sys.modules, module.__name__, module)


def item_without_text(served: Models) -> None:
    transform(client(served), context=[{"title": CHUNK}])


def text_instead_of_an_item(served: Models) -> None:
    transform(client(served), context=[CHUNK])


def structured_template(served: Models) -> None:
    transform(client(served), template_mode="structured")


def unknown_output(served: Models) -> None:
    SemanticHighlightExtractor(MODEL, output_mode=QUESTION)


def no_torch(served: Models) -> None:
    ModelSpanExtractor(MODEL)


def no_transformers(served: Models) -> None:
    SemanticHighlightExtractor(MODEL)


def no_embedder(served: Models) -> None:
    QuestionSpecificTemplate(TEMPLATES)


def no_embedder_for_an_answer(served: Models) -> None:
    manager = TemplateManager(default_mode="question_specific")
    strategy: Any = manager.strategies["question_specific"]
    strategy.templates = TEMPLATES
    strategy._example_embeddings = {}
    transform(client(served), template_manager=manager)


def no_such_model(served: Models) -> None:
    SemanticHighlightExtractor(f"/nowhere/{QUESTION}")


def no_client(served: Models) -> None:
    RandomTemplate().generate_diverse_templates(2)


class Row(NamedTuple):
    """What is called, what it raises, and the calls that this leaves: innermost first, those that failed."""

    code: str
    error_class: str
    act: Callable[[Models], None]
    raised: type[BaseException]
    operations: tuple[str, ...]
    facts: dict[str, Any] = {}
    fixture: str = ""
    before: tuple[Ended, ...] = ()


EXTRACTED = (
    call("verbatim.complete", parent="verbatim.extract"),
    call("verbatim.extract", parent="verbatim.transform", items=1),
)
LOAD = ("verbatim.load_model",)
UNCHAINED = {"exception_chain": "ImportError < ModuleNotFoundError"}
NOTHING, STANDINS = "_nothing_installed", "_installed"
ROWS = [
    Row("missing_field", "input", item_without_text, ValueError, ("verbatim.transform",)),
    Row("invalid_value", "input", text_instead_of_an_item, TypeError, ("verbatim.transform",)),
    Row("invalid_value", "input", structured_template, ValueError, ("verbatim.transform",), before=EXTRACTED),
    Row("invalid_value", "configuration", unknown_output, ValueError, LOAD, fixture=STANDINS),
    Row("missing_dependency", "configuration", no_torch, ModuleNotFoundError, LOAD, fixture=NOTHING),
    Row("missing_dependency", "configuration", no_transformers, ModuleNotFoundError, LOAD, fixture=NOTHING),
    Row("missing_dependency", "configuration", no_embedder, ImportError, LOAD, UNCHAINED, NOTHING),
    Row(
        "missing_dependency",
        "configuration",
        no_embedder_for_an_answer,
        ImportError,
        ("verbatim.load_model", "verbatim.transform"),
        UNCHAINED,
        NOTHING,
        EXTRACTED,
    ),
    Row("model_not_loaded", "configuration", no_such_model, FileNotFoundError, LOAD, {"errno": 2}, STANDINS),
    Row("missing_llm_client", "configuration", no_client, ValueError, ("verbatim.write_templates",)),
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.act.__name__)
def test_what_is_raised_has_its_code_in_each_call_around_it(
    row: Row,
    served: Models,
    sinks: Seen,
    request: pytest.FixtureRequest,
) -> None:
    """The caller gets the very builtin that 0.2.8 raises; its words, which quote the customer, are in no record."""
    if row.fixture:
        request.getfixturevalue(row.fixture)
    served.steps = ['{"doc": []}']
    with pytest.raises(row.raised) as caught:
        row.act(served)
    assert type(caught.value) is row.raised
    facts = {
        "error_code": row.code,
        "error_class": row.error_class,
        "exception_type": row.raised.__name__,
        "exception_code": row.code,
        **row.facts,
    }
    parents = (*row.operations[1:], None)
    failed = [call(name, "error", parent=parent, **facts) for name, parent in zip(row.operations, parents, strict=True)]
    assert ended(sinks) == [*row.before, *failed]
