"""Records that leave the thread or the process: what is queued and what is on the wire is sealed already."""

from __future__ import annotations

import contextlib
import io
import json
import logging
import logging.handlers
import pickle
import queue
import socketserver
import struct
import threading
from collections.abc import Iterator
from typing import Any

import pytest

import discreet
from tests.interplay.calls import CHAIN, LOGGER, MESSAGES, SENTENCES, fail, found_in, of_lines, work

FORMAT = "%(levelname)s %(message)s shard=%(shard)s prompt=%(prompt)s"


@pytest.fixture
def log() -> logging.Logger:
    """The logger of the calls, with the guard installed and no other handlers."""
    discreet.contract.activate(attributes={"shard": "int"})
    discreet.install()
    found = logging.getLogger(LOGGER)
    found.setLevel(logging.DEBUG)
    found.propagate = False
    return found


def json_handler() -> tuple[discreet.JsonHandler, io.StringIO]:
    stream = io.StringIO()
    return discreet.JsonHandler(stream=stream), stream


def lines(stream: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_a_queue_holds_sealed_records_and_its_listener_writes_them(log: logging.Logger) -> None:
    """By our handler, by a plain one, and by one that a filter of its own keeps records from."""
    waiting: queue.Queue[Any] = queue.Queue()
    ours, stream = json_handler()
    plain = logging.StreamHandler(io.StringIO())
    picky = logging.StreamHandler(io.StringIO())
    picky.addFilter(lambda record: record.levelno >= logging.ERROR)
    listener = logging.handlers.QueueListener(waiting, ours, plain, picky)
    log.addHandler(logging.handlers.QueueHandler(waiting))

    work(log)
    queued = list(waiting.queue)
    listener.start()
    listener.stop()

    assert found_in(*(repr(vars(record)) for record in queued), *(record.getMessage() for record in queued)) == []
    assert of_lines(lines(stream)) == list(MESSAGES)
    assert [line.get("shard") for line in lines(stream)] == [None, None, 3, None, 4]
    assert lines(stream)[-1]["exception_chain"] == CHAIN
    # logging has merged the traceback of the stand-in into the message by then.
    printed = plain.stream.getvalue().splitlines()
    assert printed[: len(MESSAGES)] == list(MESSAGES)
    assert [line for line in printed if "Error" in line] == ["LookupError", "ValueError"]
    assert picky.stream.getvalue().splitlines()[0] == MESSAGES[-1]
    assert found_in(stream.getvalue(), plain.stream.getvalue(), picky.stream.getvalue()) == []


class Receiver(socketserver.StreamRequestHandler):
    """The server of logging's own documentation, with the bytes kept."""

    def handle(self) -> None:
        while header := self.rfile.read(4):
            (size,) = struct.unpack(">L", header)
            data = self.rfile.read(size)
            self.server.received.append(data)  # type: ignore[attr-defined]
            self.server.semaphore.release()  # type: ignore[attr-defined]


@contextlib.contextmanager
def receiving() -> Iterator[tuple[int, list[bytes], threading.Semaphore]]:
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Receiver) as server:
        server.received = []  # type: ignore[attr-defined]
        server.semaphore = threading.Semaphore(0)  # type: ignore[attr-defined]
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server.server_address[1], server.received, server.semaphore  # type: ignore[attr-defined]
        finally:
            server.shutdown()
            thread.join()


def test_a_socket_carries_sealed_records(log: logging.Logger) -> None:
    """The bytes hold no text; who receives them without discreet has message, codes, type and frames."""
    with receiving() as (port, received, semaphore):
        handler = logging.handlers.SocketHandler("127.0.0.1", port)
        log.addHandler(handler)
        work(log)
        for _ in MESSAGES:
            assert semaphore.acquire(timeout=30)
        handler.close()
    discreet.uninstall()
    records = [logging.makeLogRecord(pickle.loads(data)) for data in received]
    out = io.StringIO()
    there = logging.StreamHandler(out)
    there.setFormatter(logging.Formatter(FORMAT, defaults={"shard": None, "prompt": None}))
    for record in records:
        there.handle(record)

    raw = b"\n".join(received).decode("latin-1")
    assert found_in(raw, out.getvalue(), *(repr(vars(record)) for record in records)) == []
    printed = out.getvalue().splitlines()
    shards = [None, None, 3, None, 4]
    levels = ["WARNING"] * 4 + ["ERROR"]
    assert printed[: len(MESSAGES)] == [
        f"{level} {message} shard={shard} prompt=None"
        for level, message, shard in zip(levels, MESSAGES, shards, strict=True)
    ]
    assert "ValueError" in records[-1].exc_text
    assert "in fail" in records[-1].exc_text


def test_a_receiver_with_the_guard_withholds_messages_that_it_can_not_prove(log: logging.Logger) -> None:
    """Whoever sent a pickle can have written anything into it: only what a contract declares is shown."""
    record = logging.makeLogRecord({"name": LOGGER, "msg": SENTENCES[0], "shard": 3, "prompt": SENTENCES[1]})
    record.exc_text = SENTENCES[2]
    ours, stream = json_handler()
    plain = logging.StreamHandler(io.StringIO())
    for handler in (ours, plain):
        handler.handle(record)

    assert found_in(stream.getvalue(), plain.stream.getvalue()) == []
    (line,) = lines(stream)
    assert (line["message"], line["shard"], line["withheld"]) == ("<str 16-63>", 3, 2)


def test_a_queue_without_the_guard_is_sealed_by_the_listeners_handlers() -> None:
    """Then nothing proves the message any more; types, codes and frames are read from the exception itself."""
    waiting: queue.Queue[Any] = queue.Queue()

    class Keeping(logging.handlers.QueueHandler):
        def prepare(self, record: logging.LogRecord) -> Any:
            return record

    log = logging.Logger(LOGGER)
    log.addHandler(Keeping(waiting))
    try:
        fail()
    except ValueError:
        log.exception("Failed for %s", SENTENCES[0])
    ours, stream = json_handler()
    ours.handle(waiting.get_nowait())

    (line,) = lines(stream)
    assert (line["message"], line["exception_chain"], found_in(stream.getvalue())) == ("<str 1-15>", CHAIN, [])
