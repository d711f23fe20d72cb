"""Exceptions that nobody catches: one rendering without text on standard error, one record, the usual exit code."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.doors.programs import TO_JSON, run


def test_an_uncaught_exception_is_rendered_once_and_logged_once(tmp_path: Path) -> None:
    """Types, codes and places of the whole chain; no text, no line of source."""
    ended = run(
        tmp_path,
        f"""
        discreet.install()
        {TO_JSON}
        def parse(reply):
            try:
                return int(reply)
            except ValueError as error:
                raise discreet.UpstreamError(reply, service="llm") from error

        parse(QUESTION)
        """,
    )

    assert (ended.code, ended.out) == (1, "")
    assert ended.err == (
        "--- Uncaught exception --- discreet.errors.UpstreamError[upstream_error] < ValueError\n"
        "    __main__.py:<module>:14\n"
        "    __main__.py:parse:12\n"
    )
    assert ended.records == [
        {
            "level": "CRITICAL",
            "logger": "discreet.uncaught",
            "message": "Uncaught exception",
            "event": "uncaught_exception",
            "error_code": "upstream_error",
            "error_class": "upstream",
            "upstream_service": "llm",
            "retryable": False,
            "place": "main",
            "exception_type": "discreet.errors.UpstreamError",
            "exception_code": "upstream_error",
            "exception_chain": "discreet.errors.UpstreamError < ValueError",
            "exception_frames": "__main__.py:<module>:14 > __main__.py:parse:12",
        }
    ]


def test_without_a_handler_there_is_the_rendering_alone(tmp_path: Path) -> None:
    """The handler of last resort would say the same once more."""
    ended = run(
        tmp_path, "discreet.install()\nraise ExceptionGroup(QUESTION, [KeyError(QUESTION), OSError(2, QUESTION)])"
    )

    assert (ended.code, ended.out) == (1, "")
    assert ended.err == (
        "--- Uncaught exception --- ExceptionGroup(2: KeyError, FileNotFoundError)\n    __main__.py:<module>:5\n"
    )


@pytest.mark.parametrize(
    ("statement", "code", "err"),
    [
        ("sys.exit()", 0, ""),
        ("sys.exit(3)", 3, ""),
        ("raise SystemExit", 0, ""),
        (
            "raise KeyboardInterrupt(QUESTION)",
            -2,
            "--- Uncaught exception --- KeyboardInterrupt\n    __main__.py:<module>:7\n",
        ),
    ],
)
def test_exit_and_interrupt_end_the_program_as_python_does(tmp_path: Path, statement: str, code: int, err: str) -> None:
    """The exit codes are Python's own, and neither is a failure of the program that a record should tell."""
    ended = run(tmp_path, f"discreet.install()\n{TO_JSON}\n{statement}")

    assert (ended.code, ended.out, ended.err, ended.records) == (code, "", err, [])


HOOKED = """
def hook(kind, exc, traceback):
    print("theirs:", kind.__name__, exc.args, str(exc) == "")
    seen.append(exc)
    frame = traceback.tb_frame
    print(frame.f_code.co_filename, traceback.tb_lineno, frame.f_locals)
    sys.__excepthook__(kind, exc, traceback)

seen = []
class Keeping(logging.Handler):
    def emit(self, record):
        print("logged:", record.exc_info[1] is seen[0])
logging.root.addHandler(Keeping())
"""


def test_the_hook_of_another_tool_gets_the_stand_in_that_the_record_has(tmp_path: Path) -> None:
    """It can tell by identity that it has seen the exception, and what it lets Python print comes out once only."""
    ended = run(tmp_path, f"{HOOKED}\nsys.excepthook = hook\ndiscreet.install()\nraise ValueError(QUESTION)")

    assert (ended.code, ended.err) == (1, "--- Uncaught exception --- ValueError\n    __main__.py:<module>:20\n")
    assert ended.out == "theirs: ValueError () True\n<__main__.py> 20 {}\nlogged: True\n"


