"""C73: names, scopes, keys, trace states and resources of spans are made of text."""

CASE = {
    "id": "C73",
    "group": "C",
    "kind": "leak",
    "sinks": ["span"],
    "right": ("Names pass when they are known; keys when they are listed; states and versions by their shape."),
}
SECRETS = ["larkmeadow", "finchcombe", "doveridge"]


def emit() -> None:
    from opentelemetry import trace
    from opentelemetry.trace import Link, SpanContext, TraceFlags, TraceState

    who, what, state = (word.lower() for word in ("LARKMEADOW", "FINCHCOMBE", "DOVERIDGE"))
    tracer = trace.get_tracer(f"chat.{who}", f"1.0 of {what}", schema_url=f"https://x.example/{state}")
    context = SpanContext(1, 2, True, TraceFlags(1), TraceState([("vendor", state), (state, "x")]))
    parent = trace.set_span_in_context(trace.NonRecordingSpan(context))
    with tracer.start_as_current_span(f"chat {who}", context=parent, links=[Link(context, {who: 1})]) as span:
        span.set_attribute(f"of {who}", 1)
        span.set_attribute("http.request.method", what)
        span.set_attribute("url.full", f"https://x.example/{what}")
        span.set_attribute("server.address", f"{what} of {who}")
        span.set_attribute("gen_ai.request.model", f"a model of {who}")
        span.set_attribute("exception.type", f"{who}.Error")
        span.set_attribute("error.type", what)
        span.add_event(f"about {who}", {"exception.type": what, "exception.message": who})
        span.update_name(f"answer {what}")
