"""A query that searches, reranks and extracts."""

from __future__ import annotations

import asyncio
import logging
from typing import Any


class VerbatimRAG:
    """Keeps the order of the search if the reranker fails, and says so on the root logger."""

    def __init__(self, index: Any, extractor: Any, reranker: Any = None) -> None:
        self.index = index
        self.extractor = extractor
        self.reranker = reranker

    def _apply_reranker(self, question: str, results: list[Any]) -> list[Any]:
        if not self.reranker:
            return results
        try:
            return list(self.reranker.rerank(question, results))
        except Exception as exc:
            logging.warning(f"Reranker failed, using original order: {exc}")
            return results

    async def _apply_reranker_async(self, question: str, results: list[Any]) -> list[Any]:
        if not self.reranker:
            return results
        try:
            if hasattr(self.reranker, "rerank_async"):
                return list(await self.reranker.rerank_async(question, results))
            return list(await asyncio.to_thread(self.reranker.rerank, question, results))
        except Exception as exc:
            logging.warning(f"Async reranker failed, using original order: {exc}")
            return results

    def query(self, question: str, k: int | None = None) -> dict[str, Any]:
        found = self._apply_reranker(question, self.index(question))
        return {"spans": self.extractor.extract_spans(question, found)}

    async def query_async(self, question: str, k: int | None = None) -> dict[str, Any]:
        found = await self._apply_reranker_async(question, self.index(question))
        return {"spans": await self.extractor.extract_spans_async(question, found)}
