"""The doors stay through every later configuration of logging, and go without a trace."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.doors.programs import HEAD, run

CONFIGURE = {
    "dictConfig": "import logging.config\nlogging.config.dictConfig({'version': 1, 'root': {'level': 'WARNING'}})",
    "fileConfig": "import logging.config\nlogging.config.fileConfig('logging.ini')",
    "basicConfig": "logging.basicConfig(force=True, stream=sys.__stderr__, level='WARNING')",
}
INI = """
[loggers]
keys=root
[handlers]
keys=err
[formatters]
keys=
[logger_root]
level=WARNING
handlers=err
[handler_err]
class=StreamHandler
args=(sys.__stderr__,)
"""
EVERYTHING = """
import threading, warnings
logging.root.addHandler(discreet.JsonHandler(filename="log.jsonl"))
class Chunk:
    def __del__(self):
        raise LookupError(QUESTION)
def fail():
    raise LookupError(QUESTION)
Chunk()
warnings.warn(QUESTION)
thread = threading.Thread(target=fail)
thread.start()
thread.join()
print(QUESTION)
print(QUESTION, file=sys.stderr)
fail()
"""


@pytest.mark.parametrize("way", CONFIGURE)
def test_every_door_survives_a_later_configuration(tmp_path: Path, way: str) -> None:
    """dictConfig and fileConfig disable loggers that exist; ours say what they have to all the same."""
    (tmp_path / "logging.ini").write_text(INI, encoding="utf-8")
    ended = run(tmp_path, f"discreet.install(streams=True)\nprint('before')\n{CONFIGURE[way]}\n{EVERYTHING}")

    assert ended.code == 1
    assert [(one["logger"], one.get("event"), one.get("place")) for one in ended.records] == [
        ("discreet.uncaught", "ignored_exception", None),
        ("discreet.uncaught", "uncaught_exception", "thread"),
        ("stdout", "output_line", None),
        ("stderr", "output_line", None),
        ("discreet.uncaught", "uncaught_exception", "main"),
    ]
    told = [line for line in ended.err.splitlines() if line.startswith("---") or "UserWarning" in line]
    assert [line.partition(":")[0].partition(" --- ")[0] for line in told] == [
        "--- Ignored exception",
        "__main__.py",
        "--- Uncaught exception in thread Thread-1",
        "--- Uncaught exception",
    ]


DOORS = (
    "last_resort sys.excepthook threading.excepthook sys.unraisablehook warnings multiprocessing opentelemetry.logs "
    "sys.stdout sys.stderr"
).split()
PICTURE = """
import threading, warnings, multiprocessing.process
def picture():
    return [sys.excepthook, sys.unraisablehook, threading.excepthook, warnings.showwarning, warnings._showwarnmsg_impl,
            sys.stdout, sys.stderr, logging.lastResort, vars(multiprocessing.process.BaseProcess)["start"],
            vars(multiprocessing.process.BaseProcess)["_bootstrap"], logging.getLogger("stdout").level,
            logging.getLogger("stderr").level]
"""


def test_uninstall_leaves_no_trace(tmp_path: Path) -> None:
    """Not after several installs either, and the doors can be opened again."""
    ended = run(
        tmp_path,
        f"""
before = picture()
import discreet
{HEAD}
for _ in range(2):
    discreet.install()
    discreet.install(streams=True)
    discreet.install()
    discreet.uninstall()
    print([now is then for now, then in zip(picture(), before)])
""",
        head=f"import logging, sys\n{PICTURE}",
    )

    assert (ended.code, ended.out, ended.err) == (0, f"{[True] * 12}\n" * 2, "")


OF_LOGGING = """
import collections
def picture():
    classes = [logging.Handler, logging.StreamHandler, logging.FileHandler, logging.NullHandler, logging.Logger,
               logging.LoggerAdapter, logging.Formatter, logging.handlers.QueueHandler, logging.handlers.MemoryHandler]
    methods = [(cls, name, vars(cls)[name]) for cls in classes for name in sorted(vars(cls))
               if callable(vars(cls)[name]) or isinstance(vars(cls)[name], classmethod)]
    hooks = [sys.excepthook, sys.unraisablehook, threading.excepthook, warnings.showwarning, warnings._showwarnmsg_impl,
             sys.stdout, sys.stderr, logging.getLogRecordFactory(), logging.getLoggerClass(),
             *(vars(multiprocessing.process.BaseProcess)[name] for name in ("start", "_bootstrap"))]
    return methods + hooks
