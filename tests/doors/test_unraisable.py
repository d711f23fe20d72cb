"""Exceptions that Python ignores: in `__del__`, at exit, in callbacks."""

from __future__ import annotations

from pathlib import Path

from tests.doors.programs import TO_JSON, run

FAILING = """
class Chunk:
    def __repr__(self):
        return QUESTION
    def __del__(self):
        raise LookupError(QUESTION)
"""


def test_an_ignored_exception_is_told_by_type_and_place(tmp_path: Path) -> None:
    """Neither its text nor the object, whose repr Python prints; the program goes on."""
    ended = run(tmp_path, f"{FAILING}\ndiscreet.install()\n{TO_JSON}\nchunk = Chunk()\ndel chunk\nprint('on')")

    assert (ended.code, ended.out) == (0, "on\n")
    assert ended.err == "--- Ignored exception --- LookupError\n    __main__.py:Chunk.__del__:9\n"
    assert ended.records == [
        {
            "level": "ERROR",
            "logger": "discreet.uncaught",
            "message": "An exception was ignored that could not be raised",
            "event": "ignored_exception",
            "exception_type": "LookupError",
            "exception_frames": "__main__.py:Chunk.__del__:9",
        }
    ]


def test_what_fails_at_exit_is_told_the_same_way(tmp_path: Path) -> None:
    """A callback of atexit, and an object that dies with the interpreter, when nothing is left of `__main__`."""
    ended = run(
        tmp_path,
        f"""
        import atexit
        {FAILING.replace(chr(10), chr(10) + " " * 8)}
        discreet.install()
        def leave():
            raise OSError(2, QUESTION)
        atexit.register(leave)
        chunk = Chunk()
        """,
    )

    assert (ended.code, ended.out) == (0, "")
    assert ended.err == (
        "--- Ignored exception --- FileNotFoundError\n    __main__.py:leave:15\n"
        "--- Ignored exception --- LookupError\n    <other>:11\n"
    )


def test_the_hook_of_another_tool_gets_a_stand_in_without_the_object(tmp_path: Path) -> None:
    """With the type that Python gives to hooks, so that it can hand it on."""
    ended = run(
        tmp_path,
        f"""
        {FAILING.replace(chr(10), chr(10) + " " * 8)}
        def hook(args):
            print(type(args).__name__, args.exc_type.__name__, args.exc_value.args, args.err_msg, args.object)
            sys.__unraisablehook__(args)
        sys.unraisablehook = hook
        discreet.install()
        Chunk()
        """,
    )

    assert (ended.code, ended.out) == (0, "UnraisableHookArgs LookupError () None <object+>\n")
    assert ended.err == "--- Ignored exception --- LookupError\n    __main__.py:Chunk.__del__:10\n"


def test_what_fails_while_a_failure_is_told_is_counted(tmp_path: Path) -> None:
    """A handler of which an object fails to die; there is no end to it otherwise."""
    ended = run(
        tmp_path,
        f"""{FAILING}
class Dropping(logging.Handler):
    def emit(self, record):
        Chunk()
logging.root.addHandler(Dropping())
discreet.install()
Chunk()
from discreet.export.ledger import LEDGER
print(LEDGER.failures)
""",
    )

    assert (ended.code, ended.out) == (0, "{('sys.unraisablehook', 'LookupError'): 1}\n")
    assert ended.err == "--- Ignored exception --- LookupError\n    __main__.py:Chunk.__del__:9\n"
