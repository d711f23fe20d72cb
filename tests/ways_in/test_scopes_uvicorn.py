"""uvicorn and FastAPI with text scopes: where a request's texts are known, and that its failures show nothing."""

from __future__ import annotations

import json
from contextlib import suppress
from http.client import IncompleteRead
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from tests.ways_in.customer import SENTENCES, found_in
from tests.ways_in.running import Program, ask, printed, steady

pytestmark = [pytest.mark.integration, pytest.mark.long]

ASKED = SENTENCES[0]
TARGET = quote(ASKED)
LOGGERS = ("scoped", "scoped.matched")


def serve(folder: Path, **settings: str) -> Program:
    config = json.loads(printed("uvicorn"))
    config["filters"]["guard"]["match"] = ["scoped.matched"]
    (folder / "logging.json").write_text(json.dumps(config), encoding="ascii")
    return Program(
        folder, "-m", "uvicorn", "--port", "0", "--log-config", "logging.json", "scoped_asgi:app", **settings
    )


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """The lines of one run with a request of each kind; no text is anywhere in its output."""
    with serve(tmp_path_factory.mktemp("served")) as program:
        port = int(program.wait_for(r"http://127\.0\.0\.1:(\d+)")[1])
        statuses = [ask(port, "POST", path, ASKED) for path in ("/ask", f"/together?text={TARGET}")]
        # With a middleware of functions the end of a broken stream looks like any other.
        with suppress(IncompleteRead):
            ask(port, "POST", f"/stream?text={TARGET}")
        paths = [f"/spell?text={TARGET}", f"/depends?text={TARGET}", f"/depends-in-a-thread?text={TARGET}"]
        statuses += [ask(port, "POST", path, ASKED) for path in (*paths, f"/middle?name={TARGET}", "/fail")]
        program.wait_for_lines(2, logger="uvicorn.error", level="ERROR")
        program.stop()
    assert statuses == [200] * 6 + [500]
    assert found_in(program.stdout, program.stderr) == []
    assert program.stderr == ""
    return program.lines


def places(lines: list[dict[str, Any]], logger: str) -> dict[str, str]:
    """Return what was shown of the word at each place."""
    messages = [line["message"] for line in lines if line["logger"] == logger]
    return dict(message.removeprefix("At ").split(": ") for message in messages)


def test_the_scope_is_there_wherever_the_request_is(served: list[dict[str, Any]]) -> None:
    """Handlers, tasks, the framework's threads, streams; a pool by `carry`, what comes after the answer by its own."""
    known = ["handler", "task", "another task", "threadpool", "thread", "executor", "sync handler"]
    known += ["dependency", "thread of a dependency"]
    own = dict.fromkeys(("background", "stream", "sync stream"), "<text 1-15>")
    bare = dict.fromkeys(("bare executor", "end", "bare background", "bare dependency"), "<str 1-15>")

    own["middleware"] = "<name 1-15>"

    assert places(served, "scoped") == dict.fromkeys(known, "<question 1-15>") | own | bare


def test_match_mode_knows_the_text_there_and_denies_elsewhere(served: list[dict[str, Any]]) -> None:
    """A thread without the scope, the code after it, and a background task: nothing is let through."""
    found = places(served, "scoped.matched")

    assert found.pop("<str 1-15>") == "<str 1-15>"
    assert found == {place: text for place, text in places(served, "scoped").items() if text != "<str 1-15>"}


def test_failures_have_type_and_place_and_no_text(served: list[dict[str, Any]]) -> None:
    """Of a handler, of a stream that had begun, and of a task that nobody waits for."""
    failures = [steady(line) for line in served if line["level"] == "ERROR"]

    assert [(line["logger"], line.get("exception_type"), line.get("exception_frames")) for line in failures] == [
        ("uvicorn.error", "ValueError", "scoped_asgi.py:words"),
        ("asyncio", "ValueError", "scoped_asgi.py:broken"),
        ("uvicorn.error", "LookupError", "scoped_asgi.py:fail"),
    ]


@pytest.mark.parametrize(("moment", "last"), [("start", "startup"), ("stop", "shutdown")])
def test_a_failure_at_start_or_stop_shows_no_text(moment: str, last: str, tmp_path: Path) -> None:
    """The framework sends its traceback as a text, which uvicorn logs: withheld whole, and the next line says when."""
    with serve(tmp_path, FAIL_AT=moment, QUESTION=ASKED) as program:
        if moment == "start":
            assert program.finish() == 3
        else:
            program.wait_for("Application startup complete")
            program.stop()

    failures = [line["message"] for line in program.lines if line["level"] == "ERROR"]
    assert (failures[0][:5], failures[1:]) == ("<str ", [f"Application {last} failed. Exiting."])
    assert (found_in(program.stdout, program.stderr), program.stderr) == ([], "")
