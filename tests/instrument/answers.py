"""What the models answer to a program that asks by all ways at once."""

from __future__ import annotations

import json

from tests.instrument.models import QUESTION, REPLY, Step

UNANSWERED = "Who sold Ottilie Brandvold the lighter?"
CHUNKS = ("Thorvald repaired the capstan aboard the lighter.", "The lighter belongs to Ottilie Brandvold.")


def for_all(prompt: str) -> Step:
    """Answer what verbatim asks and a plain question, and one question not at all."""
    if prompt == UNANSWERED:
        return 404
    if prompt == QUESTION:
        return REPLY
    if "[DISPLAY_SPANS]" in prompt or "template" in prompt.lower():
        return "Aboard:\n\n[DISPLAY_SPANS]"
    return json.dumps({"doc_0": [CHUNKS[0]], "doc_1": []})
