from __future__ import annotations

from pathlib import Path

from conftest import Record, Records, Service

import discreet
from pilotbook import Answer, Book, Quote, ResultWarning

OARS = Quote(0, "The spare oars belong to Wilma Brandt.")


def _degraded(message: str, **said: str | int) -> Record:
    return {
        "level": "WARNING",
        "logger": "pilotbook.book",
        "message": message,
        "event": "fallback_used",
        "count": 1,
        **said,
    }


SEARCHED: Record = {
    "level": "DEBUG",
    "logger": "pilotbook.book",
    "event": "search_finished",
    "quotes": 1,
}


def test_an_answer_is_one_search_and_no_text(notes: Path, records: Records) -> None:
    """Events with their numbers; the content logger is closed, so its records aren't even made."""
    answer = Book.open(notes).ask("Whose oars?")

    assert answer == Answer((OARS,))
    assert records() == [
        {
            "level": "INFO",
            "logger": "pilotbook.book",
            "message": records()[0]["message"],
            "event": "notes_loaded",
            "notes": 2,
            "passages": 3,
        },
        {**SEARCHED, "message": "Passages found: 1, for 2 words"},
    ]


def test_a_note_that_cannot_be_read_degrades_the_book(notes: Path, records: Records) -> None:
    """The others are there, and a warning says that one isn't."""
    (notes / "c.txt").write_bytes(b"Br\xfccke")

    book = Book.open(notes)

    assert book.warnings == (ResultWarning("note_skipped", "Notes that are not in UTF-8: 1"),)
    assert records()[0] == _degraded("Notes left out, since they are not in UTF-8: 1", warning_code="note_skipped")


def test_a_long_question_is_shortened(notes: Path, records: Records) -> None:
    """The answer is by the words that are left."""
    answer = Book.open(notes).ask(" ".join(["oars", *(f"zz{number}" for number in range(20))]))

    assert answer == Answer((OARS,), (ResultWarning("question_shortened", "Words left out: 5"),))
    assert records()[1:] == [
        _degraded("Words of a question left out: 5", warning_code="question_shortened"),
        {**SEARCHED, "message": "Passages found: 1, for 16 words"},
    ]


def test_without_the_thesaurus_the_words_of_the_question_count(notes: Path, service: Service, records: Records) -> None:
    """The answer is correct and says what it lacks, and the observed call is degraded."""
    service.status = 503
    book = Book.open(notes, thesaurus=service.thesaurus())

    with discreet.observe_call("pilotbook.ask", question="Whose oars?") as call:
        answer = call.result(book.ask("Whose oars?"))

    assert answer == Answer((OARS,), (ResultWarning("synonyms_unavailable", "Only the words of the question count"),))
    degraded, searched, finished = records()[1:]
    assert degraded == _degraded(
        "The thesaurus failed, so only the words of the question count",
        warning_code="synonyms_unavailable",
        error_code="server_error",
        error_class="upstream",
    )
    assert searched == {**SEARCHED, "message": "Passages found: 1, for 2 words"}
    assert finished == {
        "level": "INFO",
        "logger": "discreet",
        "message": finished["message"],
        "event": "call_finished",
        "warning_code": "synonyms_unavailable",
        "operation": "pilotbook.ask",
        "outcome": "degraded",
        "warnings": 1,
    }


def test_other_words_find_more(notes: Path, service: Service) -> None:
    """What the thesaurus is there for."""
    service.body = '["Oars"]'

    assert Book.open(notes, thesaurus=service.thesaurus()).ask("paddles") == Answer((OARS,))


def test_a_saved_book_answers_as_before(notes: Path, tmp_path: Path) -> None:
    """An index in a file is the same book."""
    Book.open(notes).save(tmp_path / "index")

    assert Book.load(tmp_path / "index").ask("Whose oars?") == Answer((OARS,))
