"""A32: the outer group of exceptions is harmless, its leaves carry the chunks."""

import logging

from _common import codes

CASE = {
    "id": "A32",
    "group": "A",
    "kind": "both",
    "source": [
        "hynek/structlog#676",
        "elastic/ecs-logging-python#185",
        "Delgan/loguru#805",
        "python/cpython#105292",
    ],
    "right": ("Leaf TYPE names reported (bounded number), no leaf messages; nothing lost silently."),
    "keep_any": ["ValueError", "TypeError", "ExceptionGroup"],
}
SECRETS = ["plovergate", "mistral-oak"]


def emit() -> None:
    log = logging.getLogger("app.fanout")
    inner = ExceptionGroup(
        "inner mistral-oak",
        [TypeError("plovergate"), OSError(2, "no file", "/docs/mistral-oak.pdf")],
    )
    try:
        raise ExceptionGroup("2 retrievers failed", [ValueError("chunk: plovergate"), inner])
    except ExceptionGroup as group:
        log.exception("fan-out failed", extra=codes(error=True))
        log.error("fan-out failed: %s", group, extra=codes(error=True))
