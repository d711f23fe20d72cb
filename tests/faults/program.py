"""Log calls that take every way through the guard; imported anew for each fault, so that its call sites are unknown."""

from __future__ import annotations

import enum
import logging
from collections.abc import Callable

import discreet

QUESTION = "Which of the two lighthouses did Frederica's aunt paint?"
CHUNK = "Frederica's aunt painted the northern lighthouse yellow in the spring of 1921."
LOG = logging.getLogger("faults.deny")
MATCHED = logging.getLogger("faults.match")


class Colour(enum.Enum):
    """Something of the program's own that can be named."""

    YELLOW = 1


class AskedError(Exception):
    """One of the program's own errors."""

    def __init__(self) -> None:
        super().__init__(QUESTION)
        self.add_note(CHUNK)
        self.chunk = CHUNK


def _fail() -> None:
    try:
        raise KeyError(CHUNK)
    except KeyError as error:
        raise AskedError from error


def literal() -> None:
    LOG.info("index was opened")


def arguments() -> None:
    LOG.info("ranked %d chunks for %s in %.1f ms", 7, QUESTION, 12.5)


def mapping() -> None:
    LOG.info("ranked %(count)d chunks for %(question)r", {"count": 7, "question": QUESTION})


def f_string() -> None:
    LOG.info(f"ranked {len(CHUNK)} chunks for {QUESTION}")


def unproven() -> None:
    LOG.info(str.upper(QUESTION))


def objects() -> None:
    LOG.info("took %s, %s, %s and %s", Colour.YELLOW, Colour, AskedError(), b"aunt")


def public() -> None:
    LOG.info("model %s of %s", discreet.public("large-2"), discreet.public(QUESTION))


def attributes() -> None:
    LOG.info("counted", extra={"chunks": 3, "question": QUESTION, "model": "large-2"})


def failure() -> None:
    try:
        _fail()
    except AskedError:
        LOG.exception("no answer to %s", QUESTION)


def group() -> None:
    LOG.warning("several failed", exc_info=ExceptionGroup(QUESTION, [ValueError(CHUNK), OSError(2, CHUNK)]))


def of_match_mode() -> None:
    MATCHED.info("looked for %s in %s", "page 12", CHUNK[10:60])


def unproven_of_match_mode() -> None:
    MATCHED.info(str.title(CHUNK), extra={"question": QUESTION, "page": "page 12"})


CALLS: dict[str, Callable[[], None]] = {
    call.__name__: call
    for call in (
        literal,
        arguments,
        mapping,
        f_string,
        unproven,
        objects,
        public,
        attributes,
        failure,
        group,
        of_match_mode,
        unproven_of_match_mode,
    )
}
