"""Providers of embeddings that load their model when they are made, and log its name."""

from __future__ import annotations

import importlib
import logging
from typing import Any

logger = logging.getLogger(__name__)


def _library() -> Any:
    try:
        return importlib.import_module("sentence_transformers")
    except ImportError:
        raise ImportError("pip install sentence-transformers")  # noqa: B904  # as it does there


class SentenceTransformersProvider:
    """Dense."""

    def __init__(self, model_name: str, device: str = "cpu") -> None:
        self.model_name = model_name
        self.device = device
        self._load_model()

    def _load_model(self) -> None:
        self.model = _library().SentenceTransformer(self.model_name, device=self.device)
        logger.info(f"Loaded SentenceTransformers model: {self.model_name}")


class SpladeProvider:
    """Sparse."""

    def __init__(self, model_name: str, device: str = "cpu") -> None:
        self.model_name = model_name
        self.device = device
        self._load_model()

    def _load_model(self) -> None:
        self.model = _library().SparseEncoder(self.model_name, device=self.device)
        logger.info(f"Loaded SPLADE model: {self.model_name}")
