"""A41: the message itself is an exception, a dict, a list, bytes."""

import logging

from _common import codes

CASE = {
    "id": "A41",
    "group": "A",
    "kind": "both",
    "source": [
        "open-telemetry/opentelemetry-python#4514",
        "getsentry/sentry-python PR 4227",
        "privacyidea/privacyidea PR 5763",
        "open-telemetry/opentelemetry-python PR 3673",
    ],
    "right": (
        "Non-string messages never crash and never export their content; a dict's keys are not promoted to fields."
    ),
}
SECRETS = ["ryegarth"]


def emit() -> None:
    log = logging.getLogger("app")
    messages = (
        ValueError("ryegarth"),
        {"event": "ryegarth", "question": "ryegarth"},
        ["ryegarth"],
        b"ryegarth",
        None,
        7,
        object(),
    )
    for message in messages:
        log.info(message)
        log.error(message, extra=codes(error=True))
