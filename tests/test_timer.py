"""The timer: jobs run when they are due, in one thread that ends with the last of them."""

from __future__ import annotations

import io
import json
import logging
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import discreet
from discreet.export.ledger import LEDGER
from discreet.timer import Timer
from tests.clocks import Clock
from tests.forking import environment


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def timer(clock: Clock) -> Iterator[Timer]:
    """A timer without a thread."""
    made = Timer(clock, threaded=False)
    yield made
    made.clear()


def test_a_job_runs_once_when_it_is_due(timer: Timer, clock: Clock) -> None:
    """Not before, and not again."""
    ran: list[float] = []
    timer.at("bell", 30.0, lambda: ran.append(clock.now))
    for clock.now in (100.0, 129.9, 130.0, 190.0):
        timer.run_due()
    assert ran == [130.0]
    assert not timer.waits("bell")


def test_a_job_that_returns_seconds_runs_again_after_them(timer: Timer, clock: Clock) -> None:
    """Until it returns None."""
    ran: list[float] = []

    def job() -> float | None:
        ran.append(clock.now)
        return 10.0 if len(ran) < 3 else None

    timer.at("bell", 5.0, job)
    for second in range(100, 160):
        clock.now = float(second)
        timer.run_due()
    assert ran == [105.0, 115.0, 125.0]


def test_a_job_may_put_itself_off_by_its_name(timer: Timer, clock: Clock) -> None:
    """The later one is not taken for the one that has run."""
    ran: list[float] = []

    def job() -> None:
        ran.append(clock.now)
        timer.at("bell", 20.0, job)

    timer.at("bell", 5.0, job)
    for clock.now in (105.0, 124.0, 125.0):
        timer.run_due()
    assert ran == [105.0, 125.0]


def test_of_jobs_with_one_name_the_last_counts(timer: Timer, clock: Clock) -> None:
    """And a cancelled one never runs."""
    ran: list[str] = []
    timer.at("bell", 1.0, lambda: ran.append("first"))
    timer.at("bell", 2.0, lambda: ran.append("second"))
    timer.at("horn", 2.0, lambda: ran.append("horn"))
    timer.cancel("horn")
    timer.cancel("whistle")
    clock.now = 200.0
    timer.run_due()
    assert ran == ["second"]


def test_a_job_that_raises_is_counted_and_the_next_one_runs(timer: Timer, clock: Clock) -> None:
    """Nothing of its text is kept."""
    LEDGER.clear()
    ran: list[str] = []

    def fail() -> None:
        raise LookupError("the bell of Saint Osyth")

    timer.at("bell", 1.0, fail)
    timer.at("horn", 1.0, lambda: ran.append("horn"))
    clock.now = 200.0
    timer.run_due()
    assert ran == ["horn"]
    assert LEDGER.failures == {("timer bell", "LookupError"): 1}
    LEDGER.clear()


def test_the_thread_is_a_daemon_and_ends_with_the_last_job() -> None:
    """It never keeps a process alive, and there is none where nothing waits."""
    timer = Timer()
    done = threading.Event()
    assert timer._thread is None
    timer.at("later", 3600.0, lambda: None)
    thread = timer._thread
    assert thread is not None
    assert thread.daemon
    timer.at("now", 0.0, done.set)
    assert done.wait(30)
    timer.clear()
    thread.join(30)
    assert not thread.is_alive()
    assert timer._thread is None


def test_a_job_that_comes_later_gets_a_new_thread() -> None:
    """As often as needed."""
    timer = Timer()
    for _ in range(3):
        done = threading.Event()
        timer.at("now", 0.0, done.set)
        assert done.wait(30)
        thread = timer._thread
        if thread is not None:
            thread.join(30)


