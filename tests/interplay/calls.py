"""A program's log calls with customer sentences in every place, and what of them may come out."""

from __future__ import annotations

import logging
from typing import Any

from tests.ways_in.customer import SENTENCES, found_in

__all__ = ["ASKED", "CHAIN", "LOGGER", "MESSAGES", "SENTENCES", "answer", "fail", "found_in", "work"]

LOGGER = "tests.interplay.calls"
ASKED = "Asked {question} in 12.5 ms"
MESSAGES = (ASKED, "Asked <str 64-255> in 12 ms", "Asked", "<str 16-63>", "Failed for <str 64-255>")
CHAIN = "ValueError < LookupError"


def fail() -> None:
    """Raise an exception with a cause and notes, each with a sentence."""
    try:
        raise LookupError(SENTENCES[1])
    except LookupError as error:
        error.add_note(SENTENCES[2])
        later = ValueError(SENTENCES[3])
        later.add_note(SENTENCES[0])
        raise later from error


def work(log: logging.Logger) -> None:
    """Log sentences as message, argument, extra, exception, cause and notes."""
    question = SENTENCES[0]
    log.warning(f"Asked {question} in {2.5 * 5:.1f} ms")
    log.warning("Asked %s in %d ms", SENTENCES[3], 12)
    log.warning("Asked", extra={"prompt": SENTENCES[1], "chunks": [SENTENCES[2]], "shard": 3})
    log.warning(question)
    try:
        fail()
    except ValueError:
        log.exception("Failed for %s", SENTENCES[1], extra={"shard": 4})


def answer(log: logging.Logger, question: str) -> None:
    """Log a sentence that came from elsewhere."""
    log.warning("Answered: %s", question)


def of_lines(lines: list[dict[str, Any]]) -> list[str]:
    """Return the messages of the lines of JSON that `work` made."""
    return [line["message"] for line in lines if line["logger"] == LOGGER]
