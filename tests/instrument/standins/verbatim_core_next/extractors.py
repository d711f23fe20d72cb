"""Extractors, which say in their results what they left out."""

from __future__ import annotations

import importlib
import json
import time
from pathlib import Path
from typing import Any, Self

from verbatim_core.errors import ConfigurationError, UpstreamError
from verbatim_core.results import Extraction, ResultWarning, logger, told

_DEVICES = ("cpu", "cuda", "mps")
_WINDOW = 40


class LLMSpanExtractor:
    """Has an LLM quote; a client from before this release has another method, and exceptions of its own."""

    def __init__(self, llm_client: Any) -> None:
        self.llm_client = llm_client

    def extract(self, question: str, chunks: list[str]) -> Extraction:
        return self._extraction(chunks, [self._ask(question, chunk) for chunk in chunks])

    async def extract_async(self, question: str, chunks: list[str]) -> Extraction:
        replies = [await self.llm_client.complete_async(f"{question}\n{chunk}") for chunk in chunks]
        return self._extraction(chunks, [_read(reply) for reply in replies])

    def extract_spans(self, question: str, search_results: list[Any]) -> dict[str, list[str]]:
        """As before: deprecated, since a chunk whose request failed has no spans, and only a record says so."""
        found: dict[str, list[str]] = {}
        for index, result in enumerate(search_results):
            try:
                found[result.text] = self._ask(question, result.text)
            except UpstreamError as error:
                about = {"event": "item_failed", "error_code": error.code}
                logger.warning("chunks[%d] has no spans", index, extra=about)
                found[result.text] = []
        return found

    def _ask(self, question: str, chunk: str) -> list[str]:
        if hasattr(self.llm_client, "complete"):
            return _read(self.llm_client.complete(f"{question}\n{chunk}"))
        try:
            return list(self.llm_client.extract_relevant_spans(question, chunk))
        except Exception as error:
            raise UpstreamError("the LLM client failed", service="llm", code="client_failed") from error

    def _extraction(self, chunks: list[str], spans: list[list[str]]) -> Extraction:
        return checked(chunks, spans, "quote_not_found")


class ModelSpanExtractor:
    """Quotes the beginning of each chunk, as much of it as the model sees."""

    def __init__(self, model: str) -> None:
        self.model = model

    @classmethod
    def from_pretrained(cls, model: str, *, device: str = "cpu", needs: str = "json") -> Self:
        if device not in _DEVICES:
            raise ConfigurationError("device is none of cpu, cuda, mps", code="invalid_value")
        try:
            importlib.import_module(needs)
        except ImportError as error:
            raise ConfigurationError("a package that the model needs is missing", code="missing_dependency") from error
        started = time.perf_counter()
        if model.startswith("/"):
            try:
                Path(model, "config.json").read_text("utf-8")
            except OSError as error:
                raise ConfigurationError("the model can't be read", code="model_not_loaded") from error
        milliseconds = (time.perf_counter() - started) * 1000
        about = {"event": "model_loaded", "model": model, "device": device, "duration_ms": milliseconds}
        logger.info("Loaded %s on %s in %.0f ms", model, device, milliseconds, extra=about)
        return cls(model)

    def extract(self, question: str, chunks: list[str]) -> Extraction:
        cut = sum(len(chunk) > _WINDOW for chunk in chunks)
        warnings = [
            ResultWarning("chunk_truncated", f"{question}: {chunk}") for chunk in chunks if len(chunk) > _WINDOW
        ]
        told("chunk_truncated", cut)
        return Extraction({chunk: [chunk[:_WINDOW]] for chunk in chunks}, warnings)


def checked(chunks: list[str], spans: list[list[str]], code: str) -> Extraction:
    """Leave out what isn't in its chunk."""
    found, warnings = {}, []
    for chunk, quotes in zip(chunks, spans, strict=True):
        found[chunk] = [quote for quote in quotes if quote in chunk]
        warnings += [ResultWarning(code, quote) for quote in quotes if quote not in chunk]
    told(code, len(warnings))
    return Extraction(found, warnings)


def _read(reply: str) -> list[str]:
    try:
        return [str(quote) for quote in json.loads(reply)]
    except (ValueError, TypeError) as error:
        raise UpstreamError("the reply can't be read", service="llm", retryable=True, code="invalid_reply") from error
