"""A transformer that fails, or degrades its result, in the ways that release 0.3 has."""

from __future__ import annotations

from typing import Any

from verbatim_core.errors import (
    ConfigurationError,
    InvalidInputError,
    UpstreamError,
    VerbatimError,
)
from verbatim_core.extractors import LLMSpanExtractor, checked
from verbatim_core.results import Extraction, QueryResponse, ResultWarning, told

_UNNAMED = {
    "verbatim_error": lambda: VerbatimError("something deliberate"),
    "invalid_input": lambda: InvalidInputError("an argument is wrong", param="question"),
    "configuration_error": lambda: ConfigurationError("a setting is wrong"),
    "upstream_error": lambda: UpstreamError("the service failed", service="llm"),
}
"""Errors that have the code of their class."""


class Transformer:
    """Extracts, and puts what it has into a template."""

    def __init__(self, extractor: Any, *, templates: str = "static", llm_client: Any = None) -> None:
        self.extractor = extractor
        self.templates = templates
        self.llm_client = llm_client

    def transform(self, question: str, chunks: list[Any]) -> QueryResponse:
        texts = self._texts(question, chunks)
        if hasattr(self.extractor, "extract"):
            found = self.extractor.extract(question, texts)
        else:
            spans = self.extractor.extract_spans(question, texts)
            found = checked(texts, [spans[text] for text in texts], "span_text_not_found")
        template, warnings = self._template(question)
        return self._response(found, template, warnings)

    async def transform_async(self, question: str, chunks: list[Any]) -> QueryResponse:
        found = await self.extractor.extract_async(question, self._texts(question, chunks))
        return self._response(found, "[SPANS]", [])

    def _texts(self, question: str, chunks: list[Any]) -> list[str]:
        if self.templates in _UNNAMED:
            error: VerbatimError = _UNNAMED[self.templates]()
            raise error
        if self.templates == "quoting":
            raise InvalidInputError(f"can't answer {question}", param="question", code="invalid_value")
        if self.templates == "structured":
            text = "a transformer has no structured templates"
            raise InvalidInputError(text, param="template_mode", code="invalid_value")
        ids = [chunk.get("id") if isinstance(chunk, dict) else None for chunk in chunks]
        for index, chunk in enumerate(chunks):
            if not isinstance(chunk, dict):
                text = f"chunks[{index}] is no mapping"
                raise InvalidInputError(text, param=f"chunks[{index}]", code="invalid_value")
            if "content" not in chunk and "text" not in chunk:
                text = f"chunks[{index}] has no text"
                raise InvalidInputError(text, param=f"chunks[{index}]", code="missing_field")
            if ids[index] is not None and ids[index] in ids[:index]:
                text = f"chunks[{index}] has the id of another"
                raise InvalidInputError(text, param=f"chunks[{index}].id", code="invalid_value")
        return [chunk.get("content") or chunk["text"] for chunk in chunks]

    def _template(self, question: str) -> tuple[str, list[ResultWarning]]:
        if self.templates == "question_specific":
            raise ConfigurationError("templates by question need an embedder", code="missing_embedder")
        if self.templates != "contextual":
            return "[SPANS]", []
        try:
            return self.llm_client.complete(f"A template for: {question}"), []
        except UpstreamError as error:
            told("template_fallback", 1)
            return "[SPANS]", [ResultWarning("template_fallback", f"{error}: {question}")]

    def _response(self, found: Extraction, template: str, warnings: list[ResultWarning]) -> QueryResponse:
        spans = " ".join(span for spans in found.spans.values() for span in spans)
        return QueryResponse(template.replace("[SPANS]", spans), [*found.warnings, *warnings])


def default(llm_client: Any, **options: Any) -> Transformer:
    """Return a transformer that has an LLM extract."""
    return Transformer(LLMSpanExtractor(llm_client), llm_client=llm_client, **options)
