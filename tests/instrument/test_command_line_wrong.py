"""`opentelemetry-instrument` with a variable that is wrong: the guard is there all the same."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from discreet.export.ledger import LEDGER
from discreet.instrument import command_line
from tests.forking import environment
from tests.instrument.command_line import installed, instrument

pytestmark = [pytest.mark.integration, pytest.mark.long]

PROGRAM = """
import logging
logging.basicConfig(level="INFO", force=True)
logging.getLogger("discreet").setLevel("ERROR")
logging.warning("The lamp of %s is lit", "Tilda Fernhollow")
print(" ".join(["Tilda", "Fernhollow"]))
"""
SEALED = "WARNING:root:The lamp of <str 16-63> is lit\n"
GUARDED = "discreet: nothing else was set up by DISCREET_* variables, the guard alone is on.\n"
PRINTED = "Tilda Fernhollow\n"

WRONG = {
    "level": (
        {"DISCREET_JSON": "records.jsonl", "DISCREET_LEVEL": "LOUD"},
        "DISCREET_LEVEL: is not a level. Use DEBUG, INFO, WARNING, ERROR, CRITICAL or a number.",
    ),
    "path": (
        {"DISCREET_JSON": "no/such/folder/records.jsonl"},
        (
            "DISCREET_JSON: can't open the file for appending (FileNotFoundError). "
            "Check that its folder exists and may be written to."
        ),
    ),
    "number": (
        {"DISCREET_JSON": "records.jsonl", "DISCREET_REPORT_EVERY": "abc"},
        "DISCREET_REPORT_EVERY: must be a number. Unset it for the default.",
    ),
    "extra": (
        {"DISCREET_OTLP": "true"},
        'DISCREET_OTLP: a package is missing that OTLP needs. Install it with: pip install "discreet[otlp]"',
    ),
}


def ran(tmp_path: Path, variables: dict[str, str]) -> tuple[int, str, str]:
    """Return the exit status of the program, and what it wrote."""
    missing = tmp_path / "absent" / "opentelemetry" / "proto"
    missing.mkdir(parents=True)
    (missing / "__init__.py").write_text("raise ModuleNotFoundError\n", "utf-8")
    program = tmp_path / "program.py"
    program.write_text(PROGRAM, "utf-8")
    found = environment(**variables)
    folders = [*installed(tmp_path), *([tmp_path / "absent"] if "DISCREET_OTLP" in variables else [])]
    found["PYTHONPATH"] = ":".join([*map(str, folders), found["PYTHONPATH"]])
    command = (instrument(), sys.executable, str(program))
    done = subprocess.run(command, cwd=tmp_path, env=found, capture_output=True, text=True, timeout=60, check=False)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("kind", WRONG)
def test_what_is_wrong_is_said_and_the_program_runs_guarded(kind: str, tmp_path: Path) -> None:
    """With place and remedy on standard error; nothing of a customer goes out by the program's own handlers."""
    variables, sentence = WRONG[kind]
    assert ran(tmp_path, variables) == (0, PRINTED, f"discreet: {sentence}\n{GUARDED}{SEALED}")
    assert not (tmp_path / "records.jsonl").exists()


@pytest.mark.parametrize("streams", ["true", "ja"])
def test_streams_are_guarded_if_a_variable_asks_for_it(streams: str, tmp_path: Path) -> None:
    """Also by a word that is neither yes nor no."""
    variables = {"DISCREET_JSON": "records.jsonl", "DISCREET_LEVEL": "LOUD", "DISCREET_STREAMS": streams}
    found = ran(tmp_path, variables)
    assert found[:2] == (0, "")
    assert found[2].endswith(f"{GUARDED}{SEALED}INFO:stdout:<str 16-63>\n")


def test_who_switches_the_guard_off_has_none_then_either(tmp_path: Path) -> None:
    """And is told so."""
    variables = {"DISCREET_JSON": "records.jsonl", "DISCREET_LEVEL": "LOUD", "DISCREET_INSTALL": "no"}
    found = ran(tmp_path, variables)
    assert found[:2] == (0, PRINTED)
    assert found[2].endswith(
        "set up by DISCREET_* variables, not even the guard is on.\nWARNING:root:The lamp of Tilda Fernhollow is lit\n"
    )


def test_of_an_unknown_error_its_class_alone_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Other libraries may quote what they were given."""
    calls: list[dict[str, bool]] = []

    def refuse() -> None:
        raise OSError("no room for Tilda Fernhollow")

    monkeypatch.setenv("DISCREET_JSON", "-")
    monkeypatch.setattr("discreet.config.configure", refuse)
    monkeypatch.setattr("discreet.choke.install", lambda **given: calls.append(given))
    command_line.configure_from_environment()
    monkeypatch.setattr(sys, "stderr", None)
    command_line.configure_from_environment()
    assert capsys.readouterr().err == f"discreet: configure() failed with OSError\n{GUARDED}"
    assert calls == [{"strict": False, "streams": False}] * 2
    assert LEDGER.failures == {("stderr", "AttributeError"): 1}
