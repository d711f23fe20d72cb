"""What is said to be not guarded: in each of these ways a text comes out, so that nobody relies on less."""

from __future__ import annotations

import io
import logging
import subprocess
import sys
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

import discreet
from tests.forking import environment

TEXT = "Ida Holm's sister has hidden the pearls in the bread bin"
NAME = "tests.limits"
log = logging.getLogger(NAME)


@pytest.fixture
def handler() -> Any:
    """A handler of the standard library that writes into a text, with the guard installed."""
    handler = logging.StreamHandler(io.StringIO())
    handler.setFormatter(logging.Formatter("%(levelname)s %(message)s"))
    log.addHandler(handler)
    log.propagate = False
    discreet.install()
    return handler


def test_a_formatters_own_words_go_out(handler: Any) -> None:
    """It may have them from anywhere; what it was given is sealed."""

    class Telling(logging.Formatter):
        def format(self, record: logging.LogRecord) -> str:
            return f"{super().format(record)} for {TEXT}"

    handler.setFormatter(Telling("%(message)s"))

    log.warning("Asked %s", TEXT)

    assert handler.stream.getvalue() == f"Asked <str 16-63> for {TEXT}\n"


def test_a_handler_that_walks_along_the_frames_sees_their_variables() -> None:
    """The frames are the program's, and they are still at work."""
    seen: list[Any] = []

    class Walking(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            frame = sys._getframe()
            while frame is not None:
                seen.append(frame.f_locals.get("question_of_the_caller"))
                frame = frame.f_back

    def answer(question_of_the_caller: str) -> None:
        log.warning("Asked %s", question_of_the_caller)

    discreet.install()
    log.addHandler(Walking())
    answer(TEXT)

    assert TEXT in seen


def test_numbers_that_a_program_computes_from_a_text_go_out(handler: Any) -> None:
    """A length, a score or a count says something of what it was computed from."""
    log.warning("%d letters, %d of them an e, %.2f a word", len(TEXT), TEXT.count("e"), len(TEXT) / len(TEXT.split()))

    assert handler.stream.getvalue() == "WARNING 56 letters, 6 of them an e, 5.09 a word\n"


def test_which_record_a_program_logs_tells_of_the_text(handler: Any) -> None:
    """Both messages are the program's own literals."""

    def answer(question: str) -> None:
        if "pearls" in question:
            log.warning("Asked about jewels")
        else:
            log.warning("Asked about something else")

    answer(TEXT)

    assert handler.stream.getvalue() == "WARNING Asked about jewels\n"


def test_match_mode_lets_through_what_says_the_same_in_other_words(handler: Any) -> None:
    """The text itself is found there, a paraphrase isn't."""
    discreet.install(match=[NAME])

    with discreet.customer_text(question=TEXT):
        log.warning("Asked %s", TEXT)
        log.warning("Asked %s", "where the jewels of the Holm family are")

    lines = handler.stream.getvalue().splitlines()
    assert lines[-2:] == ["WARNING Asked <question 16-63>", "WARNING Asked where the jewels of the Holm family are"]


def _run(folder: Path, program: str) -> subprocess.CompletedProcess[str]:
    file = folder / "app.py"
    file.write_text(f"import discreet\nTEXT = {TEXT!r}\n{dedent(program)}", encoding="utf-8")
    return subprocess.run(
        [sys.executable, str(file)], env=environment(), capture_output=True, text=True, timeout=60, check=True
    )


def test_printed_text_goes_out_unless_streams_are_guarded(tmp_path: Path) -> None:
    """The program's standard output is its own until it is asked for."""
    done = _run(tmp_path, "discreet.install()\nprint('Asked', TEXT)\n")

    assert done.stdout == f"Asked {TEXT}\n"


def test_who_writes_to_a_descriptor_or_in_c_is_not_seen(tmp_path: Path) -> None:
    """`streams=True` replaces Python's two streams, and nothing below them."""
    done = _run(
        tmp_path,
        """
        import ctypes
        import os
        import subprocess
        import sys

        discreet.install(streams=True)
        print("By print:", TEXT)
        os.write(2, f"By os.write: {TEXT}\\n".encode())
        subprocess.run([sys.executable, "-c", f"print({'By a child: ' + TEXT!r})"], check=True)
        ctypes.CDLL(None).puts(f"In C: {TEXT}".encode())
        """,
    )

    assert f"By os.write: {TEXT}\n" in done.stderr
    assert f"By a child: {TEXT}\n" in done.stdout
    assert f"In C: {TEXT}\n" in done.stdout
    assert "By print: {TEXT}" in done.stdout + done.stderr
