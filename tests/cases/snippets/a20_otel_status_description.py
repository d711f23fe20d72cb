"""A20: the attributes are scrubbed, and the description of the status is forgotten."""

CASE = {
    "id": "A20",
    "group": "A",
    "kind": "leak",
    "source": [
        "pydantic/logfire PR 865",
        "mozilla/pilo PR 391",
        "bluetape4k/bluetape4k-projects PR 920",
    ],
    "right": (
        "Status description cleared or replaced; not subject to attribute length limits, so never rely on those."
    ),
    "sinks": ["span"],
}
SECRETS = ["fallowmere"]


def emit() -> None:
    from opentelemetry import trace
    from opentelemetry.trace import Status, StatusCode

    tracer = trace.get_tracer("x")
    with tracer.start_as_current_span("rag.query") as span:
        span.set_status(Status(StatusCode.ERROR, "no quote found for: fallowmere"))
    with tracer.start_as_current_span("rag.query") as span:
        span.set_status(StatusCode.ERROR, "fallowmere")
