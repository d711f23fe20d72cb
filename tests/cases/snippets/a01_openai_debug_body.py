"""A01: at DEBUG an LLM client dumps its request options, and the prompt is among them.

openai 1.x wrote the whole json_data, 3.57 no longer does. A single mapping as the only argument is
unwrapped by logging: `record.args` is that dict itself, no 1-tuple.
"""

import logging

CASE = {
    "id": "A01",
    "group": "A",
    "kind": "leak",
    "source": [
        "openai/openai-python#1522",
        "openai/openai-python#1082",
        "openai/openai-python PR 3043",
        "BerriAI/litellm#948",
        "QwenLM/qwen-code#11667",
    ],
    "right": (
        "No prompt text in any sink at any level (DEBUG too: only the content logger may carry "
        "it); the record itself survives with logger name and level, and nothing raises on a "
        "dict `args`."
    ),
}
SECRETS = ["marrowglint", "tessalune"]


def emit() -> None:
    message = {"role": "user", "content": "Is marrowglint safe with my other tablets?"}
    options = {
        "method": "post",
        "url": "/chat/completions",
        "headers": {"authorization": "Bearer tessalune"},
        "json_data": {"model": "m", "messages": [message]},
    }
    logging.getLogger("openai._base_client").debug("Request options: %s", options)
    # The caller's dict is not edited in place.
    assert options["json_data"] == {"model": "m", "messages": [message]}
    assert message["content"] == "Is marrowglint safe with my other tablets?"
