"""`discreet scan`: customer text in logs that already exist."""

from __future__ import annotations

import base64
import bz2
import gzip
import io
import json
import lzma
import os
import random
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from discreet.cli.main import main
from discreet.cli.output import Bar
from discreet.log_files import Source, lines_of
from discreet.scan import Scanner, Text

QUESTION = "Where is the key of the boat house, and who has it?"
CHUNK = (
    "The key hangs behind the door of the boat house.\nAnna Smith painted the hull in spring,\nfor nobody else could."
)
GERMAN = "Der Schlüssel für das Bootshaus hängt hinter der Tür."


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Runs the command in a folder of its own, where the texts are."""
    monkeypatch.chdir(tmp_path)
    Path("chunk.txt").write_text(CHUNK, encoding="utf-8")
    Path("questions.jsonl").write_text(f"{json.dumps({'question': QUESTION})}\n\n{json.dumps([GERMAN, 5])}\n")

    def call(*words: str, texts: tuple[str, ...] = ("chunk.txt", "questions.jsonl")) -> tuple[int, list[str], str]:
        status = main(["scan", *words, "--texts", *texts])
        out, err = capsys.readouterr()
        assert not any(part in out + err for part in ("boat house", "Bootshaus", "Anna", "painted"))
        return status, out.splitlines(), err

    return call


def test_a_clean_log_gives_0(run: Callable[..., object]) -> None:
    """With the counts of what was looked at."""
    Path("app.log").write_text("ready\nretrieval finished in 12 ms\n")

    assert run("app.log") == (0, ["0 findings in 2 lines of 1 file"], "")


def test_each_line_that_holds_text_is_told_once(run: Callable[..., object]) -> None:
    """File, line, which text and how much; the place is the line of a text file, or the place in a JSON file."""
    Path("app.log").write_text(
        f"ready\nasked {QUESTION.upper()}\nfound Anna Smith painted the hull in spr\nnone for {GERMAN} {QUESTION}\n"
    )

    assert run("app.log") == (
        1,
        [
            "app.log:2: a piece of questions.jsonl:1.question, 40 characters",
            "app.log:3: a piece of chunk.txt:2, 28 characters",
            "app.log:4: a piece of questions.jsonl:3[0], 45 characters",
            "3 findings in 4 lines of 1 file",
        ],
        "",
    )


FORMS: dict[str, Callable[[str], bytes]] = {
    "JSON": lambda text: json.dumps({"level": "INFO", "message": f"asked {text}"}).encode(),
    "JSON in JSON": lambda text: json.dumps({"log": json.dumps({"message": text})}).encode(),
    "repr of bytes": lambda text: repr(text.encode()).encode(),
    "URL": lambda text: b"GET /?q=" + "".join(f"%{byte:02X}" for byte in text.encode()).encode(),
    "base64": lambda text: b"body=" + base64.b64encode(text.encode()),
    "Latin-1": lambda text: text.encode("latin-1"),
    "noise around": lambda text: os.urandom(300).replace(b"\n", b"") + text.encode() + b"\xff\xfe\x00\x80",
}


@pytest.mark.parametrize("form", FORMS)
def test_a_text_is_found_in_the_forms_of_logs(run: Callable[..., object], form: str) -> None:
    """On its own line number."""
    Path("app.log").write_bytes(b"ready\n" + FORMS[form](GERMAN) + b"\nready\n")

    status, out, _ = run("app.log")

    assert (status, out[0].partition(" of ")[0], len(out)) == (1, "app.log:2: a piece", 2)


@pytest.mark.parametrize(
    ("name", "pack"),
    [
        ("a.gz", gzip.compress),
        ("a.bz2", bz2.compress),
        ("a.xz", lzma.compress),
        ("a.log", lambda raw: gzip.compress(raw[:300]) + gzip.compress(raw[300:])),
        ("a.log", lambda raw: raw.decode().encode("utf-16")),
    ],
    ids=["gzip", "bzip2", "xz", "two gzips in one", "UTF-16"],
)
def test_compressed_logs_are_read_whatever_their_name_is(
    run: Callable[..., object], name: str, pack: Callable[[bytes], bytes]
) -> None:
    """By what they begin with."""
    Path(name).write_bytes(pack(b"ready\n" * 5000 + QUESTION.encode() + b"\n"))

    assert run(name)[1] == [
        f"{name}:5001: a piece of questions.jsonl:1.question, 40 characters",
        "1 finding in 5,001 lines of 1 file",
    ]


def test_folders_are_searched_through_in_order(run: Callable[..., object]) -> None:
    """Links and pipes in them are passed over."""
    for name in ("logs/b.log", "logs/a/2.log", "logs/a/1.log"):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(QUESTION)
    Path("logs/link.log").symlink_to(Path("chunk.txt").absolute())
    os.mkfifo("logs/pipe")

    status, out, err = run("logs")

    assert (status, err) == (1, "")
    assert [line.partition(": ")[0] for line in out] == [
        "logs/b.log:1",
        "logs/a/1.log:1",
        "logs/a/2.log:1",
        "3 findings in 3 lines of 3 files",
    ]


def test_standard_input_is_read_by_a_dash(run: Callable[..., object], monkeypatch: pytest.MonkeyPatch) -> None:
    """As the end of a pipe."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(f"ready\n{QUESTION}".encode())))

    assert run("-")[1][0] == "-:2: a piece of questions.jsonl:1.question, 40 characters"


