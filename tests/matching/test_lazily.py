"""Texts are made searchable when a record needs it: not before, not twice, and not for records that have no text."""

from __future__ import annotations

import io
import logging

import pytest

import discreet
from discreet.matching import Index, Match
from discreet.matching import index as matching
from tests.matching import prose

LOGGER = logging.getLogger("lazily.service")
MISSING = "no such page"


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many texts each index was made of, in order."""
    counts: list[int] = []

    class Counted(matching._Parts):
        def __init__(self, texts: list[tuple[str, str | bytes]]) -> None:
            counts.append(len(texts))
            super().__init__(texts)

    monkeypatch.setattr(matching, "_Parts", Counted)
    return counts


def _listening() -> io.StringIO:
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(discreet.JsonFormatter())
    LOGGER.handlers[:] = [handler]
    LOGGER.propagate = False
    LOGGER.setLevel(logging.INFO)
    return stream


def _without_text() -> None:
    LOGGER.info("index was opened")
    LOGGER.info("ranked %d chunks in %.1f ms", 7, 12.5)
    LOGGER.info(f"ranked {len(MISSING)} chunks")
    LOGGER.debug("asked for %s", MISSING)
    LOGGER.info("counted", extra={"chunks": 3})
    try:
        raise ValueError(MISSING)
    except ValueError:
        LOGGER.exception("looking failed")


@pytest.mark.parametrize("match", [(), ("lazily",)], ids=["deny", "match"])
def test_records_without_text_have_nothing_made_searchable(made: list[int], match: tuple[str, ...]) -> None:
    """Literals, numbers, exceptions and calls at a level that is off cost no more with 100 KB registered."""
    stream = _listening()
    discreet.install(match=match)
    with discreet.customer_text(chunks=prose.texts(100_000)):
        _without_text()

    assert (len(stream.getvalue().splitlines()), made) == (5, [])


def test_a_text_that_is_withheld_anyway_is_not_looked_up(made: list[int]) -> None:
    """In deny mode what a string holds changes nothing."""
    stream = _listening()
    discreet.install()
    with discreet.customer_text(question="Where is the key of the boat house?"):
        LOGGER.info("asked for %s", MISSING)
        LOGGER.info(f"asked for {MISSING}")

    assert (len(stream.getvalue().splitlines()), made) == (2, [])


def test_all_records_of_a_call_share_what_the_first_had_made(made: list[int]) -> None:
    """One index for each call that needed one."""
    _listening()
    discreet.install(match=["lazily"])
    with discreet.customer_text(chunks=prose.texts(6_000)):
        for number in range(5):
            LOGGER.info("looked for %s of %s", f"page {number}", MISSING)
    with discreet.customer_text(question="Where is the key of the boat house?"):
        _without_text()
    with discreet.customer_text(question="Where is the key of the boat house?"):
        LOGGER.info("shown as %s", discreet.public("a name"))
        LOGGER.info("shown as %s", discreet.public("another name"))

    assert made == [4, 1]


@pytest.mark.parametrize("method", ["find", "find_part"])
def test_what_is_remembered_may_be_forgotten_by_another_thread_at_any_moment(method: str) -> None:
    """Threads that share a scope share what was found in it."""

    class Forgotten(dict[str, Match | None]):
        """Empty as soon as it was looked into."""

        def __contains__(self, key: object) -> bool:
            found = super().__contains__(key)
            self.clear()
            return found

    index = Index([("question", "Who feeds the swans at Abbotsbury in the winter?")])
    find = getattr(index, method)
    first = find("Abbotsbury")
    index._found = tuple(map(Forgotten, index._found))  # type: ignore[assignment]  # three of them still

    assert find("Abbotsbury") == first == Match("question", "inside", 10, 0, 18)
