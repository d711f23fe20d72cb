"""JsonHandler's file while something else renames, removes or tears it, and RotatingFileHandler."""

from __future__ import annotations

import json
import logging
import logging.handlers
import os
import subprocess
import sys
from pathlib import Path

import pytest

import discreet
from discreet.export.ledger import LEDGER

WRITER = """
import logging, sys
import discreet
log = logging.getLogger("app")
log.setLevel("INFO")
log.propagate = False
log.addHandler(discreet.JsonHandler(sys.argv[1], attributes={"worker": "count", "number": "count"}))
print("ready", flush=True)
sys.stdin.readline()
for number in range(500):
    log.info("Written", extra={"worker": int(sys.argv[2]), "number": number})
    if number % 50 == 0:
        log.handlers[0]._file.look_again = 0.0
"""


@pytest.fixture
def log() -> logging.Logger:
    found = logging.getLogger("tests.export.rotation")
    found.setLevel(logging.DEBUG)
    found.propagate = False
    found.handlers.clear()
    return found


def a_second_later(handler: discreet.JsonHandler) -> None:
    assert handler._file is not None
    handler._file.look_again = 0.0


def messages(path: Path) -> list[str]:
    return [json.loads(line)["message"] for line in path.read_text(encoding="utf-8").splitlines()]


def test_the_handler_follows_its_path_after_a_rename(log: logging.Logger, tmp_path: Path) -> None:
    """Until it looks again, records go to the renamed file, where whoever reads that finds them."""
    path = tmp_path / "app.jsonl"
    handler = discreet.JsonHandler(path)
    log.addHandler(handler)
    log.info("one")
    path.rename(tmp_path / "app.jsonl.1")
    log.info("two")
    a_second_later(handler)
    log.info("three")
    log.info("four")

    assert messages(tmp_path / "app.jsonl.1") == ["one", "two"]
    assert messages(path) == ["three", "four"]


def test_the_handler_takes_the_file_that_logrotate_made(log: logging.Logger, tmp_path: Path) -> None:
    """With `create`, the new file is there before the handler looks, with the owner that it was given."""
    path = tmp_path / "app.jsonl"
    handler = discreet.JsonHandler(path)
    log.addHandler(handler)
    log.info("one")
    path.rename(tmp_path / "app.jsonl.1")
    path.touch(mode=0o600)
    a_second_later(handler)
    log.info("two")

    assert messages(path) == ["two"]
    assert path.stat().st_mode & 0o777 == 0o600


def test_while_there_is_no_new_file_the_old_one_takes_records(
    log: logging.Logger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between logrotate's rename and its create, a process that may not make files loses nothing."""
    path = tmp_path / "app.jsonl"
    handler = discreet.JsonHandler(path, name="between")
    log.addHandler(handler)
    log.info("one")
    path.rename(tmp_path / "app.jsonl.1")
    a_second_later(handler)
    real = os.open
    monkeypatch.setattr(os, "open", _refused)
    log.info("two")
    monkeypatch.setattr(os, "open", real)
    a_second_later(handler)
    log.info("three")

    assert messages(tmp_path / "app.jsonl.1") == ["one", "two"]
    assert messages(path) == ["three"]
    assert LEDGER.sink("between").as_dict()["observed"] == 3


def test_records_for_a_file_that_is_gone_are_missing(
    log: logging.Logger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What would be written to a removed file is nowhere, so it isn't counted as observed."""
    path = tmp_path / "app.jsonl"
    handler = discreet.JsonHandler(path, name="gone")
    log.addHandler(handler)
    log.info("one")
    path.unlink()
    a_second_later(handler)
    monkeypatch.setattr(os, "open", _refused)
    log.info("two")
    counts = LEDGER.sink("gone").as_dict()

    assert (counts["observed"], counts["missing_by_reason"]) == (1, {"write_failed": 1})


def _refused(*arguments: object, **options: object) -> int:
    raise PermissionError(13, "Permission denied")


@pytest.mark.parametrize(
    ("before", "after"),
    [("", ""), ("{}\n", "{}\n"), ('{"half": ', '{"half": \n')],
    ids=["empty", "whole", "torn"],
)
def test_a_file_that_ends_in_half_a_line_gets_a_line_feed_first(
    before: str, after: str, log: logging.Logger, tmp_path: Path
) -> None:
    """What a killed process left behind doesn't take this one's first record with it."""
    path = tmp_path / "app.jsonl"
    path.write_text(before, encoding="utf-8")
    log.addHandler(discreet.JsonHandler(path))
    log.info("one")
    text = path.read_text(encoding="utf-8")

    assert text.startswith(after + '{"timestamp"')
    assert json.loads(text.splitlines()[-1])["message"] == "one"


def test_a_pipe_is_written_to_and_never_looked_into(log: logging.Logger, tmp_path: Path) -> None:
    """A path may name a pipe, such as /dev/stdout in a container."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    handler = discreet.JsonHandler(path)
    log.addHandler(handler)
    log.info("one")
    a_second_later(handler)
    log.info("two")
    text = os.read(reader, 65536).decode()
    os.close(reader)

    assert [json.loads(line)["message"] for line in text.splitlines()] == ["one", "two"]


def test_processes_share_a_file_that_is_rotated_under_them(tmp_path: Path) -> None:
    """Each record of each process is once in one of the files, on a line of its own.

    A process that opens a file in the midst of another one's write finds half a line there, so that
    a blank line may follow.
    """
    path = tmp_path / "app.jsonl"
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(path), str(worker)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for worker in range(3)
    ]
    for writer in writers:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write("go\n")
        writer.stdin.flush()
    rotated = 0
    while any(writer.poll() is None for writer in writers):
        if path.exists() and path.stat().st_size > 20_000:
            rotated += 1
            path.rename(tmp_path / f"app.jsonl.{rotated}")
    for writer in writers:
        writer.communicate()
    found = [
        (row["worker"], row["number"])
        for file in tmp_path.iterdir()
        for row in map(json.loads, filter(None, file.read_text(encoding="utf-8").splitlines()))
    ]

    assert [writer.returncode for writer in writers] == [0, 0, 0]
    assert rotated > 1
    assert sorted(found) == [(worker, number) for worker in range(3) for number in range(500)]


def test_rotating_file_handler_rotates_lines_of_the_formatter(log: logging.Logger, tmp_path: Path) -> None:
    """The standard library's own way, for one process."""
    path = tmp_path / "app.jsonl"
    handler = logging.handlers.RotatingFileHandler(path, maxBytes=1000, backupCount=20)
    handler.setFormatter(discreet.JsonFormatter())
    log.addHandler(handler)
    for number in range(50):
        log.info("Record %d", number)
    handler.close()
    files = sorted(tmp_path.iterdir(), key=lambda file: -int(file.suffix[1:]) if file.suffix[1:].isdigit() else 0)

    assert len(files) > 2
    assert max(file.stat().st_size for file in files) <= 1000
    assert [message for file in files for message in messages(file)] == [f"Record {number}" for number in range(50)]
