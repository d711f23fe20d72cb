"""Reports: what was withheld and what failed, every ten minutes and at the end."""

from __future__ import annotations

import io
import json
import logging
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import discreet
from discreet import reporter
from discreet.errors import ConfigurationError
from discreet.export.ledger import LEDGER
from discreet.reporter import LARGEST, REPORTER
from discreet.seal import sealing
from discreet.timer import TIMER
from tests.clocks import Clock
from tests.forking import environment

log = logging.getLogger("bakery")
NOTE = "Mrs Ottoline wants the rye loaf without caraway"


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[Clock]:
    """The process's timer on a clock that stands still, without a thread."""
    LEDGER.clear()
    REPORTER.reset()
    made = Clock()
    monkeypatch.setattr(TIMER, "clock", made)
    monkeypatch.setattr(TIMER, "threaded", False)
    yield made
    REPORTER.reset()
    LEDGER.clear()


@pytest.fixture
def configured(clock: Clock) -> Iterator[Callable[..., io.StringIO]]:
    """Sets up JSON lines to a stream, with reports; closes at the end."""
    handles: list[discreet.Handle] = []

    def configure(**settings: Any) -> io.StringIO:
        stream = io.StringIO()
        handles.append(discreet.configure(json=stream, **{"report_every": 600, **settings}))
        return stream

    assert clock.now == 100.0
    yield configure
    for handle in handles:
        handle.close()


def said(stream: io.StringIO, *events: str) -> list[dict[str, Any]]:
    """The lines of these events, without what any line has."""
    found = [json.loads(line) for line in stream.getvalue().splitlines()]
    return [
        {name: value for name, value in line.items() if name not in ("timestamp", "logger", "message", "level")}
        for line in found
        if line.get("event") in (events or ("content_withheld", "guard_failed"))
    ]


def _line(function: Callable[..., object], offset: int) -> int:
    return function.__code__.co_firstlineno + offset


def ordered(note: str) -> None:
    log.info("Ordered: %s for %s", note, note)
    log.info("Ordered", extra={"note": note})


def test_what_was_withheld_is_reported_every_ten_minutes_by_call_site(
    configured: Callable[..., io.StringIO], clock: Clock
) -> None:
    """Each report has what came since the last one, and nothing if nothing came."""
    stream = configured()
    ordered(NOTE)
    ordered(NOTE)
    clock.pass_by(599)
    assert said(stream) == []
    clock.pass_by(1)
    first = {"event": "content_withheld", "reason": "undeclared", "module": __name__}
    assert said(stream) == [
        {**first, "count": 4, "kind": "argument", "line": _line(ordered, 1)},
        {**first, "count": 2, "kind": "attribute", "line": _line(ordered, 2)},
    ]
    clock.pass_by(600)
    assert len(said(stream)) == 2
    ordered(NOTE)
    clock.pass_by(600)
    assert [line["count"] for line in said(stream)] == [4, 2, 2, 1]


def test_what_is_left_is_reported_at_close(configured: Callable[..., io.StringIO], clock: Clock) -> None:
    """Once: closing again adds nothing."""
    stream = io.StringIO()
    handle = discreet.configure(json=stream, report_every=600)
    ordered(NOTE)
    clock.pass_by(600)
    ordered(NOTE)
    handle.close()
    handle.close()
    REPORTER.close()
    assert [line["count"] for line in said(stream)] == [2, 1, 2, 1]
    assert configured is not None


def test_a_report_is_of_bounded_length(configured: Callable[..., io.StringIO], clock: Clock) -> None:
    """The call sites with the largest counts have a record each; all others share one."""
    stream = configured()
    for line in range(30):
        LEDGER.withhold(f"bakery.oven:{line}", "bakery", "argument", 100 - line)
    clock.pass_by(600)
    found = said(stream)
    assert [line["count"] for line in found] == [*range(100, 80, -1), sum(range(71, 81))]
    assert found[-1] == {"event": "content_withheld", "count": 755, "sites": 10}
    assert len(found) == LARGEST + 1
    assert found[0] == {"event": "content_withheld", "count": 100, "kind": "argument", "reason": "undeclared"}


def test_what_was_withheld_of_spans_is_reported_by_the_instrumentation(
    configured: Callable[..., io.StringIO], clock: Clock
) -> None:
    """By the name of its module; what isn't one is left out."""
    stream = configured()
    LEDGER.withhold("span of json", "", "attribute", 40, scope=("span", "json"))
    LEDGER.withhold("log of json", "", "body", 30, scope=("log", "json"))
    LEDGER.withhold("span of ?", "", "span name", 20, scope=("span", ""))
    LEDGER.withhold("span of Ottoline", "", "attribute", 10, scope=("span", "Ottoline"))
    clock.pass_by(600)
    every = {"event": "content_withheld", "reason": "undeclared"}
    assert said(stream) == [
        {**every, "count": 40, "kind": "attribute", "scope": "json"},
        {**every, "count": 30, "kind": "body", "scope": "json"},
        {**every, "count": 20, "kind": "span name"},
        {**every, "count": 10, "kind": "attribute"},
    ]
    lines = [json.loads(line)["message"] for line in stream.getvalue().splitlines() if "content_withheld" in line]
    assert lines == [
        "40 values withheld in spans of json: attribute, undeclared",
        "30 values withheld in log records of json: body, undeclared",
        "20 values withheld in spans: span name, undeclared",
        "10 values withheld in spans: attribute, undeclared",
    ]