def test_a_hook_that_came_later_is_covered_by_the_next_install(tmp_path: Path) -> None:
    """Between the two layers of ours it gets the stand-in, and nothing is said twice."""
    ended = run(
        tmp_path,
        """
discreet.install()
before = sys.excepthook
def outer(kind, exc, traceback):
    print("outer:", kind.__name__, exc.args)
    before(kind, exc, traceback)
sys.excepthook = outer
from discreet.doors import door_states
print(door_states()["sys.excepthook"])
discreet.install()
print(door_states()["sys.excepthook"])
raise ValueError(QUESTION)
""",
    )

    assert ended.code == 1
    assert ended.out == "patched over\nguarded\nouter: ValueError ()\n"
    assert ended.err.splitlines()[0] == "--- Uncaught exception --- ValueError"
    assert ended.err.count("ValueError") == 1


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("raise RuntimeError(QUESTION)", 1),
        ("raise KeyboardInterrupt(QUESTION)", 1),
        ("sys.exit(7)", 7),
        ("sys.exit(QUESTION)", 1),
    ],
)
def test_a_hook_that_raises_brings_no_text_out(tmp_path: Path, body: str, code: int) -> None:
    """Python would print the hook's exception and the one that it was called for."""
    ended = run(
        tmp_path,
        f"""
        def hook(kind, exc, traceback):
            {body}
        sys.excepthook = hook
        discreet.install()
        raise ValueError(QUESTION)
        """,
    )

    assert (ended.code, ended.out) == (code, "")
    assert ended.err.splitlines()[0] == "--- Uncaught exception --- ValueError"
    assert "Traceback" not in ended.err


def test_a_thread_says_its_name_if_the_runtime_gave_it(tmp_path: Path) -> None:
    """A thread's failure is a record too; ending itself by SystemExit is none."""
    ended = run(
        tmp_path,
        f"""
        import threading
        discreet.install()
        {TO_JSON}
        def fail():
            raise LookupError(QUESTION)
        for name in (None, QUESTION):
            thread = threading.Thread(target=fail, name=name)
            thread.start()
            thread.join()
        quiet = threading.Thread(target=sys.exit, args=(QUESTION,))
        quiet.start()
        quiet.join()
        """,
    )

    lines = ended.err.splitlines()
    assert (ended.code, ended.out) == (0, "")
    assert [line for line in lines if line.startswith("---")] == [
        "--- Uncaught exception in thread Thread-1 --- LookupError",
        "--- Uncaught exception in thread <str 16-63> --- LookupError",
    ]
    assert lines.count("    __main__.py:fail:10") == 2
    assert [(record["event"], record["place"], record["exception_type"]) for record in ended.records] == [
        ("uncaught_exception", "thread", "LookupError")
    ] * 2


def test_the_thread_hook_of_another_tool_gets_a_stand_in(tmp_path: Path) -> None:
    """With the thread's numbers, since it may want to know which one failed, and its name as far as that is shown."""
    ended = run(
        tmp_path,
        """
        import threading
        def hook(args):
            named = args.thread.name, args.thread.ident == thread.ident, QUESTION in repr(args.thread)
            print(args.exc_type.__name__, args.exc_value.args, args.thread is thread, *named)
        threading.excepthook = hook
        discreet.install()
        def fail():
            raise LookupError(QUESTION)
        thread = threading.Thread(target=fail)
        thread.start()
        thread.join()
        """,
    )

    assert ended.out == "LookupError () False Thread-1 True False\n"
    assert ended.err.count("LookupError") == 1


def test_the_thread_hook_of_another_tool_does_not_get_the_name_that_a_program_gave(tmp_path: Path) -> None:
    """Nor what a class of the program's keeps on its threads; a thread with a runtime's name stays the same."""
    ended = run(
        tmp_path,
        """
        import threading
        def hook(args):
            print(args.thread.name, args.thread.is_alive(), args.thread.daemon, vars(args.thread).get("asked"))
            print(args.thread is made[-1], args.thread.ident == made[-1].ident)
        threading.excepthook = hook
        discreet.install()
        def fail():
            raise LookupError(QUESTION)
        class Asking(threading.Thread):
            asked = None
            def run(self):
                self.asked = QUESTION
                fail()
        made = []
        named = threading.Thread(target=fail, name=QUESTION, daemon=True)
        for thread in (named, Asking(), threading.Thread(None, fail, "Thread-9")):
            made.append(thread)
            thread.start()
            thread.join()
        """,
    )

    assert ended.out.splitlines() == [
        "<str 16-63> True True None",
        "False True",
        "Thread-1 True False None",
        "False True",
        "Thread-9 True False None",
        "True True",
    ]


