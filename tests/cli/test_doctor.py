"""`discreet doctor`: what it applies, what it prints, and its exit status."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from discreet.cli.main import main
from discreet.recipes import TARGETS, recipe
from tests.forking import environment

APP = """
import discreet

print("importing")


def setup():
    discreet.configure(json="app.jsonl", streams=True)


async def later():
    setup()


def broken():
    raise ValueError("Where is the key of the boat house?")


def needs(question):
    setup()


class Application:
    def __call__(self, scope, receive, send):
        raise AssertionError("it was called")


application = Application()
"""
YAML = """
version: 1
disable_existing_loggers: false
filters:
  guard: {(): discreet.ContentGuard}
handlers:
  console: {class: logging.StreamHandler, stream: "ext://sys.stdout", filters: [guard]}
root: {level: INFO, handlers: [console]}
"""
INI = """
[loggers]
keys=root
[handlers]
keys=console
[formatters]
keys=
[logger_root]
handlers=console
[handler_console]
class=StreamHandler
args=(sys.stdout,)
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with an application and configurations, which is the current one."""
    monkeypatch.chdir(tmp_path)
    Path("boats.py").write_text(APP, encoding="utf-8")
    Path("wrong.py").write_text("import not_there_at_all\n", encoding="utf-8")
    Path("unfinished.py").write_text("def f(\n", encoding="utf-8")
    Path("logging.yaml").write_text(YAML, encoding="utf-8")
    Path("logging.ini").write_text(INI, encoding="utf-8")
    Path("empty.json").write_text("[]", encoding="utf-8")
    Path("level.yaml").write_text(YAML.replace("INFO", "LOUD"), encoding="utf-8")
    Path("scope.yaml").write_text(YAML.replace("ContentGuard}", "ContentGuard, scope: none}"), encoding="utf-8")
    return tmp_path


def _run(*words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "discreet.cli.main", "doctor", *words]
    return subprocess.run(command, env=environment(**variables), capture_output=True, text=True, check=False)


@pytest.mark.parametrize("target", ["boats:setup", "boats:later"])
def test_a_set_up_that_is_guarded_throughout_passes(target: str, folder: Path) -> None:
    """Whether it is async or not; what the application prints doesn't get between the lines of the report."""
    done = _run("--app", target, "--json")

    report = json.loads(done.stdout)
    assert (done.returncode, report["exit_code"]) == (0, 0)
    assert {route["status"] for route in report["routes"]} == {"guarded"}
    assert report["versions"]["libraries"]["discreet"] == report["versions"]["discreet"]
    assert re.fullmatch(r"[0-9a-f]{64}", report["configuration"])
    assert re.fullmatch(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ", report["time"])
    assert done.stderr == "importing\n"


@pytest.mark.parametrize("target", ["boats", "boats:application"])
def test_an_application_that_is_no_function_is_only_imported(target: str, folder: Path) -> None:
    """Its module sets up nothing, so there is no guard; the table says so, and what to do."""
    done = _run("--app", target)

    assert done.returncode == 1
    assert done.stdout.startswith("2 routes: 1 open, 1 guarded\n")
    assert "-> Call discreet.install()" in done.stdout


def test_equal_configurations_have_equal_hashes(folder: Path) -> None:
    """In each process anew, and another configuration has another."""
    found = [json.loads(_run("--json", "--app", name).stdout)["configuration"] for name in ("boats:setup",) * 2]
    other = json.loads(_run("--json", "--app", "boats").stdout)["configuration"]

    assert found[0] == found[1] != other


def test_a_logging_configuration_is_applied(folder: Path) -> None:
    """As YAML: its handler is guarded, and printed lines aren't, which its two lines of the report say."""
    done = _run("--config", "logging.yaml")

    assert done.returncode == 1
    assert done.stdout.startswith("10 routes: 2 open, 8 guarded\n")
    assert "guarded     logging.StreamHandler <stdout> on root\n" in done.stdout
    assert "\x1b" not in done.stdout


def test_an_ini_file_is_applied(folder: Path) -> None:
    """A canary would come out of its handler, in every form."""
    report = json.loads(_run("--config", "logging.ini", "--json").stdout)

    (handler,) = [route for route in report["routes"] if route["kind"] == "handler" and route["status"] == "open"]
    assert handler["name"] == "logging.StreamHandler <stdout> on root"
    assert handler["came_out"] == ["message", "argument", "extra", "exception", "cause", "bad format"]


def test_without_an_application_it_is_what_the_variables_say(folder: Path) -> None:
    """`configure()` with the variables; with a pattern of the operator's own it is partial, which may be allowed."""
    variables = {
        "DISCREET_JSON": "out.jsonl",
        "DISCREET_STREAMS": "true",
        "DISCREET_ATTRIBUTES": '{"tenant": {"type": "id", "pattern": "[a-z]+"}}',
    }

    strict, allowed = _run(**variables), _run("--allow-partial", **variables)

    assert (strict.returncode, allowed.returncode) == (1, 0)
    assert "partial     attribute tenant: id(pattern=[a-z]+)\n" in strict.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--app", "boats:broken"), "--app: broken failed: ValueError, at boats.py:broken:16"),
        (("--app", "boats:needs"), "--app: needs() takes arguments. Name a function that takes none."),
        (("--app", "boats:nothing"), "--app: boats has no nothing"),
        (("--app", "boats/app.py"), "--app: is no package.module or package.module:setup"),
        (("--app", "wrong"), "--app: can't import wrong: ModuleNotFoundError for not_there_at_all"),
        (("--app", "unfinished"), "--app: can't import unfinished: SyntaxError in unfinished.py, line 1"),
        (("--config", "missing.yaml"), "missing.yaml: can't be read (FileNotFoundError)"),
        (("--config", "empty.json"), "empty.json: isn't a mapping. Begin it with version: 1."),
        (("--config", "boats.py"), "boats.py: has no known ending. Use .yaml, .json or .ini."),
        (
            ("--config", "level.yaml"),
            "level.yaml: can't be applied: Unable to configure root logger, ValueError, at logging/__init__.py",
        ),
        (
            ("--config", "scope.yaml"),
            "scope.yaml: can't be applied: scope: must be process or handler. Leave it out for process.",
        ),
    ],
)
def test_what_could_not_be_applied_gives_2_and_a_sentence(
    words: tuple[str, ...], said: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the class of what was raised and where, never its text; nothing is reported."""
    for name in ("boats", "wrong", "unfinished"):
        sys.modules.pop(name, None)

    status = main(["doctor", *words])

    out, err = capsys.readouterr()
    assert status == 2
    assert err.startswith(f"discreet: {said}")
    assert "boat house" not in out + err


def test_the_sentence_is_seen_where_the_application_guards_its_streams(folder: Path) -> None:
    """It would be withheld there, and gone with the application's own lines."""
    Path("guarded.py").write_text("import boats\nboats.setup()\n", encoding="utf-8")

    done = _run("--app", "guarded:nothing")

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "importing\ndiscreet: --app: guarded has no nothing\n"


def test_a_terminal_gets_colours(folder: Path) -> None:
    """Red for what is open, none where NO_COLOR is set; no line is wider than the terminal."""
    import pty

    found = []
    for variables in ({"COLUMNS": "72"}, {"COLUMNS": "72", "NO_COLOR": "1"}):
        reading, writing = pty.openpty()
        command = [sys.executable, "-m", "discreet.cli.main", "doctor", "--app", "boats"]
        with os.fdopen(writing, "wb") as terminal:
            subprocess.run(command, env=environment(**variables), stdout=terminal, stderr=subprocess.PIPE, check=False)
        found.append(os.read(reading, 65_536).decode().replace("\r\n", "\n"))
        os.close(reading)

    coloured, plain = found
    assert "\x1b[31;1mopen        \x1b[0mthe guard of the process\n" in coloured
    assert re.sub(r"\x1b\[[\d;]*m", "", coloured).partition("\n\n")[2] == plain.partition("\n\n")[2]
    assert max(map(len, plain.splitlines())) <= 72


@pytest.mark.parametrize("target", TARGETS)
def test_every_printed_configuration_is_guarded_but_for_djangos_streams(target: str, tmp_path: Path) -> None:
    """Its commands print their results."""
    streams = ["lines printed to sys.stdout", "lines printed to sys.stderr"]
    found = {}
    for notation in ("json", "ini"):
        file = tmp_path / f"logging.{notation}"
        file.write_text(recipe(target, notation), "ascii")
        done = _run("--config", str(file), "--json")
        routes = json.loads(done.stdout)["routes"]
        found[notation] = done.returncode, [route["name"] for route in routes if route["status"] != "guarded"]
    expected = (1, streams) if target == "django" else (0, [])
    assert found == {"json": expected, "ini": expected}
