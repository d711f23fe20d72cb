"""A19: a span's context manager records message and stack, and copies the message to the status."""

CASE = {
    "id": "A19",
    "group": "A",
    "kind": "leak",
    "source": [
        "open-telemetry/semantic-conventions PR 3310",
        "deslicer/mcp-for-splunk PR 204",
        "mozilla/pilo PR 391",
        "bluetape4k/bluetape4k-projects#806",
        "MCKRUZ/microsoft-agentic-harness#450",
    ],
    "right": (
        "exception.type stays; exception.message/stacktrace removed on spans from ANY tracer of "
        "the provider; status code ERROR stays, description empty or a fixed word."
    ),
    "sinks": ["span"],
}
SECRETS = ["juniperloft", "gablestone"]


def _generate() -> None:
    try:
        raise KeyError("juniperloft")
    except KeyError as exc:
        raise ValueError("prompt too long: gablestone ...") from exc


def emit() -> None:
    from opentelemetry import trace

    tracer = trace.get_tracer("third.party")
    try:
        with tracer.start_as_current_span("rag.generate"):
            _generate()
    except ValueError:
        pass  # the span has recorded it by now
    with tracer.start_as_current_span("rag.generate") as span:
        span.record_exception(ValueError("gablestone"), attributes={"exception.message": "juniperloft"})
