"""discreet canary: a live check from end to end."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import logging
import lzma
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import discreet
from discreet.canary import Finder, found_in, make, of_id
from discreet.cli.main import main
from discreet.errors import InvalidInputError
from discreet.live_canary import FORMS, Search, emit, new_id
from tests.forking import environment

ID = "3f9c1a7be0d24c56"
OTHER = "3f9c1a7be0d24c57"
PLAIN = {
    "version": 1,
    "handlers": {"file": {"class": "logging.FileHandler", "filename": "plain.log"}},
    "root": {"handlers": ["file"], "level": "INFO"},
}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of the test's own, in which it is."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Runs the command; returns its status and both outputs."""

    def run(*arguments: str) -> tuple[int, str, str]:
        status = main(["canary", *arguments])
        done = capsys.readouterr()
        return status, done.out, done.err

    return run


def emitted(folder: Path, *arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    """Emit a canary in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "discreet.cli.main", "canary", "emit", "--id", ID, *arguments],
        cwd=folder,
        env=environment(**env),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done


def test_the_sentence_of_an_id_is_always_the_same_and_nobody_elses() -> None:
    """It needs nothing but the id, and nothing of the id is in it."""
    sentences = [of_id(f"{number:016x}") for number in range(200)]
    assert sentences == [of_id(f"{number:016x}") for number in range(200)]
    assert len(set(sentences)) == 200
    assert not any(found_in(other, sentences[0]) for other in sentences[1:])
    assert not any(found_in(make(), sentence) for sentence in sentences[:5])


def test_a_finder_tells_which_canary_it_found() -> None:
    """By a long piece, a beginning, or one of its names; whichever way it is written."""
    canaries = {f"number {number}": of_id(str(number)) for number in range(5)}
    finder = Finder(canaries)
    for called, sentence in canaries.items():
        name = next(word for word in sentence.split()[1:] if word.istitle() and len(word) == 10)
        for text in (
            sentence,
            sentence.upper(),
            sentence[:20],
            f"x={name}",
            json.dumps(sentence).replace(" ", "\\u0020"),
        ):
            assert finder.find(f"2026 {text} 7") == called
    assert finder.find("My friend says the clinic in the town lost her letter") is None


def test_ids_are_new_and_wrong_ones_are_refused() -> None:
    """With the name of the option."""
    assert len({new_id() for _ in range(50)}) == 50
    for wrong in ("", "3f", ID.upper(), ID + "0", "g" * 16):
        with pytest.raises(InvalidInputError, match="--id: must be 16 hexadecimal digits"):
            Search(wrong)
        with pytest.raises(InvalidInputError, match="--id: must be 16 hexadecimal digits"):
            emit(wrong, "discreet", logging.INFO)


def test_it_goes_through_the_real_pipeline_and_arrives_clean(
    here: Path, command: Callable[..., tuple[int, str, str]]
) -> None:
    """In all forms, also printed lines where those are under guard."""
    done = emitted(here, DISCREET_JSON="app.jsonl", DISCREET_STREAMS="true")
    assert done.stdout == f"{ID}\n"
    assert done.stderr.endswith(f"The canary was sent in {len(FORMS)} forms: {', '.join(FORMS)}.\n")
    lines = [json.loads(line) for line in (here / "app.jsonl").read_text("utf-8").splitlines()]
    marks = [line for line in lines if line.get("event") == "canary_sent"]
    assert [(line["message"], line["canary"], line["level"]) for line in marks] == [
        (f"Canary {ID} begins", ID, "WARNING"),
        (f"Canary {ID} ends", ID, "WARNING"),
    ]
    # A printed line is one of each stream.
    assert lines.index(marks[1]) - lines.index(marks[0]) == len(FORMS) + 1
    (here / "stderr.log").write_text(done.stderr, "utf-8")
    assert command("search", "app.jsonl", "stderr.log", "--id", ID) == (
        0,
        f"The canary arrived, and nothing of it is in {len(lines) + len(done.stderr.splitlines())} lines.\n",
        "",
    )


def test_printed_lines_are_only_sent_where_they_are_under_guard(here: Path) -> None:
    """Elsewhere the program's output is what it was."""
    done = emitted(here, DISCREET_JSON="app.jsonl")
    assert "printed line" not in done.stderr
    assert done.stdout == f"{ID}\n"


def test_an_unguarded_pipeline_leaks_it_and_each_form_is_told(
    here: Path, command: Callable[..., tuple[int, str, str]]
) -> None:
    """By file and line; never with the sentence."""
    (here / "plain.json").write_text(json.dumps(PLAIN), "utf-8")
    emitted(here, "--config", "plain.json", "--logger", "shop", "--level", "INFO")
    status, out, err = command("search", "plain.log", "--id", ID)
    assert (status, err) == (1, "")
    found = [line.split(": ")[1] for line in out.splitlines()[:-1]]
    leaking = ["message", "whole message", "argument", "mapping", "container", "object", "bytes", "exception", "cause"]
    assert found == [*leaking, "note"]
    assert out.splitlines()[1].startswith("plain.log:3: ")
    assert out.splitlines()[-1].startswith("The canary leaked in 10 of ")
    assert not any(found_in(out, of_id(f"{ID} {form}")) for form in FORMS)


def test_an_application_sets_its_own_logging_up(here: Path, command: Callable[..., tuple[int, str, str]]) -> None:
    """Also one whose logger has handlers of its own."""
    program = (
        "import logging\nimport discreet\n\n\ndef setup():\n"
        '    handler = discreet.JsonHandler("own.jsonl")\n'
        '    logging.getLogger("kiosk").addHandler(handler)\n'
        '    logging.getLogger("kiosk").propagate = False\n'
    )
    (here / "kiosk_app.py").write_text(program, "utf-8")
    emitted(here, "--app", "kiosk_app:setup", "--logger", "kiosk")
    assert command("search", "own.jsonl", "--id", ID)[0] == 0
    assert command("search", "own.jsonl", "--id", OTHER)[0] == 2


def test_what_can_not_be_set_up_is_told(here: Path, command: Callable[..., tuple[int, str, str]]) -> None:
    """With status 2, and nothing is sent."""
    assert command("emit", "--config", "nosuch.json") == (
        2,
        "",
        "discreet: nosuch.json: can't be read (FileNotFoundError)\n",
    )
    assert list(here.iterdir()) == []


def _log(*parts: str) -> bytes:
    return "\n".join(parts).encode() + b"\n"


BEGINS, ENDS = f"Canary {ID} begins", f"Canary {ID} ends"
NOTE = of_id(f"{ID} note")


@pytest.mark.parametrize(
    ("log", "status", "says"),
    [
        (_log(BEGINS, "x", ENDS), 0, "The canary arrived, and nothing of it is in 3 lines."),
        (_log(f'{{"body": "{BEGINS}"}}', f'{{"body": "{ENDS}"}}'), 0, "The canary arrived, and nothing of it is in 2 "),
        (_log(BEGINS), 2, "The canary arrived in part: the mark of its end isn't in 1 line, so nothing is proven."),
        (_log(ENDS), 2, "The canary arrived in part: the mark of its beginning isn't in 1 line"),
        (_log("x"), 2, "The canary didn't arrive: its mark isn't in 1 line, so nothing is proven."),
        (b"", 2, "The canary didn't arrive: its mark isn't in 0 lines"),
        (_log(BEGINS.replace(ID, OTHER), ENDS.replace(ID, OTHER)), 2, "The canary didn't arrive"),
        (_log(BEGINS, NOTE, ENDS), 1, "The canary leaked in 1 of 3 lines: note."),
        (_log(NOTE), 1, "The canary leaked in 1 of 1 line: note."),
        (_log(BEGINS, NOTE[:13], NOTE[13:26], ENDS), 1, "The canary leaked in 1 of 4 lines: note."),
        (_log(BEGINS, of_id(f"{OTHER} note"), ENDS), 0, "The canary arrived, and nothing of it is in 3 lines."),
    ],
    ids=["clean", "json", "begun", "ended", "absent", "empty", "other id", "leaked", "only leaked", "wrapped", "other"],
)
def test_arrived_and_clean_is_told_from_never_arrived(
    here: Path, command: Callable[..., tuple[int, str, str]], log: bytes, status: int, says: str
) -> None:
    """A leak outweighs everything else."""
    (here / "log").write_bytes(log)
    found, out, err = command("search", "log", "--id", ID)
    assert (found, err) == (status, "")
    assert out.splitlines()[-1].startswith(says)


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress, bytes])
def test_packed_logs_and_folders_are_looked_through(
    here: Path, command: Callable[..., tuple[int, str, str]], pack: Callable[[bytes], bytes]
) -> None:
    """Marks and leaks may be in different files."""
    folder = here / "logs"
    folder.mkdir()
    (folder / "a").write_bytes(pack(_log(BEGINS)))
    (folder / "b").write_bytes(pack(_log("x", ENDS)))
    assert command("search", "logs", "--id", ID)[0] == 0
    (folder / "c").write_bytes(pack(_log("x", "y", NOTE)))
    assert command("search", "logs", "--id", ID) == (
        1,
        f"{Path('logs', 'c')}:3: note\nThe canary leaked in 1 of 6 lines: note.\n",
        "",
    )


