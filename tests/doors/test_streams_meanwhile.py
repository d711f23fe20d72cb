"""What isn't a handler's, and prints while a handler is at work: signal handlers, destructors, filters of any form."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.doors.programs import TO_JSON, run

SETUP = f"""
import functools, gc, os, signal, weakref
discreet.install(streams=True)
{TO_JSON}
class Interrupted(logging.Handler):
    def emit(self, record):
        interrupt()
        print("wrote", record.getMessage())

class Callable:
    def __call__(self, *what):
        print("seen", QUESTION)
    def method(self, *what):
        print("seen", QUESTION)

def seen(*what):
    print("seen", QUESTION)

def raised(handler):
    signal.signal(signal.SIGUSR1, handler)
    return lambda: signal.raise_signal(signal.SIGUSR1)

class Dying:
    def __del__(self):
        print("seen", QUESTION)

class Owned:
    pass

def collected():
    gc.callbacks.append(lambda phase, info: print("seen", QUESTION) if phase == "stop" else None)
    gc.collect()
    gc.callbacks.pop()

log = logging.getLogger("app")
log.addHandler(Interrupted())
"""


@pytest.mark.parametrize(
    "interrupt",
    [
        "raised(seen)",
        "raised(Callable())",
        "raised(Callable().method)",
        "raised(functools.partial(seen, 1))",
        "Dying",
        "lambda: weakref.finalize(Owned(), seen)",
        "collected",
    ],
)
def test_what_python_runs_between_two_instructions_of_a_handler_prints_lines(tmp_path: Path, interrupt: str) -> None:
    """It is the program's and has its texts; what the handler itself prints still goes through."""
    ended = run(tmp_path, f"{SETUP}interrupt = {interrupt}\nlog.warning('No answer for %s', QUESTION)\n")

    assert (ended.code, ended.out, ended.err) == (0, "wrote No answer for <str 16-63>\n", "")
    assert [one["message"] for one in ended.records] == ["seen {QUESTION}", "No answer for <str 16-63>"]


@pytest.mark.parametrize(
    ("way", "line"),
    [
        ("handler.filter = lambda record: print('seen', record.getMessage()) or True", "seen {}"),
        ("handler.addFilter(lambda record: print('seen', record.getMessage()) or True)", "seen {}"),
        ("handler.filter = functools.partial(print, 'seen', QUESTION)", "<str 64-255>"),
    ],
)
def test_a_filter_prints_lines_whatever_it_is_called(tmp_path: Path, way: str, line: str) -> None:
    """It is called before the record is sealed, and may stand on the handler itself."""
    ended = run(
        tmp_path,
        f"""
        import functools
        discreet.install(streams=True)
        {TO_JSON}
        handler = logging.StreamHandler(sys.stdout)
        logging.getLogger("app").addHandler(handler)
        {way}
        logging.getLogger("app").warning("No answer for %s", QUESTION)
        """,
    )

    assert [one["message"] for one in ended.records] == [line, "No answer for <str 16-63>"]
    assert ended.records[0]["logger"] == "stdout"
