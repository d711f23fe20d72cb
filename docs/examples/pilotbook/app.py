"""An application: asks notes two questions, and logs what came of them."""

import logging
import tempfile
from pathlib import Path

import discreet
from pilotbook import Book, InvalidInputError, Thesaurus

log = logging.getLogger("app")

NOTES = {
    "door.txt": "The key of the boat house hangs behind the door.\n\nThe door is green.",
    "light.txt": "The harbour light is lit at six. Ida Holm does that.",
}


def answer(book: Book, question: str) -> None:
    with discreet.observe_call("pilotbook.ask", question=question) as call:
        found = call.result(book.ask(question))
    for quote in found.quotes:
        log.info("Note %d says %s", quote.note, quote.text)


with tempfile.TemporaryDirectory() as folder, discreet.configure(json="-"):
    for name, text in NOTES.items():
        Path(folder, name).write_text(text, encoding="utf-8")
    # Nothing listens there.
    book = Book.open(folder, thesaurus=Thesaurus("http://127.0.0.1:9"))
    answer(book, "Who lights the harbour light?")
    try:
        answer(book, "?!")
    except InvalidInputError:
        log.exception("No answer")
