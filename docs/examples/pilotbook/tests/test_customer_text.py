from __future__ import annotations

import io
import logging
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import Records, Service

import discreet
from pilotbook import Book, PilotbookError

# Words that stand in the notes and questions of these tests and nowhere else.
WORDS = ("wilma", "brandt", "oars", "dark")
QUESTION = "Does Wilma Brandt lend her oars after dark?"

app = logging.getLogger("app")


@pytest.fixture
def output() -> Iterator[io.StringIO]:
    """What a plain handler of an application writes."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(logging.Formatter("%(name)s %(levelname)s %(message)s"))
    root = logging.getLogger()
    before = root.level
    root.addHandler(handler)
    yield stream
    root.removeHandler(handler)
    root.setLevel(before)


def _use_all_of_it(notes: Path, service: Service) -> None:
    """What degrades and what fails, with customers' words in all that goes in and comes back."""
    (notes / "oars.txt").write_bytes(b"Wilma Brandt\xff")
    book = Book.open(notes, thesaurus=service.thesaurus())
    for status in 200, 401, 422, 503:
        service.status = status
        for question in QUESTION, " ".join(f"{QUESTION} zz{number}" for number in range(20)), "?!":
            try:
                book.ask(question)
            except PilotbookError:
                app.info("Failed")


def _leaked(text: str) -> set[str]:
    return {word for word in WORDS if word in text.casefold()}


def test_with_the_guard_nothing_of_a_text_comes_out(
    notes: Path, service: Service, records: Records, output: io.StringIO
) -> None:
    """At every level, by discreet's JSON and by a handler of the application."""
    _use_all_of_it(notes, service)
    app.warning(f"Asked {QUESTION}")

    assert len(records()) > 20
    assert len(output.getvalue().splitlines()) > 20
    assert _leaked(str(records())) == set()
    assert _leaked(output.getvalue()) == set()


def test_without_discreet_nothing_comes_out_at_info_or_above(
    notes: Path, service: Service, output: io.StringIO
) -> None:
    """The library's own promise. The control: the same handler does write what the application says."""
    logging.getLogger().setLevel(logging.INFO)

    _use_all_of_it(notes, service)

    assert len(output.getvalue().splitlines()) > 10
    assert _leaked(output.getvalue()) == set()
    app.warning(f"Asked {QUESTION}")
    assert _leaked(output.getvalue()) == set(WORDS)


def test_without_discreet_only_the_content_logger_has_it_at_debug(
    notes: Path, service: Service, output: io.StringIO
) -> None:
    """Who debugs the library sets one logger to INFO and has every step without a text."""
    logging.getLogger().setLevel(logging.DEBUG)

    _use_all_of_it(notes, service)

    lines = output.getvalue().splitlines()
    said = {line.split()[0] for line in lines if _leaked(line)}
    assert said == {"pilotbook.content"}


def test_an_operator_can_open_the_content_logger(notes: Path, output: io.StringIO) -> None:
    """And reads there what was asked, while all else stays closed."""
    with discreet.configure(json=None, level="INFO", report_every=0, content_debug=["pilotbook.content"]):
        Book.open(notes).ask(QUESTION)
        app.info(f"Asked {QUESTION}")
    discreet.uninstall()

    assert [line for line in output.getvalue().splitlines() if _leaked(line)] == [
        f"pilotbook.content DEBUG Question: {QUESTION}",
        "pilotbook.content DEBUG Quote of note 0: The spare oars belong to Wilma Brandt.",
        "pilotbook.content DEBUG Quote of note 1: Nobody rows after dark.",
    ]


def test_it_needs_no_discreet_and_says_nothing_by_itself(notes: Path) -> None:
    """A program that never set logging up: no output, and nothing but Python is loaded."""
    (notes / "c.txt").write_bytes(b"\xff")
    program = f"import pilotbook, sys; pilotbook.Book.open({str(notes)!r}); assert 'discreet' not in sys.modules"

    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
