"""verbatim: what it transforms, queries, extracts, streams, asks and loads, and what release 0.2.8 swallows of it."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import wraps
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final

from discreet.export.ledger import LEDGER
from discreet.instrument.base import LibraryInstrumentor, Target
from discreet.instrument.observed import Arguments, Observed, observed
from discreet.instrument.streams import pass_over
from discreet.instrument.verbatim_models import embedding, loaded
from discreet.instrument.verbatim_parts import (
    completed,
    heard_in_client,
    heard_in_extractors,
    items_told,
    streamed,
    tallied,
    unread,
    without_template,
)
from discreet.instrument.verbatim_rerank import reranked
from discreet.instrument.verbatim_swallowed import Tally
from discreet.seal.peek import traceback_of

__all__ = ["VerbatimInstrumentor"]

pass_over(__file__)

_TEXTS: Final = frozenset(
    {"answer", "chunks", "context", "documents", "prompt", "question", "results", "search_results", "system_prompt"}
)
"""Parameters that hold customer text, by whatever function they are."""


def _texts(arguments: Arguments) -> dict[str, object]:
    # An iterator of chunks is the function's to read, since that goes only once: some are known to be missing then.
    return {name: value for name, value in arguments.items() if name in _TEXTS}


def _how(operation: str) -> Observed:
    return Observed(operation=operation, find_texts=_texts)


def _results(arguments: dict[str, Any]) -> int:
    return len(arguments.get("search_results", arguments.get("documents", arguments.get("chunks", ()))))


def _name_input(error: BaseException) -> tuple[str, str] | None:
    """Name what 0.2.8 raises for what a transformation can't take: builtins, from two functions."""
    traceback = traceback_of(error)
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
    where = "" if traceback is None else traceback.tb_frame.f_code.co_qualname
    if where == "StructuredTemplate.generate":
        return "invalid_value", "input"
    if where != "_coerce_context_to_results":
        return None
    return ("missing_field" if isinstance(error, ValueError) else "invalid_value"), "input"


def _name_loading(error: BaseException) -> tuple[str, str] | None:
    """Name what 0.2.8 and the libraries of models raise: builtins."""
    kinds = ((ImportError, "missing_dependency"), (OSError, "model_not_loaded"), (ValueError, "invalid_value"))
    return next(((code, "configuration") for kind, code in kinds if isinstance(error, kind)), None)


def _name_writing(error: BaseException) -> tuple[str, str] | None:
    return ("missing_llm_client", "configuration") if isinstance(error, ValueError) else None


def _not_written(tally: Tally) -> None:
    if tally.raised is not None or tally.blank:
        tally.fell_back("template_fallback", tally.raised)


_TRANSFORM: Final = tallied(name=_name_input)
_EXTRACT: Final = tallied(count=_results)
_LOAD: Final = tallied(name=_name_loading)
_WRITE: Final = tallied(name=_name_writing, after=_not_written)


def _load(function: Any) -> Any:
    return _LOAD(loaded(function))


def _load_embedding(function: Any) -> Any:
    return _LOAD(embedding(function))


def _embedder(function: Any) -> Any:
    """Observe that the embedder of templates is asked for only as long as there is none."""
    load = observed(function, _how("verbatim.load_model"), within=_load_embedding)

    @wraps(function)
    def get(self: Any) -> Any:
        return (load if self._embedder is None else function)(self)

    return get


def _structured(function: Any) -> Any:
    return _EXTRACT(unread(function))


_CORE: Final = "verbatim_core"
_CLIENT: Final = "verbatim_core.llm_client"
_EXTRACTORS: Final = "verbatim_core.extractors"
_TEMPLATES: Final = "verbatim_core.templates"
_MODELS: Final = ("ModelSpanExtractor", "SemanticHighlightExtractor")


def _pretrained(where: str) -> str:
    return f"{where.removesuffix('__init__')}from_pretrained"


def _both(where: str, operation: str | None, within: Any) -> Iterator[Target]:
    for name in (where, f"{where}_async"):
        yield Target(where=name, how=None if operation is None else _how(operation), within=within)