def test_a_text_over_several_lines_is_found(run: Callable[..., object]) -> None:
    """Although no line has enough of it; the range is as short as can be."""
    words = QUESTION.split()
    Path("app.log").write_text("ready\n" * 3 + "\n".join(words) + "\nready\n" * 3)

    status, out, _ = run("app.log")

    assert status == 1
    assert out[0].startswith("app.log:4-")
    assert out[0].endswith("questions.jsonl:1.question, 16 characters")


def test_a_line_of_any_length_is_read_in_parts(run: Callable[..., object]) -> None:
    """Text at any place of it is found, and the line is told once."""
    chance = random.Random(1)
    filler = "".join(chance.choices("abcdef 0123456789", k=1_000_000))
    for place in (0, 262_130, 524_280, 999_999):
        Path("app.log").write_text(f"ready\n{filler[:place]}{QUESTION}{filler[place:]}{QUESTION}\nready\n")

        assert run("app.log")[1] == [
            "app.log:2: a piece of questions.jsonl:1.question, 40 characters",
            "1 finding in 3 lines of 1 file",
        ]


def test_lines_are_parted_with_an_overlap_and_keep_their_number() -> None:
    """No more than about 330 KB of a log is in memory at once."""
    parts = list(lines_of(io.BytesIO(b"a\n" + b"b" * 1_000_000 + b"\nc")))

    assert [number for number, _ in parts] == [1, *[2] * (len(parts) - 2), 3]
    assert max(len(line) for _, line in parts) < 330_000
    assert sum(len(line) for number, line in parts if number == 2) > 1_000_000


def test_short_values_are_found_when_asked_for(run: Callable[..., object]) -> None:
    """Names in JSON, in quotes, behind an equals sign. The words of a message aren't values."""
    Path("app.log").write_text(
        '{"user": "Anna Smith", "level": "info"}\nuser=anna-smith n=5\nuser: \'Anna\'\nthe door of the house\n'
        '{"a": [{"b": "Anna"}], "cut": "li\n'
    )

    assert run("app.log")[1] == ["0 findings in 5 lines of 1 file"]
    assert [line.partition(", ")[0] for line in run("app.log", "--short")[1]] == [
        "app.log:1: a value inside of chunk.txt:2",
        "app.log:2: a value inside of chunk.txt:2",
        "app.log:3: a value inside of chunk.txt:2",
        "app.log:5: a value inside of chunk.txt:2",
        "4 findings in 5 lines of 1 file",
    ]


def test_each_line_of_a_text_file_can_be_a_text(run: Callable[..., object]) -> None:
    """So that the beginning of each, and a short one as a whole, is found."""
    Path("questions.txt").write_text("Who is Anna?\nWhat is the colour of it?\nno\n")
    Path("app.log").write_text("asked Who is Anna? twice\nasked what is the COLOUR of it\n")

    assert run("app.log", texts=("questions.txt",))[0] == 0
    assert run("app.log", "--lines", texts=("questions.txt",))[1][:2] == [
        "app.log:1: all of questions.txt:1, 9 characters",
        "app.log:2: beginning or end of questions.txt:2, 16 characters",
    ]


