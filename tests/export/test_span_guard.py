from __future__ import annotations

import json

import pytest
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import Link, SpanContext, SpanKind, Status, StatusCode, TraceFlags, TraceState

from discreet.errors import ConfigurationError
from discreet.export.ledger import LEDGER
from discreet.export.span_guard import GuardedSpanExporter
from discreet.export.spans import OtelSpanHandler
from discreet.seal.exceptions import ExceptionFacts
from tests.export.shown import finished, provider, record

TEXT = "Mrs Hollander's hearing aid whistles"
OPENAI = "openinference.instrumentation.openai"


@pytest.fixture
def exporter():
    return InMemorySpanExporter()


def guarded(exporter, **options):
    return provider(GuardedSpanExporter(exporter, **options))


def spans_of(exporter):
    """Return whole spans without times, which no test here is about."""
    spans = finished(exporter)
    for span in spans:
        del span["start"], span["end"]
        span["events"] = [(name, attributes) for name, _, attributes in span.get("events", [])]
    return spans


def one_span(name, attributes=None, *, scope=OPENAI, options=None, **more):
    """Return the guarded form of one span."""
    exporter = InMemorySpanExporter()
    tracers = guarded(exporter, **(options or {}))
    tracers.get_tracer(scope).start_span(name, attributes=attributes, **more).end()
    (span,) = spans_of(exporter)
    return span


def withheld():
    return {(site, kind): count for (site, _, _, kind), count in LEDGER.withheld.items()}


def test_a_span_of_a_model_call_keeps_its_numbers_and_loses_its_text(exporter):
    """Known keys pass in their types; prompts, answers and unknown keys are counted."""
    tracers = guarded(exporter)
    with tracers.get_tracer(OPENAI, "0.1.66").start_as_current_span(
        "chat gpt-4o",
        kind=SpanKind.CLIENT,
        attributes={
            "gen_ai.operation.name": "chat",
            "gen_ai.system": "openai",
            "gen_ai.request.model": "gpt-4o",
            "gen_ai.request.temperature": 0.5,
            "gen_ai.usage.input_tokens": 812,
            "gen_ai.response.finish_reasons": ["stop", "length"],
            "gen_ai.input.messages": json.dumps([{"role": "user", "content": TEXT}]),
            "gen_ai.prompt.0.content": TEXT,
            "input.value": [TEXT, TEXT],
            "llm.invocation_parameters": json.dumps({"stop": TEXT}),
            "app.customers": 12,
            "app.vip": True,
            "document.bytes": TEXT.encode(),
        },
    ) as span:
        span.add_event("gen_ai.content.prompt", {"gen_ai.prompt": TEXT, "gen_ai.usage.input_tokens": 3})
        span.add_event(TEXT, {"why": TEXT})
    assert spans_of(exporter) == [
        {
            "name": "chat gpt-4o",
            "kind": "CLIENT",
            "status": ("UNSET", None),
            "ids": (1, 1),
            "attributes": {
                "gen_ai.operation.name": "chat",
                "gen_ai.system": "openai",
                "gen_ai.request.model": "gpt-4o",
                "gen_ai.request.temperature": 0.5,
                "gen_ai.usage.input_tokens": 812,
                "gen_ai.response.finish_reasons": ("stop", "length"),
            },
            "events": [
                ("gen_ai.content.prompt", {"gen_ai.usage.input_tokens": 3}),
                ("event", {}),
            ],
            "scope": OPENAI,
            "resource": {"service.name": "library"},
        }
    ]
    (span,) = exporter.get_finished_spans()
    # Before 1.45 the SDK itself refuses the dictionary, uncounted.
    assert span.dropped_attributes in {6, 7}
    assert [event.dropped_attributes for event in span.events] == [1, 1]
    assert span.instrumentation_scope.version == "0.1.66"
    assert withheld() == {
        (f"span of {OPENAI}", "attribute"): 7,
        (f"span of {OPENAI}", "event attribute"): 2,
        (f"span of {OPENAI}", "event name"): 1,
    }


def test_an_exception_keeps_its_type_and_nothing_else(exporter):
    """The SDK writes message, stack trace and a status description by itself."""
    tracers = guarded(exporter)
    with pytest.raises(TimeoutError), tracers.get_tracer(OPENAI).start_as_current_span("Response"):
        raise TimeoutError(TEXT)
    (span,) = spans_of(exporter)
    assert span["status"] == ("ERROR", None)
    assert span["events"] == [("exception", {"exception.type": "TimeoutError", "exception.escaped": False})]


