"""The rate limit: so many records of a call site in a time, the rest counted and told."""

from __future__ import annotations

import gc
import io
import json
import logging
import logging.config
import os
import subprocess
import sys
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

import discreet
from discreet.errors import ConfigurationError
from discreet.export.ledger import LEDGER
from discreet.rate_limit import read_rate
from discreet.timer import TIMER
from tests.clocks import Clock
from tests.forking import environment

log = logging.getLogger("ferry")


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[Clock]:
    LEDGER.clear()
    made = Clock()
    monkeypatch.setattr(TIMER, "clock", made)
    monkeypatch.setattr(TIMER, "threaded", False)
    yield made
    TIMER.clear()
    LEDGER.clear()


def lines(stream: io.StringIO) -> list[dict[str, Any]]:
    found = [json.loads(line) for line in stream.getvalue().splitlines()]
    shown = ("level", "message", "event", "module", "line", "count", "sites")
    return [
        {name: line[name] for name in shown if name in line}
        for line in found
        if line.get("event") not in ("contract_loaded", "content_withheld")
    ]


def count(stream: io.StringIO, message: str) -> int:
    return sum(line["message"] == message for line in lines(stream))


def cross(number: int, level: int = logging.INFO) -> None:
    for _ in range(number):
        log.log(level, "Crossing")


CROSS_LINE = cross.__code__.co_firstlineno + 2


def test_records_beyond_the_limit_are_left_out_of_every_sink_and_counted_as_filtered(clock: Clock) -> None:
    """One decision holds for all sinks; when the period is over, one record says how many there were."""
    stream, spans = io.StringIO(), InMemorySpanExporter()
    handle = discreet.configure(json=stream, spans=spans, all_spans=False, rate_limit="3/min")
    before = {name: sink.as_dict() for name, sink in handle.ledger.sinks.items()}
    for _ in range(10):
        log.info("Docked", extra={"event": "contract_loaded"})
    after = {name: sink.as_dict() for name, sink in handle.ledger.sinks.items()}
    for name in ("json", "spans"):
        grown = {key: after[name][key] - before[name][key] for key in ("total", "filtered", "observed", "missing")}
        assert grown == {"total": 10, "filtered": 7, "observed": 3, "missing": 0}
    clock.pass_by(60)
    handle.close()
    line = test_records_beyond_the_limit_are_left_out_of_every_sink_and_counted_as_filtered.__code__.co_firstlineno + 6
    assert lines(stream)[-2] == {
        "level": "WARNING",
        "message": f"7 records left out at {__name__}:{line}",
        "event": "records_left_out",
        "module": __name__,
        "line": line,
        "count": 7,
    }
    assert [span.name for span in spans.get_finished_spans()] == ["contract_loaded"] * 4 + ["records_left_out"]


def test_each_period_and_each_call_site_has_its_own_count(clock: Clock) -> None:
    """Another call site is not held up, and time makes good."""
    stream = io.StringIO()
    with discreet.configure(json=stream, rate_limit="2/10s"):
        cross(5)
        for _ in range(2):
            log.info("Crossing")
        assert count(stream, "Crossing") == 4
        clock.pass_by(9)
        cross(1)
        assert count(stream, "Crossing") == 4
        clock.pass_by(1)
        cross(5)
        assert count(stream, "Crossing") == 6
        assert [line["count"] for line in lines(stream) if line.get("event") == "records_left_out"] == [4]
        clock.pass_by(10)
    assert [line["count"] for line in lines(stream) if line.get("event") == "records_left_out"] == [4, 3]


def test_errors_are_never_left_out(clock: Clock) -> None:
    """Nor are warnings that are within the limit of the same call site."""
    stream = io.StringIO()
    with discreet.configure(json=stream, rate_limit="1/hour"):
        cross(20, logging.ERROR)
        cross(20, logging.CRITICAL)
        cross(20, logging.WARNING)
        assert count(stream, "Crossing") == 41
    assert clock.now == 100.0


