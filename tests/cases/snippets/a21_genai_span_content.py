"""A21: GenAI instrumentations put prompts and completions in attributes, events and links."""

import json

CASE = {
    "id": "A21",
    "group": "A",
    "kind": "leak",
    "source": [
        "open-telemetry/opentelemetry-python-genai#186",
        "traceloop/openllmetry#2777",
        "traceloop/openllmetry PR 4466",
        "langfuse/langfuse#11222",
        "langfuse/langfuse#8306",
        "BerriAI/litellm PR 27403",
    ],
    "right": (
        "Allow-list of attribute keys: token counts, model, durations pass; every unknown "
        "string attribute, event attribute and link attribute is dropped. Holds for indexed "
        "keys (gen_ai.prompt.0.content)."
    ),
    "keep": ["gen_ai.usage.input_tokens"],
    "sinks": ["span"],
}
SECRETS = ["tidemarrow", "oxbowlane"]


def emit() -> None:
    from opentelemetry import trace
    from opentelemetry.trace import Link

    tracer = trace.get_tracer("opentelemetry.instrumentation.openai_agents")
    with tracer.start_as_current_span("first") as first:
        context = first.get_span_context()
    link = Link(context, {"input.value": "tidemarrow"})
    with tracer.start_as_current_span("chat m", links=[link]) as span:
        parts = [{"type": "text", "content": "tidemarrow needs oxbowlane"}]
        span.set_attribute("gen_ai.input.messages", json.dumps([{"role": "user", "parts": parts}]))
        span.set_attribute("gen_ai.prompt.0.content", "tidemarrow")
        span.set_attribute("traceloop.entity.input", json.dumps({"q": "oxbowlane"}))
        span.set_attribute("input.value", ["tidemarrow", "oxbowlane"])
        span.set_attribute("db.query.text", "SELECT 'tidemarrow'")
        span.set_attribute("gen_ai.usage.input_tokens", 12)
        span.add_event("gen_ai.content.prompt", {"gen_ai.prompt": "oxbowlane"})
