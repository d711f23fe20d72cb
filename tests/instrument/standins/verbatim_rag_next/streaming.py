"""The deprecated stream, whose last event says what failed."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator
from typing import Any

from verbatim_core.errors import VerbatimError

logger = logging.getLogger(__name__)


class StreamingRAG:
    """Nobody can receive an exception."""

    def __init__(self, rag: Any) -> None:
        self.rag = rag

    async def stream_query(self, question: str) -> AsyncGenerator[dict[str, Any], None]:
        try:
            chunks = self.rag.search(question)
            yield {"type": "documents", "data": chunks}
            response = await self.rag.transformer.transform_async(question, chunks)
            yield {"type": "answer", "data": response, "done": True}
        except Exception as error:
            code = error.code if isinstance(error, VerbatimError) else "internal_error"
            logger.exception("A stream failed", extra={"error_code": code})
            yield {"type": "error", "code": code, "error": f"{error}: {question}", "done": True}
