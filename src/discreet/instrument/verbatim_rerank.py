"""Rerankers of verbatim 0.2.8, whose failures it swallows."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import iscoroutinefunction
from typing import Any

from discreet.instrument.streams import pass_over
from discreet.instrument.verbatim_swallowed import TALLY

__all__ = ["reranked"]

pass_over(__file__)

Part = Callable[..., Any]


class _Listening:
    """A reranker that keeps what it raises, for as long as verbatim handles it."""

    def __init__(self, reranker: Any) -> None:
        self._reranker = reranker
        self.error: BaseException | None = None

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._reranker, name)
        if name == "rerank":
            return self._kept(found)
        if name == "rerank_async":
            return self._kept_async(found)
        return found

    def _kept(self, rerank: Part) -> Part:
        def kept(*args: Any, **kwargs: Any) -> Any:
            try:
                return rerank(*args, **kwargs)
            except Exception as error:
                self.error = error
                raise

        return kept

    def _kept_async(self, rerank: Part) -> Part:
        async def kept(*args: Any, **kwargs: Any) -> Any:
            try:
                return await rerank(*args, **kwargs)
            except Exception as error:
                self.error = error
                raise

        return kept


class _With:
    """A VerbatimRAG with another reranker."""

    def __init__(self, rag: Any, reranker: _Listening) -> None:
        self._rag = rag
        self.reranker = reranker

    def __getattr__(self, name: str) -> Any:
        return getattr(self._rag, name)


def reranked(function: Part) -> Part:
    """Return what reranks, and notices that it keeps the order of the retrieval.

    .. versionadded:: 0.1.0
    """

    def tell(listening: _Listening) -> None:
        tally = TALLY.get()
        # Its traceback has the frame that has this.
        error, listening.error = listening.error, None
        if tally is not None and error is not None:
            tally.fell_back("reranker_fallback", error, of_llm=False)

    if iscoroutinefunction(function):

        @wraps(function)
        async def coroutine(self: Any, *args: Any, **kwargs: Any) -> Any:
            if not self.reranker:
                return await function(self, *args, **kwargs)
            listening = _Listening(self.reranker)
            value = await function(_With(self, listening), *args, **kwargs)
            tell(listening)
            return value

        return coroutine

    @wraps(function)
    def plain(self: Any, *args: Any, **kwargs: Any) -> Any:
        if not self.reranker:
            return function(self, *args, **kwargs)
        listening = _Listening(self.reranker)
        value = function(_With(self, listening), *args, **kwargs)
        tell(listening)
        return value

    return plain
