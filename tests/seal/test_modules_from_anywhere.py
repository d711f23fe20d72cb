"""Modules that a program loads by the path of a file: that, and so the module, can have its name from a customer."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.doors.programs import run

pytestmark = pytest.mark.long

PLUGIN = """\
import logging, sys, threading, warnings
log = logging.getLogger(__name__)
def work(question):
    log.warning("Looking for %s", question)
    log.warning(question.upper())
    print("looking")
    print(question)
    warnings.warn(question)
    for _ in range(5):
        log.warning("Many")
    threading.Thread(target=fail).start()
def fail():
    raise LookupError("nothing")
"""
PROGRAM = """
import importlib.util, time
handle = discreet.configure(json="log.jsonl", streams=True, report_every=600, rate_limit="3/min")
other = logging.StreamHandler(sys.stderr)
other.setFormatter(logging.Formatter("%(name)s|%(module)s|%(pathname)s|%(filename)s|%(funcName)s|%(message)s"))
logging.getLogger().addHandler(other)
spec = importlib.util.spec_from_file_location({name!r}, {file!r})
module = importlib.util.module_from_spec(spec)
sys.modules[{name!r}] = module
spec.loader.exec_module(module)
discreet.set_level({name!r}, "DEBUG")
module.work(QUESTION)
time.sleep(0.1)
sys.__stderr__.write(str(discreet.doctor()))
sys.__stderr__.write(handle.ledger.table())
handle.close()
"""


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("Old boat house key", "Old boat house key.py"),
        ("plugins.boat house?", "plugin_1.py"),
        ("plugin_1", "The key of the boat house.py"),
        ("a" * 300 + "boat house", "plugin_1.py"),
    ],
)
def test_no_name_is_told_that_is_a_sentence(tmp_path: Path, name: str, file: str) -> None:
    """Not in records, in reports, in the ledger or by the doctor; not to other handlers."""
    (tmp_path / "loaded").mkdir()
    path = tmp_path / "loaded" / file
    path.write_text(PLUGIN, encoding="utf-8")

    ended = run(tmp_path, PROGRAM.format(name=name, file=str(path)))

    assert ended.code == 0
    assert "aaaaaaaa" not in ended.everything
    events = [one.get("event") for one in ended.records]
    assert {"output_line", "uncaught_exception", "level_changed", "records_left_out", "content_withheld"} <= {*events}


def test_no_name_is_told_that_somebody_gave_a_function_s_code(tmp_path: Path) -> None:
    """Code objects can be made with any name; such a function is nobody's."""
    ended = run(
        tmp_path,
        """
        import types
        discreet.configure(json="log.jsonl", streams=True)
        other = logging.StreamHandler(sys.stderr)
        other.setFormatter(logging.Formatter("%(funcName)s|%(message)s"))
        logging.getLogger().addHandler(other)
        def work():
            logging.getLogger("app").warning(QUESTION.upper())
            print("looking")
        types.FunctionType(work.__code__.replace(co_name=QUESTION, co_qualname=QUESTION), globals())()
        """,
    )

    assert [one["message"] for one in ended.records[1:3]] == ["<str 16-63>", "<str 1-15>"]
    assert ended.err == "<unknown>|<str 16-63>\n<unknown>|<str 1-15>\n"


@pytest.mark.parametrize("name", ["plugin_1", "plugin-1", "plugins.größe", "_plugin"])
def test_a_module_of_an_ordinary_name_is_proven_however_it_was_loaded(tmp_path: Path, name: str) -> None:
    """Its literals are its author's."""
    path = tmp_path / "plugin.py"
    path.write_text(PLUGIN, encoding="utf-8")

    ended = run(tmp_path, PROGRAM.format(name=name, file=str(path)))

    messages = [one["message"] for one in ended.records]
    assert "Looking for <str 16-63>" in messages
    assert "looking" in messages
