"""Celery with text scopes: tasks that break in every way in the forked processes of a pool."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest

from tests.ways_in.customer import SENTENCES, found_in
from tests.ways_in.running import Program, printed

pytestmark = pytest.mark.integration

ASKED = SENTENCES[0]
QUIET = ("--without-gossip", "--without-mingle", "--without-heartbeat")


@pytest.fixture(scope="module")
def worked(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """The lines of a worker that did a task of each kind; no text is anywhere in its output."""
    folder = tmp_path_factory.mktemp("worker")
    text = printed("celery").replace('"streams": True,', '"streams": True, "match": ["scoped.matched"],')
    (folder / "worker_app.py").write_text(f"{text}\n\nfrom scoped_tasks import app\n", encoding="ascii")
    command = ["-m", "celery", "--quiet", "--app", "worker_app:app", "worker", "--concurrency", "1", *QUIET]
    ways = "fine raise retry print odd exit end again"
    with Program(folder, *command, QUESTION=ASKED, WAYS=ways) as program:
        program.wait_for(r"scoped_tasks\.done\S* succeeded")
        program.wait_for_lines(1, logger="discreet.uncaught")
        program.wait_for_lines(2, logger="celery.worker.request")
        program.kill()
    assert found_in(program.stdout, program.stderr) == []
    # A worker that is killed may have been in the middle of a line.
    return [json.loads(line) for line in program.stdout.splitlines() if line.endswith("}")]


def test_a_task_knows_its_texts_until_its_scope_ends(worked: list[dict[str, Any]]) -> None:
    """In the process that was forked for it; in match mode nothing but the places is let through."""
    ways = "fine raise retry print odd exit end again".split()
    found = Counter(line["message"] for line in worked if line["logger"] == "scoped")
    matched = Counter(line["message"] for line in worked if line["logger"] == "scoped.matched")

    # What is to be tried again goes to the broker in the child's own memory, and is lost there.
    assert {way: found[f"At {way}: <question 1-15>"] for way in ways} == dict.fromkeys(ways, 1)
    after = ["fine", "raise", "print", "again"]
    assert {way: found[f"At {way} after: <str 1-15>"] for way in after} == dict.fromkeys(after, 1)
    assert sum(found.values()) == len(ways) + len(after)
    assert {message.partition(": ")[2] for message in matched} == {"<question 1-15>", "<str 1-15>"}
    assert sum(matched.values()) == sum(found.values())


def test_what_became_of_a_task_is_told_without_its_texts(worked: list[dict[str, Any]]) -> None:
    """Received with its arguments, tried again, failed, lost with its process: type, place and id, no text."""
    errors = Counter(
        (line["logger"], line.get("exception_type"))
        for line in worked
        if line["level"] in ("ERROR", "CRITICAL") and not line["logger"].startswith("kombu")
    )
    wrapped = "celery.utils.serialization.UnpickleableExceptionWrapper"
    expected = {
        ("celery.app.trace", "ValueError"): 1,
        ("celery.app.trace", wrapped): 1,
        ("celery.worker.request", "billiard.einfo.ExceptionWithTraceback"): 1,
        ("celery.worker.request", "scoped_tasks.Ended"): 1,
        ("discreet.uncaught", "TypeError"): 1,
    }
    received = [line for line in worked if line["logger"] == "celery.worker.strategy"]
    tried_again = [line["message"].partition("] ")[2] for line in worked if "] retry: " in line["message"]]

    assert errors == expected
    assert {line["message"].partition("[")[0] for line in received} == {
        "Task scoped_tasks.answer",
        "Task scoped_tasks.done",
    }
    assert tried_again == ["retry: <str 64-255>"]


def test_what_a_task_prints_is_a_record(worked: list[dict[str, Any]]) -> None:
    """As with Celery's own set-up, and without the text."""
    lines = [
        (line["logger"], line["message"], line["module"]) for line in worked if line["logger"] in ("stdout", "stderr")
    ]

    assert lines == [("stdout", "asked {text}", "scoped_tasks"), ("stderr", "asked {text}", "scoped_tasks")]


def test_a_process_that_ends_with_a_text_is_told_by_types(worked: list[dict[str, Any]]) -> None:
    """`sys.exit(text)` in a task: billiard would print the traceback, source lines and text."""
    (line,) = [line for line in worked if line["logger"] == "discreet.uncaught"]

    assert (line["level"], line["event"], line["place"]) == ("CRITICAL", "uncaught_exception", "process")
    assert line["exception_chain"].split(" < ")[0] == "TypeError"
