"""Records that are made inside a text scope and written, sent or shown outside of it: the maker's scope counts."""

from __future__ import annotations

import io
import json
import logging
import logging.handlers
import pickle
import queue
from typing import Any

import pytest

import discreet
from tests.interplay.calls import EXPECTED, LOGGER, NAME, found_in, work_in_scope


@pytest.fixture
def log() -> logging.Logger:
    """The logger of the calls, with the guard, match mode for one below it, and no other handlers."""
    discreet.install(match=[f"{LOGGER}.matched"])
    found = logging.getLogger(LOGGER)
    found.setLevel(logging.DEBUG)
    found.propagate = False
    return found


def messages(stream: io.StringIO) -> list[str]:
    return [json.loads(line)["message"] for line in stream.getvalue().splitlines()]


def test_a_listener_in_another_thread_writes_what_was_matched_in_the_makers(log: logging.Logger) -> None:
    """It starts when the scope has ended and its texts are gone."""
    waiting: queue.Queue[Any] = queue.Queue()
    log.addHandler(logging.handlers.QueueHandler(waiting))
    stream, plain = io.StringIO(), io.StringIO()
    listener = logging.handlers.QueueListener(
        waiting, discreet.JsonHandler(stream=stream), logging.StreamHandler(plain), respect_handler_level=True
    )

    work_in_scope(log)
    queued = list(waiting.queue)
    listener.start()
    listener.stop()

    assert found_in(*(repr(vars(record)) for record in queued)) == []
    assert messages(stream) == EXPECTED
    assert [line for line in plain.getvalue().splitlines() if "of" in line or "for" in line] == EXPECTED
    assert found_in(stream.getvalue(), plain.getvalue()) == []


def test_without_the_guard_a_queue_merges_and_the_listener_withholds(log: logging.Logger) -> None:
    """The queue's handler composes the message in the maker's thread; no frame proves it any more."""
    discreet.uninstall()
    waiting: queue.Queue[Any] = queue.Queue()
    log.addHandler(logging.handlers.QueueHandler(waiting))
    stream = io.StringIO()

    work_in_scope(log)
    ours = discreet.JsonHandler(stream=stream)
    while not waiting.empty():
        ours.handle(waiting.get())

    assert len(messages(stream)) == 3
    assert found_in(stream.getvalue()) == []
    assert [message for message in messages(stream) if not message.startswith("<str ")] == []


def test_the_pickle_that_a_socket_handler_sends_holds_no_text(log: logging.Logger) -> None:
    """Neither the record that is unpickled there, nor the bytes on the way."""
    sent: list[bytes] = []

    class Sending(logging.handlers.SocketHandler):
        def send(self, s: bytes) -> None:
            sent.append(s[4:])

    log.addHandler(Sending("127.0.0.1", 1))
    work_in_scope(log)

    records = [logging.makeLogRecord(pickle.loads(data)) for data in sent]
    assert [record.getMessage() for record in records] == EXPECTED
    assert found_in(b"".join(sent).decode("latin-1"), *(repr(vars(record)) for record in records)) == []


def test_a_memory_handler_keeps_sealed_records(log: logging.Logger) -> None:
    """It is flushed into its target when the scope has ended."""
    stream = io.StringIO()
    memory = logging.handlers.MemoryHandler(100, flushLevel=100, target=discreet.JsonHandler(stream=stream))
    log.addHandler(memory)
    work_in_scope(log)
    kept = [repr(vars(record)) for record in memory.buffer]
    memory.flush()

    assert messages(stream) == EXPECTED
    assert found_in(stream.getvalue(), *kept) == []
    memory.close()


def test_caplog_shows_a_developer_what_the_code_wrote(log: logging.Logger, caplog: pytest.LogCaptureFixture) -> None:
    """Scopes or not: pytest's handlers are left alone without `--discreet`."""
    log.propagate = True
    work_in_scope(log)

    # Recent releases of pytest watch a logger that doesn't propagate by itself, so that it is seen twice here.
    seen = dict.fromkeys(record.getMessage() for record in caplog.records if record.name.startswith(LOGGER))
    assert list(seen) == [
        f"Asked about {NAME} of 3",
        f"Asked about {NAME} of 4",
        f"Failed for {NAME}",
    ]


@pytest.mark.integration
def test_opentelemetrys_handler_exports_what_was_matched(log: logging.Logger) -> None:
    """Its batch is exported later, from another thread."""
    from opentelemetry.instrumentation.logging.handler import LoggingHandler
    from opentelemetry.sdk._logs import LoggerProvider
    from opentelemetry.sdk._logs.export import BatchLogRecordProcessor, InMemoryLogRecordExporter

    exporter = InMemoryLogRecordExporter()
    provider = LoggerProvider()
    provider.add_log_record_processor(BatchLogRecordProcessor(exporter))
    log.addHandler(LoggingHandler(logger_provider=provider))
    work_in_scope(log)
    provider.shutdown()

    found = [one.log_record for one in exporter.get_finished_logs()]
    assert [record.body for record in found] == EXPECTED
    assert found[2].attributes["exception.type"] == "LookupError"
    assert found_in(*(f"{record.body} {record.attributes}" for record in found)) == []


@pytest.mark.integration
def test_a_sink_of_loguru_gets_what_was_matched(log: logging.Logger) -> None:
    """Also one that loguru writes from a thread of its own."""
    from loguru import logger

    lines: list[str] = []

    class Intercept(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            logger.opt(exception=record.exc_info).log(record.levelname, record.getMessage())

    logger.remove()
    logger.add(lines.append, format="{message}", enqueue=True, backtrace=True, diagnose=True)
    log.addHandler(Intercept())
    work_in_scope(log)
    logger.complete()
    logger.remove()

    assert [line.splitlines()[0] for line in lines] == EXPECTED
    assert "LookupError" in lines[2]
    assert found_in(*lines) == []
