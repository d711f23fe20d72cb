"""gunicorn with text scopes: workers forked before and after the application loads, and how they break."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.ways_in.customer import SENTENCES, found_in
from tests.ways_in.running import Program, ask, printed, steady

pytestmark = [pytest.mark.integration, pytest.mark.long]

ASKED = SENTENCES[0]
# A thread of a pool has the scope by `carry` alone.
AT_EACH_PLACE = {"handler": "<question 1-15>", "executor": "<question 1-15>", "bare executor": "<str 1-15>"}


def serve(folder: Path, *more: str, **settings: str) -> Program:
    text = printed("gunicorn")
    guard = '"streams": True,'
    assert guard in text
    (folder / "gunicorn.conf.py").write_text(text.replace(guard, f'{guard} "match": ["scoped.matched"],'), "ascii")
    command = ["--config", "gunicorn.conf.py", "--bind", "127.0.0.1:0", "--worker-tmp-dir", ".", *more]
    return Program(folder, "-m", "gunicorn", *command, "scoped_wsgi:app", XDG_RUNTIME_DIR=str(folder), **settings)


def places(lines: list[dict[str, Any]], logger: str) -> dict[str, str]:
    messages = [line["message"] for line in lines if line["logger"] == logger]
    return dict(message.removeprefix("At ").split(": ") for message in messages)


@pytest.mark.parametrize("more", [(), ("--preload",), ("--threads", "2")], ids=["prefork", "preload", "threads"])
def test_a_forked_worker_knows_the_texts_of_its_requests(more: tuple[str, ...], tmp_path: Path) -> None:
    """While the application answers, and while its body is read; a request that breaks has type and place."""
    with serve(tmp_path, *more) as program:
        port = int(program.wait_for(r"http://127\.0\.0\.1:(\d+)")[1])
        assert [ask(port, "POST", way, ASKED) for way in ("/", "/raise")] == [200, 500]
        program.wait_for_lines(1, logger="gunicorn.error", level="ERROR")
        assert program.stop() == 0

    lines = program.lines
    assert places(lines, "scoped") == AT_EACH_PLACE | {"body": "<text 1-15>"}
    assert places(lines, "scoped.matched") == {
        "handler": "<question 1-15>",
        "executor": "<question 1-15>",
        "<str 1-15>": "<str 1-15>",
        "body": "<text 1-15>",
    }
    failed = [steady(line) for line in lines if line["level"] == "ERROR"]
    assert [(line["exception_type"], line["exception_frames"]) for line in failed] == [
        ("ValueError", "scoped_wsgi.py:app")
    ]
    assert (found_in(program.stdout, program.stderr), program.stderr) == ([], "")


@pytest.mark.parametrize("preload", [False, True])
def test_an_application_that_breaks_when_it_is_loaded_shows_no_text(preload: bool, tmp_path: Path) -> None:
    """In a worker gunicorn logs it and prints its text to standard error too; in the master nobody catches it."""
    with serve(tmp_path, *(["--preload"] if preload else []), FAIL_AT="import", QUESTION=ASKED) as program:
        assert program.finish() == (1 if preload else 3)

    assert found_in(program.stdout, program.stderr) == []
    failed = [line for line in program.lines if line.get("exception_type") == "ValueError"]
    printed_lines = [line["message"] for line in program.lines if line["logger"] == "stderr"]
    assert {line["logger"] for line in failed} == {"discreet.uncaught" if preload else "gunicorn.error"}
    assert printed_lines == ([] if preload else ["<str 64-255>"])


def test_what_ends_or_leaves_a_request_shows_no_text(tmp_path: Path) -> None:
    """`sys.exit(text)`, a thread that breaks and is named by a text, and a line on standard error."""
    with serve(tmp_path) as program:
        port = int(program.wait_for(r"http://127\.0\.0\.1:(\d+)")[1])
        # Older releases of gunicorn let the exit end the worker, newer ones answer.
        with suppress(ConnectionError):
            assert ask(port, "POST", "/leave", ASKED) == 500
        assert [ask(port, "POST", way, ASKED) for way in ("/thread", "/print")] == [200, 200]
        assert program.stop() == 0

    lines = program.lines
    assert found_in(program.stdout, program.stderr) == []
    uncaught = [line for line in lines if line["logger"] == "discreet.uncaught"]
    assert [(line["exception_type"], line["place"]) for line in uncaught] == [("ValueError", "thread")]
    assert [line["message"] for line in lines if line["logger"] == "stderr"][-1] == "asked {text}"
