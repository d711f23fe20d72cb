from __future__ import annotations

import logging
import logging.config
import logging.handlers
import math
import queue
import subprocess
import sys
import threading
import time

import pytest
from opentelemetry import context as otel_context
from opentelemetry import trace
from opentelemetry.sdk.trace import SpanProcessor
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF, ParentBased

from discreet.errors import ConfigurationError
from discreet.export.ledger import LEDGER
from discreet.export.spans import OtelSpanHandler
from discreet.seal.exceptions import ExceptionFacts
from tests.export.shown import AT_NS, finished, provider, record

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


def counted(**values):
    """Return what the ledger says of a sink that got these records."""
    missing = values.get("missing", {})
    observed, filtered = values.get("observed", 0), values.get("filtered", 0)
    lost = sum(missing.values())
    return {
        "total": observed + filtered + lost,
        "eligible": observed + lost,
        "filtered": filtered,
        "observed": observed,
        "missing": lost,
        "missing_by_reason": missing,
        "cut": 0,
    }


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


def test_nothing_and_integers_over_64_bits_are_left_out(handler, exporter):
    """The OTLP encoder loses a whole batch for one such integer."""
    handler.handle(record(attributes={"count": 2**63, "model": None, "retryable": False}))
    (span,) = finished(exporter)
    assert span["attributes"] == COMMON | {"retryable": False}


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


@pytest.mark.usefixtures("_no_global_provider")
def test_the_global_provider_may_be_set_later(exporter):
    """Until then records are missing, with the reason."""
    handler = OtelSpanHandler()
    handler.handle(record())
    assert counts() == counted(missing={"no_tracer_provider": 1})
    trace.set_tracer_provider(provider(exporter))
    handler.handle(record())
    assert [span["name"] for span in finished(exporter)] == ["model_loaded"]
    assert counts() == counted(observed=1, missing={"no_tracer_provider": 1})


class Broken(SpanProcessor):
    def on_start(self, span, parent_context=None):
        raise LookupError("a customer's sentence")


def test_a_failing_tracer_is_counted_and_never_raises(exporter, capsys):
    """Nothing of the failure is shown but its class."""
    tracers = provider(exporter)
    tracers.add_span_processor(Broken())
    handler = OtelSpanHandler(tracer_provider=tracers)
    handler.handle(record())
    assert counts() == counted(missing={"failed": 1})
    assert LEDGER.failures == {("spans", "LookupError"): 1}
    assert capsys.readouterr() == ("", "")


class Chatty(SpanExporter):
    """Logs a key event for each span that it exports."""

    def __init__(self, log):
        self.log = log
        self.spans = []

    def export(self, spans):
        self.spans += spans
        self.log(record(event="fallback_used", logger="app.exporter"))
        return SpanExportResult.SUCCESS

    def shutdown(self):
        pass


def test_records_of_the_exporter_make_no_spans():
    """One record makes one span, however much the exporter logs about it."""
    chatty = Chatty(lambda record: handler.handle(record))
    handler = OtelSpanHandler(tracer_provider=provider(chatty))
    handler.handle(record())
    assert [span.name for span in chatty.spans] == ["model_loaded"]
    assert counts() == counted(observed=1, filtered=1)


def test_records_of_the_batch_thread_make_no_spans():
    """The SDK's exporting thread is known by its context, not by the handler's own flag."""
    done = threading.Event()

    def log(record):
        handler.handle(record)
        done.set()

    chatty = Chatty(log)
    handler = OtelSpanHandler(exporter=chatty)
    handler.handle(record())
    assert handler.force_flush()
    assert done.is_set()
    handler._pipeline.stop(wait=True)
    assert [span.name for span in chatty.spans] == ["model_loaded"]
    assert counts() == counted(observed=1, filtered=1)


def test_suppressed_instrumentation_makes_no_spans(handler, exporter):
    """Contrib's `suppress_instrumentation()` sets this key."""
    token = otel_context.attach(otel_context.set_value("suppress_instrumentation", True))
    try:
        handler.handle(record())
    finally:
        otel_context.detach(token)
    assert finished(exporter) == []
    assert counts() == counted(filtered=1)


def test_the_sdks_own_loggers_make_no_spans(handler, exporter):
    """They complain about the export itself."""
    handler.handle(record(logger="opentelemetry.sdk.trace.export"))
    handler.handle(record(logger="opentelemetry_like.app"))
    assert [span["attributes"]["logger"] for span in finished(exporter)] == ["opentelemetry_like.app"]


def test_a_closed_handler_counts_what_it_misses(exporter):
    """Its own provider is shut down; a provider that was given is left running."""
    own = OtelSpanHandler(exporter=exporter)
    own.handle(record())
    own.close()
    own.handle(record())
    assert [span["name"] for span in finished(exporter)] == ["model_loaded"]
    assert counts() == counted(observed=1, missing={"closed": 1})
    tracers = provider(exporter_two := InMemorySpanExporter())
    given = OtelSpanHandler(tracer_provider=tracers)
    given.close()
    tracers.get_tracer("app").start_span("request").end()
    assert [span["name"] for span in finished(exporter_two)] == ["request"]