def test_reports_withhold_nothing_themselves(configured: Callable[..., io.StringIO], clock: Clock) -> None:
    """Otherwise each would cause the next."""
    stream = configured()
    ordered(NOTE)
    clock.pass_by(600)
    before = LEDGER.withheld
    for _ in range(3):
        clock.pass_by(600)
    assert LEDGER.withheld == before
    assert len(said(stream)) == 2
    assert [line for line in said(stream) if "withheld" in line] == []


def test_each_record_says_for_people_what_it_has_in_its_attributes(
    configured: Callable[..., io.StringIO], clock: Clock
) -> None:
    """The console shows no more than the message."""
    stream = configured()
    ordered(NOTE)
    LEDGER.withhold("?", "bakery", "record", 1, reason="failed")
    for line in range(LARGEST):
        LEDGER.withhold(f"bakery.oven:{line}", "bakery", "argument", 50)
    clock.pass_by(600)
    lines = [json.loads(line)["message"] for line in stream.getvalue().splitlines() if "content_withheld" in line]
    assert lines == [*["50 values withheld: argument, undeclared"] * LARGEST, "4 values withheld at 3 other call sites"]
    ordered(NOTE)
    clock.pass_by(600)
    lines = [json.loads(line)["message"] for line in stream.getvalue().splitlines() if "content_withheld" in line]
    assert lines[-2:] == [
        f"2 values withheld at {__name__}:{_line(ordered, 1)}: argument, undeclared",
        f"1 value withheld at {__name__}:{_line(ordered, 2)}: attribute, undeclared",
    ]


def test_what_is_declared_public_is_not_reported(configured: Callable[..., io.StringIO], clock: Clock) -> None:
    """It was not withheld."""
    stream = configured()
    log.info("Ordered %s", discreet.public("rye"))
    clock.pass_by(600)
    assert said(stream) == []


