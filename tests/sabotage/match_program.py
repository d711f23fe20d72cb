"""The part of the program whose loggers are in match mode: a function for each place where it has to withhold."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

import discreet
from discreet.match_mode import set_match
from discreet.scope import carry

LOG = logging.getLogger("harbour")
QUESTION = "Does saffronhill owe anything to the thistledown family of the upper town?"


class SafeError(Exception):
    """Keeps customer text out of its message, says its contract."""


@contextmanager
def match_mode(question: str | None = QUESTION) -> Iterator[None]:
    set_match("install", ("harbour", "rag"))
    try:
        with discreet.customer_text(question=question):
            yield
    finally:
        set_match("install", ())


def match_value() -> None:
    with match_mode():
        LOG.info("about %s", "saffronhill")
        LOG.info("about %(who)s", {"who": QUESTION})


def match_slot() -> None:
    who = "saffronhill".upper()
    with match_mode():
        LOG.info(f"about {who} of the town")


def match_message() -> None:
    with match_mode():
        LOG.info(f"about: {QUESTION}".title())


def match_pieces() -> None:
    with match_mode():
        LOG.info("%s%s%s", "thi", "stle", "down")


def match_without_scope() -> None:
    with match_mode():
        pass
    set_match("install", ("harbour",))
    LOG.info("about %s", "tamariskway")
    set_match("install", ())


def match_after_the_call() -> None:
    with match_mode():
        later = carry(lambda: LOG.info("about %s", "celandines"))
    set_match("install", ("harbour",))
    later()
    set_match("install", ())


def match_after_an_inner_call() -> None:
    with match_mode():
        with discreet.customer_text(name="hawkweedson"):
            later = carry(lambda: LOG.info("about %s", "hawkweedson"))
        later()


def match_without_text() -> None:
    with match_mode(question=" "):
        LOG.info("about %s", "valerianend")


def match_prefix() -> None:
    with match_mode():
        logging.getLogger("harbourmaster").info("about %s", "woodsorrels")


def match_content() -> None:
    log = logging.getLogger("rag.content")
    log.setLevel(logging.INFO)
    with match_mode():
        log.info("about %s", "yellowrattle")


def match_lines() -> None:
    with match_mode():
        LOG.info("about %s", "one\nzinniabeds")
        LOG.info("about %s", f"{'-' * 1100} zinniabeds")


def match_object() -> None:
    class Speaking:
        def __str__(self) -> str:
            return "object of bluebonnet"

    with match_mode():
        LOG.info("about %s", Speaking())


def match_number() -> None:
    number = int.from_bytes(b"foxtails", "big")
    with match_mode():
        LOG.info(f"account {number:d} of them")


def safe_message() -> None:
    with match_mode():
        LOG.error(
            "failed", exc_info=SafeError("no letter for Saffronhill and the Thistledown family of the upper town")
        )
    LOG.error("failed", exc_info=SafeError("no letter for speedwellton"))
