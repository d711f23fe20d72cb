"""A program's log calls with customer sentences in every place, and what of them may come out."""

from __future__ import annotations

import logging
from typing import Any

import discreet
from tests.ways_in.customer import SENTENCES, found_in

__all__ = [
    "ASKED",
    "CHAIN",
    "EXPECTED",
    "LOGGER",
    "MESSAGES",
    "NAME",
    "SENTENCES",
    "answer",
    "fail",
    "found_in",
    "told",
    "work",
    "work_in_scope",
]

LOGGER = "tests.interplay.calls"
ASKED = "Asked {question} in 12.5 ms"
MESSAGES = (ASKED, "Asked <str 64-255> in 12 ms", "Asked", "<str 16-63>", "Failed for <str 64-255>")
CHAIN = "ValueError < LookupError"
NAME = "Caspian"
PLACE = "<question 1-15>"
EXPECTED = [f"Asked about {PLACE} of 3", f"Asked about {PLACE} of 4", f"Failed for {PLACE}"]


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


def work_in_scope(log: logging.Logger) -> None:
    """Log a name that stands in the question: as a public value, in match mode, and with an exception."""
    with discreet.customer_text(question=SENTENCES[0], chunks=SENTENCES[1:]):
        log.warning("Asked about %s of %d", discreet.public(NAME), 3)
        log.getChild("matched").warning("Asked about %s of %d", NAME, 4)
        try:
            raise LookupError(NAME)
        except LookupError:
            log.exception("Failed for %s", discreet.public(NAME))


def told(log: logging.Logger, word: str) -> None:
    """Log a word as a public value."""
    log.warning("Told %s", discreet.public(word))


def answer(log: logging.Logger, question: str) -> None:
    """Log a sentence that came from elsewhere."""
    log.warning("Answered: %s", question)


def of_lines(lines: list[dict[str, Any]]) -> list[str]:
    """Return the messages of the lines of JSON that `work` made."""
    return [line["message"] for line in lines if line["logger"] == LOGGER]
