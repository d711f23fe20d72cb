"""A stream that ends with an event for whatever fails."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Any


class StreamingRAG:
    """Extracts in a thread."""

    code: str | None = None
    """The code of its last event, which release 0.3 will give it."""

    def __init__(self, rag: Any) -> None:
        self.rag = rag

    async def stream_query(self, question: str, num_docs: int | None = None) -> AsyncGenerator[dict[str, Any], None]:
        try:
            found = await self.rag._apply_reranker_async(question, self.rag.index(question))
            yield {"type": "documents", "data": [one.text for one in found]}
            spans = await asyncio.to_thread(self.rag.extractor.extract_spans, question, found)
            yield {"type": "answer", "data": spans, "done": True}
        except Exception as error:
            code = {} if self.code is None else {"code": self.code}
            yield {"type": "error", **code, "error": str(error), "done": True}
