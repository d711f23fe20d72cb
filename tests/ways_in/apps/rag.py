"""A small question answering around verbatim-core, that logs as such services do: the question, by an f-string."""

from __future__ import annotations

import logging
import os
from functools import cache

from verbatim_core import VerbatimTransform
from verbatim_core.llm_client import LLMClient

log = logging.getLogger("ragservice.api")

DOCUMENTS = (
    "The tool shed is locked with the brass key. It hangs in the pantry.",
    "Swarms are taken in before noon. The veil belongs on the hook.",
)


@cache
def transform() -> VerbatimTransform:
    """Return the one that all requests share."""
    client = LLMClient(model="heron", api_base=os.environ["LLM_URL"], api_key="sk-test")
    client.client.max_retries = 0
    return VerbatimTransform(llm_client=client, span_match_mode="exact")


def answered(question: str) -> str:
    """Answer a question, with the log lines of an API server."""
    log.info(f"Received query: {question}")
    chosen = "bees" if "behind" in question else "garden"
    log.info(f"Searching index {chosen}")
    answer = transform().transform(question, [{"content": text, "title": "House rules"} for text in DOCUMENTS])
    log.info(f"Answered query '{question[:24]}' with {len(answer.structured_answer.citations)} quotes")
    return str(answer.answer)
