"""A16: redaction that works where a call succeeds, and is forgotten where it fails."""

import logging

from _common import codes

CASE = {
    "id": "A16",
    "group": "A",
    "kind": "leak",
    "source": [
        "BerriAI/litellm#39385",
        "BerriAI/litellm PR 39387",
        "BerriAI/litellm#8315",
        "BerriAI/litellm#9507",
        "BerriAI/litellm PR 18897",
    ],
    "right": "Same rule for success, failure, retry, cancelled and streaming-chunk records.",
}
SECRETS = ["pebbledash"]


def emit() -> None:
    log = logging.getLogger("LiteLLM")
    payload = {"model": "m", "messages": [{"role": "user", "content": "my name is pebbledash"}]}
    log.info("success", extra=codes(payload={"messages": "redacted"}))
    try:
        raise TimeoutError("upstream")
    except TimeoutError:
        log.error("failure", exc_info=True, extra=codes(error=True, payload=payload))
    try:
        raise GeneratorExit
    except BaseException:
        log.warning("stream closed early: %s", payload, exc_info=True, extra=codes(warning=True))
    for chunk in ("my name ", "is ", "pebble", "dash", " pebbledash"):
        log.debug("chunk %r", chunk)