class Slow(SpanExporter):
    """Exports only after the test has let it, and logs meanwhile."""

    def __init__(self):
        self.go = threading.Event()
        self.done = threading.Event()

    def export(self, spans):
        self.go.wait(30)
        logging.getLogger(f"app.slow{len(spans)}").warning("Exporting")
        self.done.set()
        return SpanExportResult.SUCCESS

    def shutdown(self):
        pass


def test_closing_under_loggings_lock_does_not_wait_for_the_exporting_thread():
    """`dictConfig` holds the lock that a thread needs which logs for the first time."""
    slow = Slow()
    handler = OtelSpanHandler(exporter=slow)
    logging.getLogger().addHandler(handler)
    handler.handle(record())
    lock = logging._lock
    with lock:
        handler.flush()
        handler.close()
        assert not slow.done.is_set()
    slow.go.set()
    assert slow.done.wait(30)
    handler._pipeline.stop(wait=True)


def test_flushing_as_logging_does_at_exit_holds_up_no_log_call(tmp_path):
    """`logging.shutdown` holds each handler's lock while it flushes and closes it."""
    handler = OtelSpanHandler(exporter=str(tmp_path / "spans.jsonl"))
    handler.acquire()
    thread = threading.Thread(target=handler.handle, args=(record(),))
    thread.start()
    thread.join(30)
    assert not thread.is_alive()
    handler.release()
    handler.close()
    assert counts() == counted(observed=1)


def test_options_in_a_dictconfig_are_plain_values(tmp_path):
    """A path is enough; the file has the records' spans when `dictConfig` replaces it."""
    path = tmp_path / "spans.jsonl"
    logging.config.dictConfig(
        {
            "version": 1,
            "disable_existing_loggers": False,
            "handlers": {
                "spans": {
                    "()": "discreet.OtelSpanHandler",
                    "exporter": str(path),
                    "service": "library",
                    "level": "INFO",
                }
            },
            "root": {"handlers": ["spans"], "level": "DEBUG"},
        }
    )
    logging.getLogger("verbatim_core.models").info(
        "Loaded", extra={"event": "model_loaded", "duration_ms": 20, "model": "acme/reader-7b"}
    )
    logging.config.dictConfig({"version": 1, "disable_existing_loggers": False})
    (line,) = path.read_text().splitlines()
    assert '"name":"model_loaded"' in line
    assert '"duration_ms":20' in line
    assert '"service":"library"' in line


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"tracer_provider": provider(), "exporter": "spans.jsonl"},
            "exporter: tracer_provider and exporter exclude each other. Give one of them.",
        ),
        (
            {"tracer_provider": "app.provider"},
            ("tracer_provider: is no tracer provider. In a dictConfig name an object: ext://package.module.provider."),
        ),
        (
            {"exporter": 7},
            (
                "exporter: is neither a path nor a span exporter. "
                "In a dictConfig name an object or class: ext://package.Exporter."
            ),
        ),
        (
            {"exporter": "no/such/folder/spans.jsonl"},
            (
                "exporter: can't open the file for appending (FileNotFoundError). "
                "Check that its folder exists and may be written to."
            ),
        ),
        (
            {"service": "library"},
            (
                "service: needs an exporter, since a tracer provider has its own resource. "
                "Leave it out, or give an exporter."
            ),
        ),
        (
            {"level": "LOUD"},
            "level: is not a level. Use DEBUG, INFO, WARNING, ERROR, CRITICAL or a number.",
        ),
    ],
)
def test_a_wrong_option_is_refused_with_its_remedy(options, message):
    """At once, by our own error, which says where and what to do."""
    with pytest.raises(ConfigurationError) as caught:
        OtelSpanHandler(**options)
    assert str(caught.value) == message


def test_the_class_of_an_exporter_is_called():
    """In a dictConfig ``ext://`` names classes more often than objects."""
    handler = OtelSpanHandler(exporter=InMemorySpanExporter)
    handler.handle(record())
    exporter = handler._pipeline.processor.span_exporter.exporter
    assert [span["name"] for span in finished(exporter)] == ["model_loaded"]
    handler.close()


def test_spans_of_a_process_that_just_ends_are_exported(tmp_path):
    """An exporter behind a batch gets them before the interpreter goes down."""
    path = tmp_path / "names.txt"
    program = f"""
import logging
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult
from discreet import OtelSpanHandler

class Names(SpanExporter):
    def export(self, spans):
        with open({str(path)!r}, "a") as file:
            file.write("".join(span.name + chr(10) for span in spans))
        return SpanExportResult.SUCCESS
    def shutdown(self):
        pass

logging.basicConfig(level="INFO", handlers=[OtelSpanHandler(exporter=Names())])
logging.getLogger("verbatim_core.models").info("Loaded", extra={{"event": "model_loaded"}})
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)
    assert path.read_text() == "model_loaded\n"


def test_importing_discreet_loads_no_sdk():
    """The SDK comes with the first handler that needs it."""
    program = (
        "import sys, discreet; from discreet import OtelSpanHandler; OtelSpanHandler(); "
        "print([name for name in sys.modules if name.startswith('opentelemetry.sdk')])"
    )
    ran = subprocess.run([sys.executable, "-c", program], check=True, timeout=60, capture_output=True, text=True)
    assert ran.stdout == "[]\n"


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