def test_the_type_of_an_exception_is_that_of_a_class(exporter):
    """A program can make a class, and so a type, out of any text."""
    forged = type("MrsHollander", (ValueError,), {"__module__": "app.errors"})
    span = guarded(exporter).get_tracer(OPENAI).start_span("Response")
    for error in (json.JSONDecodeError("no", "", 0), forged(TEXT)):
        span.record_exception(error)
    span.set_attribute("error.type", "MrsHollander")
    span.end()
    (shown,) = spans_of(exporter)
    assert shown["events"] == [
        ("exception", {"exception.type": "json.decoder.JSONDecodeError", "exception.escaped": False}),
        ("exception", {"exception.escaped": False}),
    ]
    assert "attributes" not in shown


@pytest.mark.parametrize(
    "value", ["500", "_OTHER", "TimeoutError", "timeout", "json.decoder.JSONDecodeError", "JSONDecodeError"]
)
def test_the_usual_error_types_pass(value):
    """A status code, a contract's code, a class, or the conventions' own fallback."""
    assert one_span("Response", {"error.type": value})["attributes"] == {"error.type": value}


def test_a_status_keeps_its_code_and_loses_its_description(exporter):
    """Descriptions are free text, and no limit on attributes touches them."""
    tracer = guarded(exporter).get_tracer(OPENAI)
    for status in (Status(StatusCode.ERROR, TEXT), Status(StatusCode.OK), Status(StatusCode.UNSET)):
        with tracer.start_as_current_span("Response") as span:
            span.set_status(status)
    assert [span["status"] for span in spans_of(exporter)] == [
        ("ERROR", None),
        ("OK", None),
        ("UNSET", None),
    ]
    assert withheld() == {(f"span of {OPENAI}", "status description"): 1}


def test_a_link_keeps_its_context_and_loses_unknown_attributes(exporter):
    """The link itself is only ids."""
    tracer = guarded(exporter).get_tracer(OPENAI)
    first = tracer.start_span("Response")
    first.end()
    links = [Link(first.get_span_context(), {"input.value": TEXT, "gen_ai.usage.input_tokens": 2})]
    tracer.start_span("Response", links=links).end()
    assert spans_of(exporter)[1]["links"] == [(1, {"gen_ai.usage.input_tokens": 2})]


def test_a_resource_keeps_what_the_operator_named(exporter):
    """Command lines and unknown keys stay out; texts with blanks are no names."""
    resource = Resource(
        {
            "service.name": "library",
            "service.namespace": TEXT,
            "process.pid": 4711,
            "process.command_args": ["serve", TEXT],
            "app.note": TEXT,
        }
    )
    tracers = provider(GuardedSpanExporter(exporter), resource=resource)
    for _ in range(2):
        tracers.get_tracer(OPENAI).start_span("Response").end()
    assert [span["resource"] for span in spans_of(exporter)] == [{"service.name": "library", "process.pid": 4711}] * 2


def test_values_must_have_the_type_of_their_key():
    """A known key is no way out for text."""
    attributes = {
        "gen_ai.usage.input_tokens": TEXT,
        "gen_ai.request.model": TEXT,
        "gen_ai.system": "hollander",
        "gen_ai.response.finish_reasons": ["stop", TEXT],
        "http.response.status_code": 7000,
        "server.port": -1,
        "url.scheme": "hollander",
        "db.operation.name": TEXT,
        "exception_chain": f"ValueError < {TEXT}",
        "event": TEXT,
        "logger": TEXT,
    }
    assert "attributes" not in one_span("Response", attributes)


@pytest.mark.parametrize(
    ("kind", "shown"), [(SpanKind.CLIENT, True), (SpanKind.SERVER, False), (SpanKind.INTERNAL, False)]
)
def test_a_host_is_shown_only_by_who_calls_it(kind, shown):
    """A server's span has under the same key what the caller wrote into its Host header."""
    attributes = {"server.address": "api.openai.com", "server.port": 443}
    expected = attributes if shown else {"server.port": 443}
    assert one_span("POST", attributes, kind=kind)["attributes"] == expected