def test_a_failure_that_the_rendering_cannot_survive_still_shows_no_text(tmp_path: Path) -> None:
    """Whatever fails inside of the hook, Python never gets to print the exception."""
    ended = run(
        tmp_path,
        """
        discreet.install()
        import discreet.doors.report as report
        def broken(*args):
            raise RuntimeError(QUESTION)
        report.describe = broken
        raise ValueError(QUESTION)
        """,
    )

    assert (ended.code, ended.out) == (1, "")
    assert ended.err == "--- Uncaught exception --- its rendering failed\n"


@pytest.mark.integration
@pytest.mark.long
@pytest.mark.parametrize("order", ["before", "after"])
def test_sentry_gets_one_event_with_type_and_frames_and_no_text(tmp_path: Path, order: str) -> None:
    """Its hook and its patch of logging see the same stand-in, so that it drops the second event."""
    init = (
        "sentry_sdk.init(dsn='http://key@127.0.0.1:9/1', transport=events.append, "
        "before_send=lambda event, hint: found.append(event) or event)"
    )
    calls = [init, "discreet.install()"] if order == "before" else ["discreet.install()", init, "discreet.install()"]
    ended = run(
        tmp_path,
        "import atexit, json, sentry_sdk\nevents, found = [], []\n"
        + "\n".join(calls)
        + f"\n{TO_JSON}\n"
        + "atexit.register(lambda: open('sentry.json', 'w').write(json.dumps(found, default=str)))\n"
        + "raise ValueError(QUESTION)\n",
    )

    found = json.loads((tmp_path / "sentry.json").read_text("utf-8"))
    assert ended.err.count("ValueError") == 1
    assert [[value["type"] for value in event["exception"]["values"]] for event in found] == [["ValueError"]]


def test_a_hook_finds_the_stand_in_where_python_keeps_the_last_exception(tmp_path: Path) -> None:
    """Tools print what is there; afterwards a debugger finds the exception itself."""
    ended = run(
        tmp_path,
        """
        import atexit, traceback
        def hook(*what):
            traceback.print_exception(sys.last_value, file=sys.stdout)
            print(sys.last_value is what[1], sys.last_type is what[0], sys.last_traceback is what[2])
        sys.excepthook = hook
        discreet.install()
        atexit.register(lambda: print(sys.last_value.args == (QUESTION,)))
        raise LookupError(QUESTION)
        """,
    )

    assert (ended.code, ended.out.splitlines()[-3:]) == (1, ["LookupError", "True True True", "True"])


DICT_CONFIG = """
import logging.config
parts = {"json": {"()": "discreet.JsonHandler", "stream": QUESTION}}
logging.config.dictConfig({"version": 1, "handlers": parts})
"""
OWN = """
class Own(discreet.ConfigurationError):
    pass
raise Own(QUESTION)
"""
THROWN = """
@discreet.customer_text("text")
def stream(text):
    while True:
        yield 1
running = stream(QUESTION)
next(running)
running.throw(discreet.ConfigurationError(QUESTION))
"""
SETTINGS = [
    ("discreet.configure(level=QUESTION)", "discreet.errors.ConfigurationError: level: "),
    (DICT_CONFIG, "discreet.errors.ConfigurationError: stream: "),
    ("raise discreet.ConfigurationError(QUESTION)", None),
    (OWN, None),
    (THROWN, None),
]


@pytest.mark.parametrize(("statement", "sentence"), SETTINGS)
def test_a_wrong_setting_of_ours_is_told_with_its_place_and_remedy(
    tmp_path: Path, statement: str, sentence: str | None
) -> None:
    """Our own code says so and names no value; who raises our class himself may have put a text into it."""
    ended = run(tmp_path, f"discreet.install()\n{statement}")

    last = ended.err.splitlines()[-1]
    assert (ended.code, ended.out) == (1, "")
    if sentence is None:
        assert last.startswith(("    __main__.py:<module>:", "    discreet/scope_calls.py:_drive:"))
    else:
        assert last.startswith(sentence)
