"""The model extractor of the stand-in for verbatim 0.3, with the records that 0.3 will make."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from verbatim_standin.errors import ConfigurationError, InvalidInputError, UpstreamError

logger = logging.getLogger(__name__)
content = logging.getLogger("verbatim_standin.content")

_DEVICES = ("cpu", "cuda", "mps")


@dataclass(frozen=True, slots=True)
class ResultWarning:
    """Why a result is degraded, though correct."""

    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Extraction:
    """Quotes by chunk, and the warnings that belong to them."""

    quotes: tuple[str, ...]
    warnings: tuple[ResultWarning, ...]


class ModelSpanExtractor:
    """Picks the quotes for a question, as if with a model.

    Args:
        model: Name of the model.
        window: How many characters of a chunk the model reads.
    """

    def __init__(self, model: str, *, window: int = 120) -> None:
        self.model = model
        self.window = window

    @classmethod
    def from_pretrained(cls, model: str, *, device: str = "cpu", seconds: float = 0.3) -> Self:
        """Load a model, which takes `seconds`, and log `model_loaded`.

        Raises:
            ConfigurationError: `invalid_value`: there is no such device.
        """
        if device not in _DEVICES:
            raise ConfigurationError("device is none of cpu, cuda, mps", code="invalid_value")
        started = time.perf_counter()
        time.sleep(seconds)
        duration_ms = (time.perf_counter() - started) * 1000
        logger.info(
            "Loaded %s on %s in %.0f ms",
            model,
            device,
            duration_ms,
            extra={
                "event": "model_loaded",
                "model": model,
                "device": device,
                "duration_ms": duration_ms,
            },
        )
        return cls(model)

    def extract(self, question: str, chunks: Sequence[str]) -> Extraction:
        """Quote each chunk from its start, as far as the model reads.

        Raises:
            InvalidInputError: `invalid_value`: a chunk is empty; `param` is its place.
        """
        for index, chunk in enumerate(chunks):
            content.debug("question %r asked of chunk %d: %r", question, index, chunk)
            if not chunk:
                place = f"chunks[{index}]"
                raise InvalidInputError(f"{place} is empty", param=place, code="invalid_value")
        truncated = sum(len(chunk) > self.window for chunk in chunks)
        quotes = tuple(chunk[: self.window] for chunk in chunks)
        warnings: tuple[ResultWarning, ...] = ()
        if truncated:
            logger.warning(
                "%d chunks are longer than the model's window and were examined in part",
                truncated,
                extra={"event": "fallback_used", "warning_code": "chunk_truncated"},
            )
            text = f"{truncated} chunks were examined in part"
            warnings = (ResultWarning("chunk_truncated", text),)
        return Extraction(quotes, warnings)

    def rerank(self, question: str, chunks: Sequence[str]) -> list[str]:
        """Order chunks with the reranker service, which never answers here.

        Raises:
            UpstreamError: `timeout`, retryable.
        """
        content.debug("question %r sent to the reranker with %d chunks", question, len(chunks))
        raise UpstreamError(
            "the reranker gave no answer in time",
            code="timeout",
            service="reranker",
            retryable=True,
            retry_after=2.0,
        )
