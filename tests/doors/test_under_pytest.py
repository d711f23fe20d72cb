"""The doors inside of pytest, which replaces streams and hooks itself."""

from __future__ import annotations

import contextlib
import io
import logging
import sys

import pytest

import discreet
from tests.doors.programs import QUESTION


def test_capturing_tests_see_records_in_place_of_lines(
    capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    """caplog has the lines' records, capsys what is written past the doors."""
    before = sys.stdout, sys.stderr
    with caplog.at_level("INFO"):
        discreet.install(streams=True)
        print("Asked", QUESTION)
        print(QUESTION, file=sys.stderr)
        sys.stdout.target.write("past it\n")
        discreet.uninstall()
    print("after")

    assert (sys.stdout, sys.stderr) == before
    assert caplog.messages == ["Asked {QUESTION}", "<str 16-63>"]
    assert tuple(capsys.readouterr()) == ("past it\nafter\n", "")


def test_who_replaces_the_streams_for_a_while_gets_what_is_written(capsys: pytest.CaptureFixture[str]) -> None:
    """A program that collects its own output, as redirect_stdout does, then puts ours back."""
    discreet.install(streams=True)
    stream = io.StringIO()
    with contextlib.redirect_stdout(stream):
        discreet.install()
        print(QUESTION)
    with contextlib.redirect_stdout(io.StringIO()):
        discreet.install(streams=True)
    discreet.install(streams=True)
    print(QUESTION)
    discreet.uninstall()

    assert stream.getvalue() == f"{QUESTION}\n"
    assert tuple(capsys.readouterr()) == ("", "")


def test_a_stream_without_bytes_below_it_is_guarded_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test's StringIO, a notebook's stream: they have no buffer, and neither has ours."""
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stdout", stream)
    handler = logging.NullHandler()
    logging.root.addHandler(handler)
    discreet.install(streams=True)
    print(QUESTION)
    has_buffer = hasattr(sys.stdout, "buffer")
    discreet.uninstall()

    assert (stream.getvalue(), has_buffer, sys.stdout) == ("", False, stream)


def test_python_without_a_console_has_no_streams_to_guard(monkeypatch: pytest.MonkeyPatch) -> None:
    """pythonw and some daemons have None there, and print says nothing."""
    monkeypatch.setattr(sys, "stdout", None)
    monkeypatch.setattr(sys, "stderr", None)
    discreet.install(streams=True)
    print(QUESTION)
    sys.excepthook(ValueError, ValueError(QUESTION), None)
    streams = sys.stdout, sys.stderr
    discreet.uninstall()

    assert (*streams, sys.stdout, sys.stderr) == (None, None, None, None)
