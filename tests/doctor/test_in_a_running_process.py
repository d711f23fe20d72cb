"""The doctor in a process that serves: it calls, changes and loses nothing."""

from __future__ import annotations

import io
import json
import logging
import sys
import threading
import types
from collections.abc import Iterator
from typing import Any

import pytest
import structlog

import discreet
import discreet.structlog
from discreet.checkup import Report
from tests.logging_state import LoggingState

QUESTION = "Where is the key of the boat house?"
called: list[str] = []


class Watching(logging.Handler):
    """Says what of it was called."""

    def __init__(self) -> None:
        super().__init__()
        called.clear()

    def __getattr__(self, name: str) -> Any:
        called.append(name)
        raise AttributeError(name)

    def handle(self, record: logging.LogRecord) -> bool:
        called.append("handle")
        return True

    def emit(self, record: logging.LogRecord) -> None:
        called.append("emit")

    def filter(self, record: logging.LogRecord) -> bool:
        called.append("filter")
        return True

    def acquire(self) -> None:
        called.append("acquire")


class WatchingFilter(logging.Filter):
    """The same for a filter."""

    def filter(self, record: logging.LogRecord) -> bool:
        called.append("filter of its own")
        return True


class WatchingFormatter(logging.Formatter):
    """The same for a formatter."""

    def format(self, record: logging.LogRecord) -> str:
        called.append("format")
        return ""


@pytest.fixture(params=["guarded", "strict", "unguarded"])
def guard(request: pytest.FixtureRequest) -> Iterator[str]:
    """The guard, or none."""
    handle = None
    if request.param != "unguarded":
        handle = discreet.configure(json=io.StringIO())
    if request.param == "strict":
        discreet.install(strict=True)
    yield request.param
    if handle is not None:
        handle.close()


def test_no_code_of_others_is_called(guard: str) -> None:
    """Not of handlers, filters, formatters and record factories, whether they are guarded or not."""
    handler = Watching()
    handler.addFilter(WatchingFilter())
    handler.setFormatter(WatchingFormatter())
    logging.getLogger("answers").addHandler(handler)
    stream = logging.StreamHandler(io.StringIO())
    stream.setFormatter(WatchingFormatter())
    logging.getLogger().addHandler(stream)
    before = logging.getLogRecordFactory()

    def factory(*args: Any, **kwargs: Any) -> logging.LogRecord:
        called.append("factory")
        return before(*args, **kwargs)

    logging.setLogRecordFactory(factory)
    called.clear()

    report = discreet.doctor()

    assert called == []
    assert stream.stream.getvalue() == ""
    names = [route.name for route in report.routes if "Watching" in route.name]
    assert len(names) == 3


def test_no_function_is_called_that_was_given_to_a_guard_or_a_processor() -> None:
    """A guard with another method is none, and a renderer's serializer is the program's."""

    def seen(*values: Any, **options: Any) -> str:
        called.append("given")
        return ""

    guard = discreet.ContentGuard(scope="handler")
    guard.filter = seen  # type: ignore[method-assign]
    handler = logging.StreamHandler(io.StringIO())
    handler.addFilter(guard)
    logging.getLogger("answers").addHandler(handler)
    structlog.configure(
        processors=[*discreet.structlog.processors(), structlog.processors.JSONRenderer(serializer=seen)],
        logger_factory=structlog.PrintLoggerFactory(io.StringIO()),
    )
    called.clear()
    try:
        report = discreet.doctor()
    finally:
        structlog.reset_defaults()

    assert called == []
    routes = {route.name: route.status for route in report.routes}
    assert routes["logging.StreamHandler on <str 1-15>"] == "open"
    assert routes["structlog to structlog._output.PrintLoggerFactory"] == "guarded"


def test_nothing_of_logging_is_changed(guard: str) -> None:
    """Loggers, levels, handlers, classes and hooks are what they were."""
    logging.getLogger().addHandler(logging.StreamHandler(io.StringIO()))
    discreet.doctor()
    before = LoggingState()

    discreet.doctor()

    assert LoggingState() == before


def test_records_of_other_threads_go_out_meanwhile(guard: str) -> None:
    """All of them, in their order, and only them; the counts of the ledger are theirs."""
    stream = io.StringIO()
    sink = discreet.JsonHandler(stream=stream, name=f"threads {guard}")
    logger = logging.getLogger("answers.threads")
    logger.addHandler(sink)
    logger.setLevel(logging.INFO)
    start = threading.Barrier(4)

    def work(number: int) -> None:
        start.wait()
        for index in range(200):
            logger.info("Answer %d of %d for %s", index, number, QUESTION)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    start.wait()
    reports = [discreet.doctor() for _ in range(5)]
    for thread in threads:
        thread.join()

    written = [json.loads(line)["message"] for line in stream.getvalue().splitlines()]
    for number in range(3):
        own = [message for message in written if f" of {number} for" in message]
        assert own == [f"Answer {index} of {number} for <str 16-63>" for index in range(200)]
    assert len(written) == 600
    assert sink.counts.as_dict()["total"] == sink.counts.observed == 600
    assert len({report.configuration for report in reports}) == 1


def test_a_logger_named_by_a_customer_is_not_told() -> None:
    """Its name is a length band in the report, as in a record."""
    logging.getLogger("boats")
    discreet.install()
    logging.getLogger(f"boats.{QUESTION}").addHandler(logging.StreamHandler(io.StringIO()))

    report = discreet.doctor()

    assert QUESTION not in json.dumps(report.as_dict())
    assert [route.name for route in report.routes if route.name.startswith("logging.StreamHandler on")] == [
        "logging.StreamHandler on boats.<str 16-63>"
    ]


def test_a_tool_that_cannot_be_looked_at_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the class of the failure; all other routes are there."""
    broken = types.ModuleType("sentry_sdk")
    broken.get_client = lambda: 1 // 0  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "sentry_sdk", broken)
    discreet.install()

    report = discreet.doctor()

    (route,) = [one for one in report.routes if one.name == "other tools: not all was looked at"]
    assert (route.status, route.detail) == ("cannot see", "Looking at it failed with ZeroDivisionError.")
    assert "uncaught exceptions (sys.excepthook)" in [one.name for one in report.routes]


def test_partial_routes_pass_if_they_may() -> None:
    """The exit code says so, and open ones never pass."""
    discreet.install(match=["answers"])

    strict, allowed = discreet.doctor(), discreet.doctor(allow_partial=True)

    assert isinstance(strict, Report)
    assert (strict.counts["partial"], strict.counts == allowed.counts) == (1, True)
    closed = {route.status for route in allowed.routes} & {"open"}
    assert (strict.exit_code, allowed.exit_code) == (1, 1 if closed else 0)
    assert str(strict).splitlines()[0].startswith(f"{len(strict.routes)} routes: ")
