from __future__ import annotations

import logging
import logging.config
import logging.handlers
import math
import queue
import time

import pytest
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF, ParentBased

from discreet.export.ledger import LEDGER
from discreet.export.spans import OtelSpanHandler
from discreet.seal.exceptions import ExceptionFacts
from tests.export.shown import AT_NS, counted, finished, provider, record

COMMON = {"event": "model_loaded", "logger": "verbatim_core.models", "level": "INFO"}
FACTS = ExceptionFacts(
    type="TimeoutError",
    code="timeout",
    error_class="upstream",
    attributes={},
    chain=("TimeoutError", "OSError"),
    codes=("timeout", None),
    frames=("verbatim_core/client.py:call:7",),
    message=None,
    undeclared=False,
)


@pytest.fixture
def exporter():
    return InMemorySpanExporter()


@pytest.fixture
def tracers(exporter):
    return provider(exporter)


@pytest.fixture
def handler(tracers):
    return OtelSpanHandler(tracer_provider=tracers)


def counts():
    return LEDGER.sink("spans").as_dict()


def test_a_record_with_a_duration_becomes_a_finished_span(handler, exporter):
    """The span ends with the record, lasts `duration_ms`, and has the event's name."""
    attributes = {"model": "acme/reader-7b", "device": "cuda:0", "duration_ms": 1250.5}
    handler.handle(record(attributes=attributes))
    assert finished(exporter) == [
        {
            "name": "model_loaded",
            "kind": "INTERNAL",
            "status": ("UNSET", None),
            "ids": (1, 1),
            "start": AT_NS - 1_250_500_000,
            "end": AT_NS,
            "attributes": COMMON | attributes,
            "scope": "discreet",
            "resource": {"service.name": "library"},
        }
    ]
    assert counts() == counted(observed=1)


def test_a_finished_span_has_the_current_span_as_its_parent(handler, exporter, tracers):
    """The parent is what was current at the log call, also when the span began before it."""
    with tracers.get_tracer("app").start_as_current_span("request") as request:
        here = request.get_span_context()
        sealed = record(attributes={"duration_ms": 5}, trace_id=here.trace_id, span_id=here.span_id)
        handler.handle(sealed)
    child, parent = finished(exporter)
    assert (child["name"], child["parent"]) == ("model_loaded", parent["ids"])
    assert "events" not in parent


def test_another_key_event_becomes_an_event_of_the_current_span(handler, exporter, tracers):
    """It has the record's time; the span's own status is the application's business."""
    with tracers.get_tracer("app").start_as_current_span("request") as request:
        here = request.get_span_context()
        handler.handle(
            record(
                event="item_failed",
                level="WARNING",
                levelno=logging.WARNING,
                error_code="timeout",
                error_class="upstream",
                exception=FACTS,
                attributes={"retryable": True},
                trace_id=here.trace_id,
                span_id=here.span_id,
            )
        )
    (span,) = finished(exporter)
    assert span["status"] == ("UNSET", None)
    assert span["events"] == [
        (
            "item_failed",
            AT_NS,
            {
                "event": "item_failed",
                "error_code": "timeout",
                "error_class": "upstream",
                "logger": "verbatim_core.models",
                "level": "WARNING",
                "retryable": True,
                "exception.type": "TimeoutError",
                "exception_code": "timeout",
                "exception_chain": "TimeoutError < OSError",
                "error.type": "timeout",
            },
        )
    ]


def test_a_key_event_without_a_current_span_becomes_a_span_of_no_length(handler, exporter):
    """So that it is found, although nothing tells how long it took."""
    handler.handle(record(event="fallback_used", warning_code="reranker_fallback"))
    (span,) = finished(exporter)
    assert (span["name"], span["start"], span["end"]) == ("fallback_used", AT_NS, AT_NS)
    assert span["attributes"]["warning_code"] == "reranker_fallback"


@pytest.mark.parametrize(
    ("values", "status", "error_type"),
    [
        ({}, "UNSET", None),
        ({"warning_code": "quote_not_found", "level": "WARNING", "levelno": 30}, "UNSET", None),
        ({"level": "WARNING", "levelno": 30, "exception": FACTS}, "UNSET", None),
        ({"level": "WARNING", "levelno": 30, "error_code": "timeout"}, "ERROR", "timeout"),
        ({"level": "ERROR", "levelno": 40, "exception": FACTS}, "ERROR", "TimeoutError"),
        ({"level": "CRITICAL", "levelno": 50}, "ERROR", "_OTHER"),
    ],
)
def test_a_failure_has_status_and_type_but_no_description(handler, exporter, values, status, error_type):
    """An error code or level ERROR is a failure; a span of a success has no `error.type`."""
    handler.handle(record(**values))
    (span,) = finished(exporter)
    assert span["status"] == (status, None)
    assert span["attributes"].get("error.type") == error_type
    assert "events" not in span


