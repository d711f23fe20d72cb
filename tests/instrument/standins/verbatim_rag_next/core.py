"""A query that searches, reranks and transforms."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from typing import Any

import requests
from verbatim_core.errors import ConfigurationError, UpstreamError
from verbatim_core.results import QueryResponse, ResultWarning, told


class JinaReranker:
    """Asks a service for the order."""

    def __init__(self, url: str) -> None:
        self.url = url

    def rerank(self, question: str, chunks: list[Any]) -> list[Any]:
        with requests.Session() as session:
            response = session.post(self.url, json={"input": question}, timeout=5)
        if response.status_code == 401:
            raise ConfigurationError("the reranker answered with status 401", code="authentication_failed")
        try:
            response.raise_for_status()
        except requests.RequestException as error:
            text = f"the reranker answered with status {response.status_code}"
            raise UpstreamError(text, service="reranker", retryable=True, code="server_error") from error
        return chunks[::-1]


class VerbatimRAG:
    """Keeps the order of the search if the reranker's service fails, and says so in the result."""

    def __init__(self, search: Callable[[str], list[Any]], transformer: Any, reranker: Any = None) -> None:
        self.search = search
        self.transformer = transformer
        self.reranker = reranker

    def query(self, question: str) -> QueryResponse:
        if self.transformer.templates == "structured" and self.transformer.llm_client is None:
            raise ConfigurationError("structured templates need an LLM client", code="missing_llm_client")
        chunks = self.search(question)
        warnings = []
        if self.reranker is not None:
            try:
                chunks = self.reranker.rerank(question, chunks)
            except UpstreamError as error:
                told("reranker_fallback", 1)
                warnings.append(ResultWarning("reranker_fallback", f"{error}: {question}"))
        response: QueryResponse = self.transformer.transform(question, chunks)
        response.warnings += warnings
        return response

    async def stream(self, question: str) -> AsyncGenerator[Any, None]:
        """Yield chunks, then the answer; raise what fails."""
        chunks = self.search(question)
        yield chunks
        yield await self.transformer.transform_async(question, chunks)