def test_what_was_left_out_is_told_at_close(clock: Clock) -> None:
    """Once, although the period isn't over."""
    stream = io.StringIO()
    handle = discreet.configure(json=stream, rate_limit="1/hour")
    cross(20)
    handle.close()
    handle.close()
    clock.pass_by(3600)
    assert [line for line in lines(stream) if line.get("event") == "records_left_out"] == [
        {
            "level": "WARNING",
            "message": f"19 records left out at {__name__}:{CROSS_LINE}",
            "event": "records_left_out",
            "module": __name__,
            "line": CROSS_LINE,
            "count": 19,
        }
    ]


def test_what_is_told_is_of_bounded_length_and_names_no_path(clock: Clock) -> None:
    """Call sites in no known module are told without a place, and those beyond twenty together."""
    stream = io.StringIO()
    with discreet.configure(json=stream, rate_limit="1/min"):
        for site in range(25):
            for _ in range(30 - site):
                log.handle(logging.LogRecord("ferry", logging.INFO, "/srv/Mrs Quill.py", site, "Crossing", (), None))
        clock.pass_by(60)
    told = [line for line in lines(stream) if line.get("event") == "records_left_out"]
    assert [line["count"] for line in told] == [*range(29, 9, -1), 9 + 8 + 7 + 6 + 5]
    assert told[0]["message"] == "29 records left out"
    assert told[-1]["message"] == "35 records left out at 5 other call sites"
    assert "Quill" not in stream.getvalue()


def test_a_logging_configuration_limits_the_handlers_that_name_it(clock: Clock) -> None:
    """Also those of others, by one decision; a handler that doesn't name it gets all, and the end is told."""
    stream, plain, everything = io.StringIO(), io.StringIO(), io.StringIO()
    streams = {"json": stream, "plain": plain, "everything": everything}
    handlers: dict[str, Any] = {
        "json": {"()": "discreet.JsonHandler", "stream": stream, "name": "limited", "filters": ["limit"]},
        "plain": {"class": "logging.StreamHandler", "stream": plain, "filters": ["limit"]},
        "everything": {"class": "logging.StreamHandler", "stream": everything},
    }
    logging.config.dictConfig(
        {
            "version": 1,
            "disable_existing_loggers": False,
            "filters": {"limit": {"()": "discreet.RateLimit", "rate": "3/min"}},
            "handlers": handlers,
            "root": {"level": "INFO", "handlers": list(streams)},
        }
    )
    cross(10)
    cross(2, logging.ERROR)
    assert {name: one.getvalue().count("Crossing") for name, one in streams.items()} == {
        "json": 5,
        "plain": 5,
        "everything": 12,
    }
    counts = LEDGER.sink("limited").as_dict()
    assert (counts["total"], counts["filtered"], counts["observed"]) == (12, 7, 5)
    discreet.close()
    assert lines(stream)[-1] == {
        "level": "WARNING",
        "message": f"7 records left out at {__name__}:{CROSS_LINE}",
        "event": "records_left_out",
        "module": __name__,
        "line": CROSS_LINE,
        "count": 7,
    }
    clock.pass_by(60)
    cross(1)
    assert lines(stream)[-1]["message"] == "Crossing"


def test_there_is_no_filter_without_a_limit(clock: Clock) -> None:
    """It costs nothing then."""
    with discreet.configure(json=io.StringIO()):
        assert [handler.filters for handler in logging.root.handlers if isinstance(handler, discreet.JsonHandler)] == [
            []
        ]
    assert clock.now == 100.0


def test_a_record_with_odd_attributes_goes_through(clock: Clock) -> None:
    """None of its objects is asked for anything."""

    class Odd:
        def __hash__(self) -> int:
            raise AssertionError("it was asked for its hash")

        def __eq__(self, other: object) -> bool:
            raise AssertionError("it was compared")

    stream = io.StringIO()
    with discreet.configure(json=stream, rate_limit="1/min"):
        for name in ("pathname", "lineno", "name", "levelno"):
            for _ in range(2):
                record = logging.LogRecord("ferry", logging.INFO, "ferry.py", 3, "Crossing", (), None)
                record.__dict__[name] = Odd()
                for handler in logging.root.handlers:
                    if isinstance(handler, discreet.JsonHandler):
                        handler.handle(record)
    assert len(stream.getvalue().splitlines()) == 9
    assert clock.now == 100.0


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("100/min", (100, 60)),
        ("1/s", (1, 1)),
        (" 20 / 10s ", (20, 10)),
        ("5/2hours", (5, 7200)),
        ("900/day", (900, 86400)),
        ("7/90 minutes", (7, 5400)),
        (None, None),
    ],
)
def test_a_rate_is_read_as_people_write_it(text: str | None, read: tuple[int, int] | None) -> None:
    """Records per time."""
    assert read_rate(text, "rate_limit") == read