def test_records_without_an_event_are_filtered_and_not_lost(handler, exporter):
    """Most records are no key events; that isn't a loss."""
    handler.handle(record(event=None, attributes={"duration_ms": 3}))
    handler.handle(record(event=None, level="ERROR", levelno=40, error_code="timeout"))
    assert finished(exporter) == []
    assert counts() == counted(filtered=2)


def test_the_handlers_own_filters_are_respected_and_counted(handler, exporter):
    """A filter of the operator's sees the record before anything is made of it."""
    handler.addFilter(lambda record: record.name == "other")
    handler.handle(record())
    assert finished(exporter) == []
    assert counts() == counted(filtered=1)


@pytest.mark.parametrize("duration", [None, math.nan, math.inf, -1.0, "12", True])
def test_a_duration_that_is_none_makes_an_ordinary_key_event(handler, exporter, duration):
    """Nonsense in `duration_ms` neither raises nor makes a span that ends before it starts."""
    handler.handle(record(attributes={"duration_ms": duration}))
    (span,) = finished(exporter)
    assert (span["start"], span["end"]) == (AT_NS, AT_NS)


@pytest.mark.parametrize("created", [math.nan, math.inf, -5.0, 1e20])
def test_a_time_that_is_none_becomes_now(handler, exporter, created):
    """Nanoseconds must fit the protocol's unsigned 64 bits, and a span needs some time."""
    before = time.time_ns()
    handler.handle(record(created=created, attributes={"duration_ms": 1}))
    (span,) = finished(exporter)
    assert before <= span["end"] <= time.time_ns()
    assert span["end"] - span["start"] == 1_000_000


def test_a_duration_longer_than_the_epoch_starts_at_the_epoch(handler, exporter):
    """A start before 1970 can't be written in the protocol."""
    handler.handle(record(attributes={"duration_ms": 10**15}))
    (span,) = finished(exporter)
    assert (span["start"], span["end"]) == (0, AT_NS)


def test_nothing_is_left_out_and_an_integer_over_64_bits_is_a_text(handler, exporter):
    """The OTLP encoder loses a whole batch for one such integer."""
    handler.handle(record(attributes={"count": 2**63, "model": None, "retryable": False}))
    (span,) = finished(exporter)
    assert span["attributes"] == COMMON | {"count": "9223372036854775808", "retryable": False}


def test_a_declared_attribute_cannot_replace_a_codes_name(handler, exporter):
    """What sealing found out wins over what an attribute of the same name says."""
    handler.handle(record(attributes={"level": "DEBUG", "event": "other"}))
    (span,) = finished(exporter)
    assert span["attributes"] == COMMON


def test_behind_a_queue_the_span_belongs_to_the_log_calls_trace(handler, exporter, tracers):
    """Another thread has another current span, or none: ids of the record decide."""
    sealed = record(event="fallback_used", trace_id=0xABC, span_id=0xDEF)
    with tracers.get_tracer("worker").start_as_current_span("unrelated"):
        handler.handle(sealed)
    span, unrelated = finished(exporter)
    assert (span["name"], span["ids"][0], span["parent"]) == ("fallback_used", 0xABC, (0xABC, 0xDEF))
    assert "events" not in unrelated


def test_a_record_from_outside_any_span_starts_a_trace_of_its_own(handler, exporter, tracers):
    """Even if the thread that handles it is inside some span."""
    with tracers.get_tracer("worker").start_as_current_span("unrelated"):
        handler.handle(record(event="fallback_used"))
    span, unrelated = finished(exporter)
    assert "parent" not in span
    assert "events" not in unrelated


def test_a_span_that_the_sampler_leaves_out_is_counted_as_missing(exporter):
    """The operator chose it, but whoever computes a rate from spans must know."""
    handler = OtelSpanHandler(tracer_provider=provider(exporter, sampler=ParentBased(ALWAYS_OFF)))
    handler.handle(record())
    assert finished(exporter) == []
    assert counts() == counted(missing={"not_sampled": 1})


def test_a_real_log_call_reaches_the_current_span_through_a_queue(handler, exporter, tracers):
    """From the call over sealing and a queue to the span that was current."""
    log = logging.getLogger("verbatim_core.models")
    log.setLevel("INFO")
    log.addHandler(handler)
    with tracers.get_tracer("app").start_as_current_span("request"):
        log.warning("Reranker failed", extra={"event": "fallback_used", "count": 2})
    log.removeHandler(handler)
    waiting: queue.SimpleQueue[logging.LogRecord] = queue.SimpleQueue()
    log.addHandler(logging.handlers.QueueHandler(waiting))
    log.info("Loaded", extra={"event": "model_loaded", "duration_ms": 4})
    handler.handle(waiting.get())
    request, loaded = finished(exporter)
    assert [(name, attributes["count"]) for name, _, attributes in request["events"]] == [("fallback_used", 2)]
    assert (loaded["name"], loaded["end"] - loaded["start"]) == ("model_loaded", 4_000_000)