def test_failures_of_the_guard_are_reported_by_class(
    configured: Callable[..., io.StringIO], clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the records that were withheld for them; never with their text."""

    def fail(*_: object) -> None:
        raise KeyError(NOTE)

    stream = configured()
    with monkeypatch.context() as broken:
        broken.setattr(sealing, "_seal", fail)
        log.info("Baked")
        log.info("Baked")
    LEDGER.failure("handler logging.StreamHandler", OSError(NOTE))
    clock.pass_by(600)
    clock.pass_by(600)
    assert said(stream, "guard_failed") == [{"event": "guard_failed", "error_type": "KeyError", "count": 2}]
    assert said(stream, "content_withheld") == [
        {"event": "content_withheld", "count": 2, "reason": "failed", "kind": "record"}
    ]
    assert NOTE not in stream.getvalue()
    assert reporter.failures() == {}


def test_there_are_no_reports_where_they_are_off(configured: Callable[..., io.StringIO], clock: Clock) -> None:
    """Neither later nor at the end, and nothing waits."""
    stream = configured(report_every=0)
    ordered(NOTE)
    assert not TIMER.waits("report")
    clock.pass_by(6000)
    REPORTER.close()
    assert said(stream) == []


def test_a_report_waits_until_somebody_hears_it(clock: Clock) -> None:
    """What was counted while no handler took records at INFO is in the first report that is heard."""
    stream = io.StringIO()
    handle = discreet.configure(json=stream, report_every=600, level="WARNING")
    log.warning("Ordered: %s", NOTE)
    clock.pass_by(600)
    assert said(stream) == []
    logging.getLogger("discreet").setLevel("INFO")
    clock.pass_by(600)
    assert [line["count"] for line in said(stream)] == [1]
    logging.getLogger("discreet").setLevel("NOTSET")
    handle.close()


def test_a_handler_that_raises_ends_neither_the_timer_nor_the_close(
    configured: Callable[..., io.StringIO], clock: Clock
) -> None:
    """It is counted."""

    class Raising(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            raise ZeroDivisionError(NOTE)

    configured()
    handler = Raising()
    ordered(NOTE)
    logging.getLogger("discreet").addHandler(handler)
    clock.pass_by(600)
    logging.getLogger("discreet").removeHandler(handler)
    assert LEDGER.failures == {("report", "ZeroDivisionError"): 1}
    assert TIMER.waits("report")


def test_a_wrong_period_is_refused_and_the_variable_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """As for any setting."""
    for wrong in (-1, "60", True, 1e9, float("nan")):
        with pytest.raises(ConfigurationError, match=r"report_every: must be a number of seconds"):
            discreet.configure(json=None, report_every=wrong)  # type: ignore[arg-type]  # what is tested
    monkeypatch.setenv("DISCREET_REPORT_EVERY", "often")
    with pytest.raises(ConfigurationError, match="DISCREET_REPORT_EVERY: must be a number"):
        discreet.configure(json=None)


@pytest.mark.parametrize("wrong", ["often", "nan", "-3", "1e9"])
def test_without_a_set_up_a_wrong_variable_is_counted_and_reports_come_all_the_same(
    clock: Clock, monkeypatch: pytest.MonkeyPatch, wrong: str
) -> None:
    """There is nobody to be told then. Not a number would be due all the time."""
    monkeypatch.setenv("DISCREET_REPORT_EVERY", wrong)
    LEDGER.withhold("bakery.oven:1", "bakery", "argument")
    assert {name: due for name, (due, _) in TIMER._jobs.items()} == {"report": clock.now + 600}
    assert LEDGER.failures == {("report_every", "Exception"): 1}


PROGRAM = """
import logging, os, sys, threading
import discreet
{setup}
log = logging.getLogger("bakery")

def order(note):
    log.warning("Ordered: %s", note)

{body}
"""
BY_CONFIGURE = "handle = discreet.configure()"
BY_HANDLER = "logging.getLogger().addHandler(discreet.JsonHandler()); logging.getLogger('discreet').setLevel('INFO')"


def run(tmp_path: Path, body: str, setup: str = BY_CONFIGURE, **env: str) -> tuple[list[dict[str, Any]], str]:
    """The reports that a program wrote to standard output, and the rest of its output."""
    file = tmp_path / "program.py"
    file.write_text(PROGRAM.format(setup=setup, body=body), encoding="utf-8")
    variables = environment(**env)
    if "DISCREET_REPORT_EVERY" not in env:
        del variables["DISCREET_REPORT_EVERY"]
    done = subprocess.run(
        [sys.executable, str(file)], env=variables, capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    reports, rest = [], []
    for line in done.stdout.splitlines():
        if '"event":"content_withheld"' in line:
            reports.append({key: json.loads(line)[key] for key in ("count", "line")})
        elif not line.startswith("{"):
            rest.append(line)
    return reports, "\n".join(rest)


@pytest.mark.parametrize("setup", [BY_CONFIGURE, BY_HANDLER], ids=["configure", "handler"])
def test_a_program_that_ends_reports_at_its_end(tmp_path: Path, setup: str) -> None:
    """However it was set up, without a call to close."""
    assert run(tmp_path, f"order({NOTE!r})\norder({NOTE!r})", setup) == ([{"count": 2, "line": 8}], "")


def test_the_variable_switches_reports_off(tmp_path: Path) -> None:
    """Without configure() too."""
    body = f"order({NOTE!r})\nprint(threading.active_count())"
    assert run(tmp_path, body, BY_HANDLER, DISCREET_REPORT_EVERY="0") == ([], "1")


def test_there_is_no_thread_before_something_is_withheld(tmp_path: Path) -> None:
    """Neither by import nor by configure()."""
    body = f"print(threading.active_count())\norder(7)\nprint(threading.active_count())\norder({NOTE!r})\n"
    reports, rest = run(tmp_path, body + "print([one.name for one in threading.enumerate()])")
    assert reports == [{"count": 1, "line": 8}]
    assert rest == "1\n1\n['MainThread', 'discreet-timer']"


def test_a_forked_child_reports_what_it_withheld_itself(tmp_path: Path) -> None:
    """Its parent's counts are its parent's to report."""
    body = f"""
for _ in range(3):
    order({NOTE!r})
child = os.fork()
if child == 0:
    order({NOTE!r})
    sys.exit()
os.waitpid(child, 0)
"""
    assert run(tmp_path, body)[0] == [{"count": 1, "line": 8}, {"count": 3, "line": 8}]


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_a_worker_of_multiprocessing_reports_at_its_end(tmp_path: Path, method: str) -> None:
    """Although a forked one ends without what is registered for the exit."""
    body = f"""
import multiprocessing
if __name__ == "__main__":
    order({NOTE!r})
    worker = multiprocessing.get_context({method!r}).Process(target=order, args=({NOTE!r},))
    worker.start()
    worker.join()
"""
    assert run(tmp_path, body)[0] == [{"count": 1, "line": 8}, {"count": 1, "line": 8}]


def test_reports_come_by_the_clock_in_a_thread_of_their_own(tmp_path: Path) -> None:
    """While the program does something else."""
    body = f"""
class Seen(logging.Handler):
    def emit(self, record):
        if getattr(record, "event", None) == "content_withheld":
            seen.set()
seen = threading.Event()
logging.getLogger().addHandler(Seen())  # behind the one that writes
order({NOTE!r})
print(seen.wait(30))
os._exit(0)
"""
    assert run(tmp_path, "sys.stdout.reconfigure(line_buffering=True)\n" + body, DISCREET_REPORT_EVERY="0.2") == (
        [{"count": 1, "line": 8}],
        "True",
    )


def test_no_thread_of_this_process_is_left() -> None:
    """The tests themselves leave nothing that ticks."""
    REPORTER.reset()
    for thread in threading.enumerate():
        if thread.name == "discreet-timer":
            thread.join(30)
    assert [one.name for one in threading.enumerate() if one.name == "discreet-timer"] == []
    assert os.environ["DISCREET_REPORT_EVERY"] == "0"