@pytest.mark.parametrize(
    "wrong", ["", "100", "0/min", "-3/s", "1/0s", "1/week", "1/2 days", "1/48h", "x/min", 100, b"1/s"]
)
def test_a_wrong_rate_is_refused(wrong: Any) -> None:
    """With the name of the setting."""
    with pytest.raises(ConfigurationError, match="rate_limit: must be records per time"):
        discreet.configure(json=None, rate_limit=wrong)


def test_a_set_up_that_was_replaced_keeps_nothing_of_its_limit(clock: Clock) -> None:
    """Neither a timer nor the end of the process holds on to it."""
    first = discreet.configure(json=io.StringIO(), rate_limit="1/min")
    cross(3)
    (limit,) = {one for handler in first._handlers for one in handler.filters}
    gone = weakref.ref(limit)
    discreet.configure(json=io.StringIO()).close()
    del first, limit
    gc.collect()
    assert gone() is None


@pytest.mark.parametrize(("path", "line"), [(__file__, 10**30), (__file__, -7), ("Who is Miss Glossop.py", 7)])
def test_a_place_that_somebody_made_up_is_not_told(clock: Clock, path: str, line: int) -> None:
    """Records that a program makes itself can have any file, and a number can hold a text."""
    stream = io.StringIO()
    with discreet.configure(json=stream, rate_limit="1/min"):
        for _ in range(3):
            log.handle(logging.LogRecord("ferry", logging.INFO, path, line, "Crossing", (), None))
        clock.pass_by(60)
    assert [one for one in lines(stream) if one.get("event") == "records_left_out"] == [
        {"level": "WARNING", "message": "2 records left out", "event": "records_left_out", "count": 2}
    ]


PROGRAM = """
import atexit, logging, multiprocessing, os, sys
import discreet
log = logging.getLogger("ferry")
def cross(number):
    for _ in range(number):
        log.warning("Crossing")
if "last" in sys.argv:
    atexit.register(cross, 4)
discreet.configure()
if "worker first" in sys.argv:
    worker = multiprocessing.get_context("fork").Process(target=cross, args=(9,))
    worker.start()
    worker.join()
for _ in range(5):
    log.warning("Crossing")
if "worker" in sys.argv:
    worker = multiprocessing.get_context("fork").Process(target=cross, args=(6,))
    worker.start()
    worker.join()
if "fork" in sys.argv:
    if os.fork() == 0:
        log.warning("Crossing")
        log.warning("Docked")
    else:
        os.wait()
"""


@pytest.mark.parametrize(
    ("arguments", "told", "crossings"),
    [
        ([], [3], 2),
        (["fork"], [3], 3),
        # The one that was there before has a count of its own.
        (["worker"], [4, 3], 4),
        (["worker first"], [7, 3], 4),
        # What is logged when nobody is left to tell it goes through.
        (["last"], [3], 6),
    ],
)
def test_what_was_left_out_is_told_at_the_end_of_the_process(
    tmp_path: Path, arguments: list[str], told: list[int], crossings: int
) -> None:
    """By the process itself, also by a worker, and whatever is logged at its end: all is written or told."""
    file = tmp_path / "ferry.py"
    file.write_text(PROGRAM, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(file), *arguments],
        env=environment(DISCREET_RATE_LIMIT="2/min"),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert [line["count"] for line in found if line.get("event") == "records_left_out"] == told
    assert sum(line["message"] == "Crossing" for line in found) == crossings
    assert os.environ.get("DISCREET_RATE_LIMIT") is None