def test_a_forked_child_has_the_jobs_and_a_thread_of_its_own(clock: Clock) -> None:
    """Whatever the parent's thread did at that moment."""
    timer = Timer(clock)
    read, write = os.pipe()

    def ring() -> None:
        os.write(write, b"%d\n" % os.getpid())

    def let_ring() -> None:
        timer.resume()
        thread = timer._thread
        clock.now += 30.0
        # The thread looks at the clock once more.
        timer.at("horn", 0.0, lambda: None)
        if thread is not None:
            thread.join(30)

    timer.at("bell", 20.0, ring)
    child = os.fork()
    if child == 0:
        let_ring()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    let_ring()
    os.close(write)
    with os.fdopen(read, "rb") as rung:
        assert sorted(map(int, rung)) == sorted([os.getpid(), child])


FORKING = """
import os, threading
import discreet
from discreet.timer import Timer
discreet.install()
timer = Timer()
timer.at("later", 3600.0, lambda: None)
counts = [threading.active_count()]
for _ in range(20):
    timer.resume()
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
print(*counts, threading.active_count())
timer.clear()
"""


def test_a_fork_finds_no_thread_of_ours(tmp_path: Path) -> None:
    """Python 3.12 and later warn whoever forks a process that has more than one, and it may be an error then."""
    (tmp_path / "program.py").write_text(FORKING, "utf-8")
    # In a process of its own, because whoever runs the tests may have threads.
    done = subprocess.run(
        [sys.executable, "-W", "always", "program.py"],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "2 1\n", "")


def test_after_a_fork_the_parents_thread_comes_back_with_its_next_record() -> None:
    """Python looks for threads when the fork is over already, so it can't come back at once."""
    timer = Timer()
    timer.at("later", 3600.0, lambda: None)
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    assert timer._thread is None
    stream = io.StringIO()
    handler = discreet.JsonHandler(stream=stream)
    handler.handle(logging.makeLogRecord({"msg": "Rung", "levelno": logging.INFO}))
    assert timer._thread is not None
    timer.clear()


def test_a_fork_does_not_wait_for_what_the_thread_does(monkeypatch: pytest.MonkeyPatch) -> None:
    """It may wait for a lock that the forking thread holds."""
    monkeypatch.setattr("discreet.timer._PATIENCE", 0.01)
    lock, began = threading.Lock(), threading.Event()
    timer = Timer()

    def job() -> None:
        began.set()
        with lock:
            pass

    with lock:
        timer.at("now", 0.0, job)
        assert began.wait(30)
        child = os.fork()
        if child == 0:
            os._exit(0)
        os.waitpid(child, 0)
    timer.resume()
    timer.clear()


def test_no_thread_is_started_while_the_interpreter_ends(tmp_path: Path) -> None:
    """Whoever starts one then waits for it for ever."""
    program = """
import logging, sys
import discreet
logging.getLogger().addHandler(discreet.JsonHandler("out.jsonl"))

class Last:
    def __del__(self, warn=logging.getLogger("ferry").warning):
        warn("Left the quay")

logging.getLogger("ferry").warning("Docked")
last = Last()
"""
    variables = {name: value for name, value in environment().items() if name != "DISCREET_REPORT_EVERY"}
    (tmp_path / "program.py").write_text(program, "utf-8")
    done = subprocess.run(
        [sys.executable, "program.py"],
        cwd=tmp_path,
        env=variables,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    lines = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text("utf-8").splitlines()]
    said = [(line["message"], line.get("withheld")) for line in lines]
    # The module is gone by then, so nothing proves its words.
    assert said == [("Docked", None), ("<str 1-15>", 1)]


def test_where_no_thread_can_be_started_nothing_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    """As at the end of the interpreter; it is counted."""
    LEDGER.clear()

    def refuse(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    timer = Timer()
    monkeypatch.setattr(threading.Thread, "start", refuse)
    timer.at("bell", 1.0, lambda: None)
    assert timer.waits("bell")
    assert LEDGER.failures == {("timer", "RuntimeError"): 1}
    timer.clear()
    LEDGER.clear()
