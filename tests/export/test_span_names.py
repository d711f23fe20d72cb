from __future__ import annotations

import pytest
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanContext, TraceFlags, TraceState

from discreet.export.span_guard import GuardedSpanExporter
from discreet.seal.types import forget_routes, register_routes
from tests.export.shown import provider, whole

TEXT = "Mrs Hollander's hearing aid whistles"
OPENAI = "openinference.instrumentation.openai"


def exported(name, attributes=None, *, scope=OPENAI):
    """Return the guarded form of one span."""
    exporter = InMemorySpanExporter()
    tracers = provider(GuardedSpanExporter(exporter))
    tracers.get_tracer(scope).start_span(name, attributes=attributes).end()
    (span,) = exporter.get_finished_spans()
    return whole(span)


@pytest.mark.parametrize(
    ("name", "attributes", "shown"),
    [
        ("model_loaded", {}, "model_loaded"),
        ("groundkit.retrieve.search", {}, "groundkit.retrieve.search"),
        ("ChatCompletion", {}, "ChatCompletion"),
        ("GET", {}, "GET"),
        ("HTTP POST", {}, "HTTP POST"),
        ("HTTP secrets", {}, "span"),
        ("GET /chunks/{id}", {}, "GET /chunks/{id}"),
        ("GET /chunks/87 http send", {}, "GET /chunks/{id} http send"),
        ("GET /mrs-hollander", {}, "GET /…"),
        ("GET mrs/hollander", {}, "GET"),
        ("get /chunks/{id}", {}, "span"),
        ("chat gpt-4o", {"gen_ai.request.model": "gpt-4o"}, "chat gpt-4o"),
        ("chat gpt-4o", {}, "chat gpt-4o"),
        ("chat m", {}, "chat"),
        ("chat acme/other-7b", {"gen_ai.request.model": "acme/reader-7b"}, "chat"),
        ("execute_tool find_mrs_hollander", {}, "execute_tool"),
        ("embeddings", {}, "embeddings"),
        ("SELECT hollander", {}, "SELECT"),
        ("connect", {}, "connect"),
        ("fastapi.endpoint", {}, "fastapi.endpoint"),
        (TEXT, {}, "span"),
        ("rag.generate", {}, "span"),
        ("", {}, "span"),
    ],
)
def test_a_name_is_made_of_the_parts_that_are_known(name, attributes, shown):
    """Names come from contracts and the instrumentations' own constants, or have a known shape."""
    register_routes(["/chunks/{id}"])
    try:
        assert exported(name, attributes)["name"] == shown
    finally:
        forget_routes()


@pytest.mark.parametrize(
    ("scope", "shown"),
    [
        ("json.decoder", "json.decoder"),
        ("opentelemetry.instrumentation.openai_agents", "opentelemetry.instrumentation.openai_agents"),
        ("verbatim_core", "verbatim_core"),
        ("Mrs Hollander", None),
        ("app.hollander", None),
    ],
)
def test_a_scope_is_named_if_it_is_a_module(scope, shown):
    """Anything may be given to `get_tracer`."""
    assert exported("Response", scope=scope).get("scope") == shown


def test_a_scopes_version_schema_and_attributes_are_held_to_shapes():
    """Each of them is a text that a program may have made."""
    exporter = InMemorySpanExporter()
    tracers = provider(GuardedSpanExporter(exporter))
    schema = "https://opentelemetry.io/schemas/1.38.0"
    for version, url in (("1.45.2", schema), ("0.66b2", f"{schema}?{TEXT}"), (TEXT, TEXT)):
        tracer = tracers.get_tracer(OPENAI, version, url, attributes={"note": TEXT})
        tracer.start_span("Response").end()
    scopes = [span.instrumentation_scope for span in exporter.get_finished_spans()]
    assert [(scope.version, scope.schema_url, dict(scope.attributes)) for scope in scopes] == [
        ("1.45.2", schema, {}),
        ("0.66b2", "", {}),
        (None, "", {}),
    ]


def test_a_trace_state_keeps_opentelemetrys_own_entry_only():
    """Vendors' entries come from requests and hold what their senders like."""
    exporter = InMemorySpanExporter()
    states = [
        TraceState([("acme", "hollander"), ("ot", "th:c;rv:abcdef01234567")]),
        TraceState([("ot", "hollander")]),
    ]
    spans = [
        ReadableSpan(
            "Response",
            context=SpanContext(7, 8, False, TraceFlags(1), state),
            parent=SpanContext(7, 6, True, TraceFlags(1), state),
            resource=Resource({}),
        )
        for state in states
    ]
    GuardedSpanExporter(exporter).export(spans)
    shown = exporter.get_finished_spans()
    assert [dict(span.context.trace_state) for span in shown] == [{"ot": "th:c;rv:abcdef01234567"}, {}]
    assert [dict(span.parent.trace_state) for span in shown] == [{"ot": "th:c;rv:abcdef01234567"}, {}]
    assert [(span.parent.span_id, span.parent.is_remote) for span in shown] == [(6, True)] * 2