def _candidates() -> Iterator[Target]:
    for owner in ("verbatim_core.transform:VerbatimTransform", "verbatim_rag.transform:VerbatimTransform"):
        yield from _both(f"{owner}.transform", "verbatim.transform", _TRANSFORM)
    yield from _both("verbatim_core:Transformer.transform", "verbatim.transform", _TRANSFORM)
    yield from _both("verbatim_rag.core:VerbatimRAG.query", "verbatim.query", _TRANSFORM)
    yield from _both("verbatim_rag.core:VerbatimRAG._apply_reranker", None, reranked)
    yield Target(where="verbatim_rag.streaming:StreamingRAG.stream_query", how=_how("verbatim.stream"), within=streamed)
    yield from _both("verbatim_rag.core:VerbatimRAG.stream", "verbatim.stream", None)
    yield from _both(f"{_CLIENT}:LLMClient.complete", "verbatim.complete", completed)
    yield from _both(f"{_CLIENT}:LLMClient.extract_spans", None, unread)
    yield from _both(f"{_CLIENT}:LLMClient.extract_structured", "verbatim.extract", _structured)
    yield Target(where=f"{_CLIENT}:logger.isEnabledFor", how=None, within=heard_in_client)
    yield Target(where=f"{_EXTRACTORS}:logger.isEnabledFor", how=None, within=heard_in_extractors)
    yield Target(where=f"{_EXTRACTORS}:logger.filter", how=None, within=items_told)
    for name in ("LLMSpanExtractor", *_MODELS):
        yield from _both(f"{_EXTRACTORS}:{name}.extract_spans", "verbatim.extract", _EXTRACT)
        yield from _both(f"{_EXTRACTORS}:{name}.extract", "verbatim.extract", _EXTRACT)
    for name in _MODELS:
        yield Target(where=f"{_EXTRACTORS}:{name}.from_pretrained", how=_how("verbatim.load_model"), within=_LOAD)
        yield Target(where=f"{_EXTRACTORS}:{name}.__init__", how=_how("verbatim.load_model"), within=_load)
    for name in ("SentenceTransformersProvider", "SpladeProvider"):
        where = f"verbatim_rag.embedding_providers:{name}._load_model"
        yield Target(where=where, how=_how("verbatim.load_model"), within=_load_embedding)
    embedder = f"{_TEMPLATES}.question_specific:QuestionSpecificTemplate._get_embedder"
    yield Target(where=embedder, how=None, within=_embedder)
    fallback = f"{_TEMPLATES}.contextual:ContextualTemplate._get_fallback_template"
    yield Target(where=fallback, how=None, within=without_template)
    written = f"{_TEMPLATES}.random:RandomTemplate.generate_diverse_templates"
    yield Target(where=written, how=_how("verbatim.write_templates"), within=_WRITE)


def _held(where: str, broken: set[str]) -> Any:
    """Return the function that a class or module itself holds there, None in a release that has another."""
    module, _, path = where.partition(":")
    package = module.partition(".")[0]
    try:
        if package in broken or find_spec(package) is None or find_spec(module) is None:
            return None
        holder: Any = import_module(module)
    except Exception as error:
        if not isinstance(error, ModuleNotFoundError) or not f"{module}.".startswith(f"{error.name}."):
            # Not that this release has no such module: its own dependencies are missing, and an application can't use
            # it either. Counted once.
            broken.add(package)
            LEDGER.failure("instrument", error)
        return None
    *outer, name = path.split(".")
    for part in outer:
        holder = getattr(holder, part, None)
    if outer[-1:] == ["logger"]:
        return getattr(holder, name, None)
    return vars(holder).get(name) if isinstance(holder, type) else None


class VerbatimInstrumentor(LibraryInstrumentor):
    """Observes what verbatim does, in release 0.2.8 and, by the names that it has said it will have, in 0.3.

    ::

        VerbatimInstrumentor().instrument()

    Each of these is a call as of :func:`discreet.observe_call`, sync and async:

    - ``verbatim.transform``: ``VerbatimTransform.transform``, and 0.3's ``Transformer``;
    - ``verbatim.query`` and ``verbatim.stream``: ``VerbatimRAG.query`` and ``StreamingRAG.stream_query``;
    - ``verbatim.extract``: the extractors' ``extract_spans``, 0.3's ``extract``, and ``extract_structured``;
    - ``verbatim.complete``: ``LLMClient.complete``, whose replies are registered where they go;
    - ``verbatim.load_model``: the extractors, embedding providers and question-specific templates that load a model.
      With 0.2.8 too there is a record ``model_loaded`` with model, device and duration then;
    - ``verbatim.write_templates``: ``RandomTemplate.generate_diverse_templates``.

    Release 0.2.8 swallows what fails. Here a call whose every item has failed is an ``error`` with the code of the
    first, and so is the one around it, although both return; one with some failed items is ``degraded`` and has
    ``items_failed``. What it drops or falls back from is a warning of the call. Where it goes on after something
    else than an upstream error there is a record ``contract_violated``. This doesn't depend on the levels of its
    loggers.

    .. versionadded:: 0.1.0
    """

    package = _CORE
    dependencies = ("verbatim-core >= 0.2.8, < 0.4",)

    def targets(self) -> Collection[Target]:
        """Return verbatim's functions, those that the installed release has."""
        # With the functions themselves, since another object may get the id of one that is gone.
        found: dict[int, tuple[Any, Target]] = {}
        broken: set[str] = set()
        for target in _candidates():
            function = _held(target.where, broken)
            loads = target.where.endswith(".__init__")
            # A class of 0.3 loads its model before it is made, and says so itself.
            if function is None or (loads and _held(_pretrained(target.where), broken)):
                continue
            found.setdefault(id(function), (function, target))
        return tuple(target for _, target in found.values())