def test_operators_add_their_own_keys_and_names():
    """With the types of contracts; for this exporter alone."""
    options = {
        "attributes": {"rpc.method": {"type": "enum", "values": ["Search"]}, "app.tenant": "id"},
        "resource": {"app.cell": {"type": "enum", "values": ["eu1"]}},
        "names": ["rag.generate"],
    }
    attributes = {"rpc.method": "Search", "app.tenant": 42, "app.other": "x"}
    span = one_span("rag.generate", attributes, options=options)
    assert (span["name"], span["attributes"]) == (
        "rag.generate",
        {"rpc.method": "Search", "app.tenant": 42},
    )
    assert one_span("rag.generate", attributes)["name"] == "span"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"exporter": None}, "exporter: is no span exporter. Give an object with `export`."),
        (
            {"attributes": ["rpc.method"]},
            (
                "attributes: must be a mapping of attribute keys to types. "
                'Give a JSON object such as {"app.tenant": "id"}.'
            ),
        ),
        ({"names": [7]}, "names: a name must be a text. Give a list of span names."),
    ],
)
def test_a_wrong_option_is_refused_with_its_remedy(exporter, options, message):
    """At once, by our own error, which says where and what to do."""
    with pytest.raises(ConfigurationError) as caught:
        GuardedSpanExporter(**({"exporter": exporter} | options))
    assert str(caught.value) == message


def test_an_unknown_type_is_refused_with_the_types_that_exist(exporter):
    """The place names the attribute."""
    with pytest.raises(ConfigurationError) as caught:
        GuardedSpanExporter(exporter, attributes={"app.note": "text"})
    assert caught.value.place == "attributes['app.note']"


def test_spans_of_our_own_pass_unchanged(exporter):
    """What sealing let through once is let through here, local classes included."""
    plain = InMemorySpanExporter()
    facts = ExceptionFacts(
        type="app.views.answer.<locals>.Retry",
        code="timeout",
        error_class="upstream",
        attributes={},
        chain=("app.views.answer.<locals>.Retry", "ExceptionGroup(2: ValueError, OSError+)"),
        codes=("timeout", None),
        frames=(),
        message=None,
        undeclared=False,
    )
    handler = OtelSpanHandler(tracer_provider=provider(plain, GuardedSpanExporter(exporter)))
    values = {
        "event": "item_failed",
        "warning_code": "undeclared",
        "error_code": "timeout",
        "error_class": "upstream",
        "level": "ERROR",
        "levelno": 40,
        "exception": facts,
        "attributes": {"retry_after": 2.5, "duration_ms": 20, "retryable": True},
    }
    handler.handle(record(logger="verbatim_core", **values))
    handler.handle(record(logger="verbatim_core.<str 16-63>", **values))
    assert finished(exporter) == finished(plain)
    assert len(finished(exporter)) == 2
    assert withheld() == {}


class Failing(SpanExporter):
    def __init__(self, how):
        self.how = how
        self.shut = False

    def export(self, spans):
        if isinstance(self.how, BaseException):
            raise self.how
        return self.how

    def shutdown(self):
        self.shut = True

    def force_flush(self, timeout_millis=30_000):
        return timeout_millis == 7


@pytest.mark.parametrize("how", [SpanExportResult.FAILURE, ConnectionError("down")])
def test_spans_that_the_exporter_behind_refuses_are_counted(how):
    """Success means that it said so."""
    guard = GuardedSpanExporter(Failing(how))
    spans = [ReadableSpan("Response", resource=Resource({}))] * 3
    if isinstance(how, BaseException):
        with pytest.raises(ConnectionError):
            guard.export(spans)
    else:
        assert guard.export(spans) is how
    counts = LEDGER.sink("guarded_spans").as_dict()
    assert (counts["observed"], counts["missing_by_reason"]) == (0, {"export_failed": 3})


def test_shutting_down_and_flushing_reach_the_exporter_behind():
    """The guard is a forwarding wrapper."""
    behind = Failing(SpanExportResult.SUCCESS)
    guard = GuardedSpanExporter(behind)
    assert guard.force_flush(7)
    assert not guard.force_flush(8)
    guard.shutdown()
    assert behind.shut


class Odd(ReadableSpan):
    @property
    def events(self):
        raise LookupError(TEXT)


def test_when_the_guard_fails_only_ids_and_times_are_left(exporter):
    """Fails closed: the span is there, nothing that anybody wrote is."""
    odd = Odd(
        "Response",
        context=SpanContext(7, 8, False, TraceFlags(1), TraceState([("acme", "hollander")])),
        resource=Resource({"service.name": "library"}),
        attributes={"gen_ai.usage.input_tokens": 1},
        kind=SpanKind.SERVER,
        status=Status(StatusCode.ERROR, TEXT),
        start_time=5,
        end_time=9,
    )
    GuardedSpanExporter(exporter).export([odd])
    assert finished(exporter) == [
        {
            "name": "span",
            "kind": "SERVER",
            "status": ("ERROR", None),
            "ids": (7, 8),
            "start": 5,
            "end": 9,
        }
    ]
    assert LEDGER.failures == {("span_guard", "LookupError"): 1}
