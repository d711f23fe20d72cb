from __future__ import annotations

import json
import math
import os
import threading

import pytest
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import Event, ReadableSpan
from opentelemetry.sdk.trace.export import SpanExportResult
from opentelemetry.trace import Link, SpanContext, SpanKind, Status, StatusCode

from discreet.errors import ConfigurationError
from discreet.export.ledger import LEDGER
from discreet.export.span_file import SpanFileExporter
from tests.export.shown import AT_NS, provider


def context(span_id, trace_id=0xA1):
    return SpanContext(trace_id, span_id, is_remote=False)


def span(name="model_loaded", **values):
    values = {"context": context(0xB2), "resource": Resource({}), "start_time": AT_NS} | values
    return ReadableSpan(name, **({"end_time": AT_NS} | values))


@pytest.fixture
def path(tmp_path):
    return tmp_path / "spans.jsonl"


@pytest.fixture
def exporter(path):
    made = SpanFileExporter(path)
    yield made
    made.shutdown()


def lines(path):
    return [json.loads(line, parse_constant=pytest.fail) for line in path.read_bytes().splitlines()]


def counts():
    found = LEDGER.sink("span_file").as_dict()
    return found["observed"], found["missing_by_reason"]


def test_a_span_is_one_line_with_all_it_has(exporter, path):
    """Times as RFC 3339 and in nanoseconds, ids in hexadecimal, durations in milliseconds."""
    whole = span(
        parent=context(0xC3),
        resource=Resource({"service.name": "library", "host.name": "reading-room"}),
        attributes={"model": "acme/reader-7b", "gen_ai.response.finish_reasons": ("stop",)},
        events=[Event("fallback_used", {"count": 2}, AT_NS + 1)],
        links=[Link(context(0xD4), {"retryable": True})],
        kind=SpanKind.CLIENT,
        status=Status(StatusCode.ERROR),
        end_time=AT_NS + 1_500_001,
    )
    assert exporter.export([whole]) is SpanExportResult.SUCCESS
    assert lines(path) == [
        {
            "start_time": "2023-11-14T22:13:20.250000000Z",
            "end_time": "2023-11-14T22:13:20.251500001Z",
            "duration_ms": 1.500001,
            "start_time_unix_nano": AT_NS,
            "end_time_unix_nano": AT_NS + 1_500_001,
            "name": "model_loaded",
            "kind": "CLIENT",
            "status": "ERROR",
            "trace_id": "000000000000000000000000000000a1",
            "span_id": "00000000000000b2",
            "parent_span_id": "00000000000000c3",
            "service": "library",
            "attributes": {"model": "acme/reader-7b", "gen_ai.response.finish_reasons": ["stop"]},
            "events": [
                {
                    "name": "fallback_used",
                    "time": "2023-11-14T22:13:20.250000001Z",
                    "time_unix_nano": AT_NS + 1,
                    "attributes": {"count": 2},
                }
            ],
            "links": [
                {
                    "trace_id": "000000000000000000000000000000a1",
                    "span_id": "00000000000000d4",
                    "attributes": {"retryable": True},
                }
            ],
        }
    ]
    assert counts() == (1, {})


def test_what_a_span_does_not_have_is_absent(exporter, path):
    """A span that was never started or given a context still makes a valid line."""
    exporter.export([ReadableSpan("model_loaded", resource=Resource({}))])
    assert lines(path) == [{"name": "model_loaded", "kind": "INTERNAL", "status": "UNSET"}]


def test_odd_values_make_a_valid_line(exporter, path):
    """Lone surrogates, numbers that JSON lacks, bytes, line separators, endless nesting."""
    loop = {}
    loop["loop"] = loop
    odd = {
        "surrogate": "a\ud800b",
        "nan": math.nan,
        "infinite": math.inf,
        "large": 2**70,
        "bytes": b"\x00",
        "breaks": "a\n\u2028\x85\x1b[31mb",
        "map": {"k": [1, {"deep": None}]},
        "loop": loop,
    }
    exporter.export([span(attributes=odd)])
    raw = path.read_text()
    assert len(raw.splitlines()) == 1
    (line,) = lines(path)
    nested = line["attributes"].pop("loop")
    assert line["attributes"] == {
        "surrogate": "a\ufffdb",
        "nan": None,
        "infinite": None,
        "large": None,
        "bytes": None,
        "breaks": "a\n\u2028\x85\x1b[31mb",
        "map": {"k": [1, {"deep": None}]},
    }
    assert str(nested).count("loop") < 10


