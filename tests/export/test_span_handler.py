from __future__ import annotations

import json
import logging
import logging.config
import subprocess
import sys
import threading

import pytest
from opentelemetry import context as otel_context
from opentelemetry import trace
from opentelemetry.sdk.trace import SpanProcessor
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from discreet.errors import ConfigurationError
from discreet.export import global_spans
from discreet.export.ledger import LEDGER
from discreet.export.spans import OtelSpanHandler
from tests.export.shown import counted, finished, provider, record


@pytest.fixture
def exporter():
    return InMemorySpanExporter()


@pytest.fixture
def handler(exporter):
    return OtelSpanHandler(tracer_provider=provider(exporter))


def counts():
    return LEDGER.sink("spans").as_dict()


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


@pytest.mark.usefixtures("_no_global_provider")
def test_spans_of_every_tracer_go_to_the_exporter_if_asked(tmp_path, monkeypatch):
    """Through the guard, until the handler is closed."""
    monkeypatch.setattr(global_spans, "_switch", None)
    path = tmp_path / "spans.jsonl"
    handler = OtelSpanHandler(exporter=str(path), all_spans=True)
    tracer = trace.get_tracer("groundkit")
    with tracer.start_as_current_span("groundkit.retrieve.search", attributes={"query": "Where?"}) as span:
        here = span.get_span_context()
        handler.handle(record(trace_id=here.trace_id, span_id=here.span_id))
    handler.close()
    tracer.start_span("groundkit.retrieve.search").end()
    (line,) = [json.loads(line) for line in path.read_text().splitlines()]
    assert (line["name"], line.get("attributes")) == ("groundkit.retrieve.search", None)
    assert [event["name"] for event in line["events"]] == ["model_loaded"]
    assert LEDGER.sink("span_file").as_dict() == counted(observed=1)


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


def test_flushing_keeps_to_its_timeout():
    """The SDK's own would wait for as long as the exporter takes."""
    slow = Slow()
    handler = OtelSpanHandler(exporter=slow)
    handler.handle(record())
    assert not handler.force_flush(0.01)
    assert not slow.done.is_set()
    slow.go.set()
    assert handler.force_flush()
    assert slow.done.is_set()
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
            {"all_spans": True},
            "all_spans: needs an exporter for the spans to go to. Leave it out, or give an exporter.",
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