def test_json_output_is_one_object_a_line_and_a_summary(run: Callable[..., object]) -> None:
    """For other programs."""
    Path("app.log").write_text(f"ready\n{QUESTION}\n")

    status, out, _ = run("app.log", "--json")

    assert status == 1
    assert [json.loads(line) for line in out] == [
        {
            "file": "app.log",
            "line": 2,
            "last_line": 2,
            "place": "questions.jsonl:1.question",
            "length": 40,
            "rule": "shared",
        },
        {"summary": {"findings": 1, "lines": 2, "files": 1, "unreadable": 0}},
    ]


def test_what_could_not_be_looked_at_gives_2(run: Callable[..., object]) -> None:
    """A missing file, an archive that is cut; what could be read is still looked through, and a finding gives 1."""
    Path("cut.gz").write_bytes(gzip.compress(os.urandom(5000))[:-900])
    Path("app.log").write_text("ready\n")

    status, out, err = run("none.log", "cut.gz", "app.log")
    assert (status, out[0].partition(" of ")[2]) == (2, "3 files, 2 files not looked at")
    assert err == "none.log: can't be looked at (FileNotFoundError)\ncut.gz: can't be looked at (EOFError)\n"

    Path("app.log").write_text(QUESTION)
    assert run("none.log", "app.log")[0] == 1
    Path("empty").mkdir()
    assert run("empty")[0] == 2


@pytest.mark.parametrize(
    ("name", "content", "error"),
    [
        ("none.txt", None, "discreet: none.txt: can't be read (FileNotFoundError)\n"),
        ("a.json", f'{{"question": "{QUESTION}', "discreet: a.json: isn't JSON\n"),
        ("a.txt", "short\n", "discreet: --texts: no text of 8 characters or more. Shorter ones are everywhere.\n"),
    ],
)
def test_texts_that_can_not_be_read_give_2(
    run: Callable[..., object], name: str, content: str | None, error: str
) -> None:
    """The message doesn't quote them."""
    if content is not None:
        Path(name).write_text(content)

    assert run("chunk.txt", texts=(name,)) == (2, [], error)


def test_places_of_nested_json_are_told_without_keys_that_may_be_text(run: Callable[..., object]) -> None:
    """Usual names of keys stay."""
    Path("a.json").write_text(json.dumps({"documents": [{"content": "a"}, {"Anna": {"title": QUESTION}}]}))
    Path("app.log").write_text(QUESTION)

    assert run("app.log", texts=("a.json",))[1][0] == "app.log:1: a piece of a.json[0][1][0].title, 40 characters"


def test_names_of_files_do_not_reach_the_terminal_as_they_are(run: Callable[..., object]) -> None:
    """A name may hold what a terminal obeys."""
    Path("a\x1b[31m.log").write_text(QUESTION)

    assert run("a\x1b[31m.log")[1][0].startswith("a\\x1b[31m.log:1: ")


class Terminal(io.StringIO):
    """A stream that says that it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_a_bar_is_drawn_on_a_terminal_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """A few times a second, and it is gone at the end."""
    times = iter([1.0, 1.01, 2.0, 3.0])
    monkeypatch.setattr("discreet.cli.output.time.monotonic", lambda: next(times))
    terminal, file = Terminal(), io.StringIO()
    log = Source("app.log", 600)
    for stream in (terminal, file):
        bar = Bar(stream, 1200)
        if stream is file:
            monkeypatch.setattr("discreet.cli.output.time.monotonic", lambda: 9.0)
        bar.show(log, 0)
        bar.show(log, 30)
        bar.show(log, 300)
        bar.done(log)
        bar.show(log, 600)
        bar.clear()

    assert file.getvalue() == ""
    assert terminal.getvalue().split("\r\x1b[K") == [
        "",
        f"[{'-' * 30}]   0% app.log",
        f"[{'#' * 8}{'-' * 22}]  25% app.log",
        f"[{'#' * 30}] 100% app.log",
        "",
    ]


def test_memory_does_not_grow_with_the_log() -> None:
    """Lines are given out one by one, and only a few stay for the texts that go over several."""
    made = 0

    class Endless(io.RawIOBase):
        def readable(self) -> bool:
            return True

        def read(self, size: int = -1) -> bytes:
            nonlocal made
            made += 1
            return b"request handled in 12 ms\n" * (size // 25) if made < 60 else b""

    import tracemalloc

    scanner = Scanner([Text("text", QUESTION, 1)])
    tracemalloc.start()
    try:
        found = list(scanner.scan(Source("log", 0), Endless()))  # type: ignore[arg-type]
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert (found, scanner.lines > 100_000) == ([], True)
    assert peak < 3_000_000
