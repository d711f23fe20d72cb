"""A29: renderers of tracebacks that show the local variables of every frame."""

import logging

from _common import codes

CASE = {
    "id": "A29",
    "group": "A",
    "kind": "leak",
    "source": [
        "open-webui/open-webui#25767",
        "hynek/structlog#715",
        "PostHog/posthog PR 44284",
        "pyth-network/pyth-crosschain PR 3858",
        "rmusser01/tldw_chatbook PR 1305",
        "Delgan/loguru PR 1447",
    ],
    "right": (
        "Frames as file:function:line at most; locals never; record.exc_info not handed on to a "
        "sink that re-renders it."
    ),
}
SECRETS = ["wispmoor", "larchwater"]


def _call(prompt: str, header: dict[str, str]) -> float:
    return len(prompt) / (len(header) - len(header))


def emit() -> None:
    question = "wispmoor asks"
    api_key = "larchwater"
    try:
        _call(question, {"x-api-key": api_key})
    except ZeroDivisionError:
        logging.getLogger("app").exception("call failed", extra=codes(error=True))