"""


@pytest.mark.parametrize("way", CONFIGURE)
def test_uninstall_leaves_no_trace_after_a_later_configuration(tmp_path: Path, way: str) -> None:
    """Of every method of logging's classes and every hook; handlers that were made meanwhile write as they are."""
    (tmp_path / "logging.ini").write_text(INI, encoding="utf-8")
    ended = run(
        tmp_path,
        f"""
import logging.handlers, threading, warnings, multiprocessing.process
{OF_LOGGING}
before = picture()
import discreet
discreet.install(streams=True, strict=True, match=["app"])
class Own(logging.StreamHandler):
    def handle(self, record):
        return super().handle(record)
own = Own(sys.__stderr__)
{CONFIGURE[way]}
logging.root.addHandler(own)
logging.root.error("guarded: " + str(len(logging.root.handlers)))
discreet.install(streams=True)
discreet.uninstall()
changed = [now for now, then in zip(picture(), before) if now != then]
print(changed, len(picture()) - len(before), sys.stdout is sys.__stdout__)
replaced = sorted(name for name in vars(own) if "discreet" in name or name in ("handle", "emit", "format"))
print(replaced, Own.handle.__qualname__)
word = "pl" + "ain"
logging.root.error(word)
print(discreet.doors.door_states())
""",
        head="import logging, sys\n",
    )

    assert (ended.code, ended.out.splitlines()[:2]) == (0, ["[] 0 True", "[] Own.handle"])
    assert ended.out.splitlines()[2:] == [str(dict.fromkeys(DOORS, "closed"))]
    written = [line.rpartition(":")[2].strip() for line in ended.err.splitlines()]
    handlers = 1 if way == "dictConfig" else 2
    assert [word for word in written if word == "plain"] == ["plain"] * handlers


def test_what_somebody_put_on_top_stays_and_ours_below_it_does_nothing(tmp_path: Path) -> None:
    """After uninstall() a hook that called ours reaches what was there before us."""
    ended = run(
        tmp_path,
        """
import threading, warnings
discreet.install(streams=True)
ours = sys.excepthook, sys.stdout
def hook(kind, exc, traceback):
    print("theirs")
    ours[0](kind, exc, traceback)
class Upper:
    def __init__(self, target):
        self.target = target
    def write(self, text):
        return self.target.write(text.upper())
    def flush(self):
        self.target.flush()
sys.excepthook = hook
sys.stdout = Upper(sys.stdout)
discreet.uninstall()
print(discreet.doors.door_states()["sys.excepthook"], sys.excepthook is hook, type(sys.stdout).__name__)
raise ValueError("plain")
""",
    )

    assert (ended.code, ended.out) == (1, "CLOSED TRUE UPPER\nTHEIRS\n")
    assert ended.err.splitlines()[-1] == "ValueError: plain"


def test_the_states_of_the_doors_are_told(tmp_path: Path) -> None:
    """For a report: what is guarded, and where somebody stands before us."""
    ended = run(
        tmp_path,
        """
from discreet.doors import door_states
import warnings
found = [door_states()]
discreet.install()
found.append(door_states())
sys.excepthook = print
warnings.showwarning = print
logging.lastResort = logging.NullHandler()
discreet.doors.open_doors(streams=True)
sys.stderr = sys.__stderr__
sys.unraisablehook = print
found.append(door_states())
sys.stdout = sys.__stdout__
for states in found:
    print(states)
""",
    )

    closed, guarded, over = "closed", "guarded", "patched over"
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.splitlines() == [
        str(dict(zip(DOORS, states, strict=True)))
        for states in (
            [guarded, *[closed] * 8],
            [*[guarded] * 7, closed, closed],
            [over, guarded, guarded, over, guarded, guarded, guarded, guarded, over],
        )
    ]