def test_standard_input_is_a_log_too(
    command: Callable[..., tuple[int, str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """By a dash."""
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(_log(BEGINS, ENDS))))
    assert command("search", "-", "--id", ID)[0] == 0


def test_what_can_not_be_looked_at_proves_nothing(here: Path, command: Callable[..., tuple[int, str, str]]) -> None:
    """Unless a leak was found elsewhere."""
    (here / "clean").write_bytes(_log(BEGINS, ENDS))
    (here / "torn.gz").write_bytes(gzip.compress(_log("x" * 100_000))[:60])
    status, _, err = command("search", "clean", "torn.gz", "nosuch", "--id", ID)
    assert (status, err) == (
        2,
        "torn.gz: can't be looked at (EOFError)\nnosuch: can't be looked at (FileNotFoundError)\n",
    )
    (here / "leaked").write_bytes(_log(NOTE))
    assert command("search", "clean", "nosuch", "leaked", "--id", ID)[0] == 1
    empty = here / "empty"
    empty.mkdir()
    assert command("search", "empty", "--id", ID) == (2, "", "discreet: PATH: holds no file\n")


def test_every_form_is_one_that_an_unguarded_program_leaks(here: Path) -> None:
    """None of them is a form of nothing: each comes out of logging itself, or of Python's own hooks."""
    fmt = "%(name)s %(threadName)s %(message)s %(extras)s"
    program = f"""
import logging, sys

class Everything(logging.Formatter):
    def format(self, record):
        record.extras = [(key, value) for key, value in vars(record).items() if key not in ("msg", "args")]
        return super().format(record)

handler = logging.StreamHandler(sys.stdout)
handler.setFormatter(Everything({fmt!r}))
logging.getLogger().addHandler(handler)
from discreet import live_canary
live_canary.streams_guarded = lambda: True
live_canary.emit({ID!r}, "shop", logging.WARNING)
"""
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=60,
        check=True,
    )
    search = Search(ID)
    for _ in search.look("output", io.BytesIO(done.stdout)):
        pass
    assert {form for _, _, form in search.leaks} == set(FORMS)
    assert here.exists()


def test_a_search_reads_no_configuration(here: Path, command: Callable[..., tuple[int, str, str]]) -> None:
    """It is run where the logs are."""
    before: list[Any] = list(logging.root.handlers)
    (here / "log").write_bytes(_log(BEGINS, ENDS))
    assert command("search", "log", "--id", ID)[0] == 0
    assert logging.root.handlers == before
    assert discreet.contract is not None
    assert "DISCREET_JSON" not in os.environ
