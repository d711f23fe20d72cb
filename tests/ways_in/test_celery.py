"""Celery with a printed configuration: a real worker with a prefork pool."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from tests.ways_in.customer import SENTENCES, found_in
from tests.ways_in.running import Program, printed, steady

pytestmark = pytest.mark.integration

QUIET = ("--without-gossip", "--without-mingle", "--without-heartbeat")
TASK = {"task": "celery_tasks.answer", "task_id": "str"}


def line(logger: str, message: str, withheld: int, level: str = "INFO", **more: object) -> str:
    found = {"level": level, "logger": logger, "message": message, "withheld": withheld, **more, "service": "answers"}
    return json.dumps(found, sort_keys=True)


EXPECTED = Counter(
    {
        # A task's extra holds its arguments, and its return value is an argument of the message.
        line("celery.worker.strategy", "Task celery_tasks.answer[ID] received", 1, **TASK): 2,
        line("celery_tasks", "Asked <str 64-255>, attempt 1", 1): 1,
        line("celery_tasks", "Asked {text}, attempt 1", 1): 1,
        line("celery_tasks", "Asked <str 64-255>, attempt 2", 1): 1,
        line("celery_tasks", "Asked {text}, attempt 2", 1): 1,
        line(
            "celery.app.trace",
            "Task celery_tasks.answer[ID] succeeded in SECONDSs: <str 64-255>",
            2,
            **TASK,
            duration_s="float",
        ): 1,
        line(
            "celery.app.trace",
            "Task celery_tasks.answer[ID] raised unexpected: <str 64-255>",
            2,
            "ERROR",
            **TASK,
            exception_type="ValueError",
            exception_frames="celery_tasks.py:answer",
        ): 1,
    }
)


def test_a_worker_says_what_became_of_its_tasks_and_nothing_of_their_arguments(tmp_path: Path) -> None:
    """Lines of the worker and of the processes of its pool; the task's name and id, not its arguments or result."""
    text = printed("celery", "--service", "answers")
    (tmp_path / "worker_app.py").write_text(f"{text}\n\nfrom celery_tasks import app\n", encoding="ascii")
    command = ["-m", "celery", "--quiet", "--app", "worker_app:app", "worker", "--concurrency", "2", *QUIET]

    with Program(tmp_path, *command, QUESTION=SENTENCES[1]) as program:
        program.wait_for_lines(3, task="celery_tasks.answer")
        program.wait_for_lines(4, logger="celery_tasks")
        program.wait_for('"level":"ERROR"')
        # Asked to stop, a worker takes seconds, and prints to standard output that it does.
        program.kill()

    lines = program.lines
    wanted = {"celery.worker.strategy", "celery.app.trace", "celery_tasks"}
    found = Counter(json.dumps(steady(one), sort_keys=True) for one in lines if one["logger"] in wanted)
    assert found == EXPECTED
    assert "<str 1-15> ready." in {one["message"] for one in lines if one["logger"] == "celery.apps.worker"}
    assert found_in(program.stdout, program.stderr) == []


def test_celery_alone_prints_what_was_asked(tmp_path: Path) -> None:
    """The control: Celery's own set-up shows arguments, results and errors."""
    command = ["-m", "celery", "--quiet", "--app", "celery_tasks:app", "worker", "--loglevel", "INFO", "--pool", "solo"]

    with Program(tmp_path, *command, *QUIET, QUESTION=SENTENCES[1]) as program:
        program.wait_for("raised unexpected")
        program.kill()

    assert SENTENCES[1] in found_in(program.stdout, program.stderr)
