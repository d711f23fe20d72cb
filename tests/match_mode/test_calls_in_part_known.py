"""Match mode in a call of which a text couldn't be read: nothing is let through, for it could be a piece of that."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import discreet
from discreet.export.ledger import LEDGER
from discreet.instrument.observed import Observed, observed
from tests.match_mode.lines import log, logged

QUESTION = "Does Tollefsen still owe for the two oars?"
CHUNK = "Tollefsen paid in herrings"


class Unread:
    @property
    def text(self) -> str:
        raise LookupError


@pytest.fixture(autouse=True)
def _ledger() -> Iterator[None]:
    yield
    LEDGER.clear()


@pytest.mark.parametrize("chunks", [iter([CHUNK]), [CHUNK, Unread()], 7, object()])
def test_nothing_is_let_through_where_a_text_of_a_call_could_not_be_read(chunks: object) -> None:
    """In it and in calls inside it; before it and after it as ever."""

    def run() -> None:
        with discreet.customer_text(page="a page of the harbour's rules"):
            log.info("Told: %s", "shelf twelve")
            with discreet.observe_call("harbour.answer", question=QUESTION, chunks=chunks):
                log.info("Told: %s", "herrings")
                with discreet.observe_call("harbour.search", question=QUESTION):
                    log.info("Told: %s", "herrings")
            log.info("Told: %s", "shelf twelve")
        with discreet.observe_call("harbour.answer", chunks=chunks):
            log.info("Told: %s", "herrings")

    messages = [one["message"] for one in logged(run) if one["message"].startswith("Told")]
    assert messages == [
        "Told: shelf twelve",
        "Told: <str 1-15>",
        "Told: <str 1-15>",
        "Told: shelf twelve",
        "Told: <str 1-15>",
    ]
    assert LEDGER.as_dict()["failures"]


def search(question: str) -> None:
    log.info("Told: %s", "herrings")


@pytest.mark.parametrize(
    ("how", "known"),
    [
        (Observed(operation="harbour.search", texts=("question",)), True),
        (Observed(operation="harbour.search", texts=("question",), whole=False), False),
        (Observed(operation="harbour.search", whole=False), False),
        (Observed(operation="harbour.search", texts=("question",), find_texts=lambda given: given["chunks"]), False),
    ],
    ids=["all", "with files", "only files", "failed"],
)
def test_a_function_of_a_library_may_see_more_than_its_texts(how: Observed, known: bool) -> None:
    """Such as files that it reads; after it the call around it is known as before."""

    def run() -> None:
        with discreet.customer_text(page="a page of the harbour's rules"):
            observed(search, how)(QUESTION)
            log.info("Told: %s", "shelf twelve")

    messages = [one["message"] for one in logged(run) if one["message"].startswith("Told")]
    assert messages == ["Told: herrings" if known else "Told: <str 1-15>", "Told: shelf twelve"]


def test_what_could_be_read_is_still_looked_for() -> None:
    """In identifiers and in what is public, which doesn't need to know all."""

    def run() -> None:
        with discreet.observe_call("harbour.answer", question=QUESTION, chunks=[CHUNK, object()]):
            log.info("Told: %s", discreet.public("Tollefsen"))
            log.info("Told: %s", discreet.public("herrings"))
            log.info("Told: %s", discreet.public("invoices"))

    messages = [one["message"] for one in logged(run) if one["message"].startswith("Told")]
    assert messages == ["Told: <question 1-15>", "Told: <chunks[0] 1-15>", "Told: invoices"]