def test_a_span_that_cannot_be_read_does_not_take_its_batch_with_it(exporter, path):
    """It is counted; the others are written."""
    broken = span()
    broken._resource = None
    assert exporter.export([span("first"), broken, span("last")]) is SpanExportResult.FAILURE
    assert [line["name"] for line in lines(path)] == ["first", "last"]
    assert counts() == (2, {"unreadable": 1})
    assert LEDGER.failures == {("span_file", "AttributeError"): 1}


def test_a_write_that_breaks_off_tears_no_later_line(exporter, path, monkeypatch):
    """The half line stands alone, and what it holds is counted as missing."""
    write = os.write
    room = [40]

    def full(fd, data):
        if not room:
            return write(fd, data)
        if room[0] == 0:
            room.clear()
            raise OSError("no space left on the device")
        taken = write(fd, data[: room[0]])
        room[0] -= taken
        return taken

    monkeypatch.setattr(os, "write", full)
    assert exporter.export([span("lost")]) is SpanExportResult.FAILURE
    assert exporter.export([span("kept")]) is SpanExportResult.SUCCESS
    half, whole = path.read_text().splitlines()
    assert len(half) == 40
    assert json.loads(whole)["name"] == "kept"
    assert counts() == (1, {"write_failed": 1})


def test_lines_that_were_whole_before_the_disk_was_full_count(exporter, path, monkeypatch):
    """Only what is not in the file is missing."""
    first = len(json.dumps(lines_of(exporter, path), separators=(",", ":")))
    assert first
    write = os.write
    size = path.stat().st_size
    calls = []

    def full(fd, data):
        if calls:
            raise OSError("no space left on the device")
        calls.append(1)
        return write(fd, data[: size + 10])

    monkeypatch.setattr(os, "write", full)
    assert exporter.export([span(), span()]) is SpanExportResult.FAILURE
    assert counts() == (2, {"write_failed": 1})


def lines_of(exporter, path):
    exporter.export([span()])
    return lines(path)


def test_after_shutdown_spans_are_counted_as_missing(exporter, path):
    """Nothing raises, nothing is written to a descriptor that may be somebody else's now."""
    exporter.shutdown()
    exporter.shutdown()
    assert exporter.export([span(), span()]) is SpanExportResult.FAILURE
    assert path.read_bytes() == b""
    assert counts() == (0, {"closed": 2})
    assert exporter.force_flush()


def test_a_file_is_appended_to_and_not_replaced(exporter, path):
    """A restart of the service keeps what the last run wrote."""
    exporter.export([span("before")])
    again = SpanFileExporter(str(path))
    again.export([span("after")])
    again.shutdown()
    assert [line["name"] for line in lines(path)] == ["before", "after"]


def test_threads_and_forked_children_write_whole_lines(exporter, path):
    """Also if a thread of the parent holds the lock at the moment of the fork."""
    tracer = provider(exporter).get_tracer("app")

    def work(name):
        for _ in range(50):
            tracer.start_span(name, attributes={"model": "acme/reader-7b" * 20}).end()

    threads = [threading.Thread(target=work, args=("thread",)) for _ in range(3)]
    for thread in threads:
        thread.start()
    holding = threading.Event()
    release = threading.Event()

    def hold():
        with exporter._lock:
            holding.set()
            release.wait(60)

    holder = threading.Thread(target=hold)
    holder.start()
    assert holding.wait(60)
    children = []
    for _ in range(2):
        pid = os.fork()
        if pid == 0:
            try:
                work("child")
            finally:
                os._exit(0)
        children.append(pid)
    statuses = [os.waitpid(pid, 0)[1] for pid in children]
    release.set()
    for thread in [*threads, holder]:
        thread.join(60)
    assert not any(thread.is_alive() for thread in threads)
    assert statuses == [0, 0]
    names = [line["name"] for line in lines(path)]
    assert (names.count("thread"), names.count("child")) == (150, 100)


@pytest.mark.parametrize("bad", ["", "no/such/folder/spans.jsonl", None, "\0"])
def test_a_path_that_cannot_be_opened_is_refused_at_once(bad):
    """Not at the first span, when nobody looks."""
    with pytest.raises(ConfigurationError) as caught:
        SpanFileExporter(bad)
    assert caught.value.place == "exporter"
