"""A47: records made before set-up, or without one, go to `logging.lastResort` on stderr.

Typical are a worker process that never calls the set-up, and warnings at import.
"""

import logging

from _common import codes

CASE = {
    "id": "A47",
    "group": "A",
    "kind": "leak",
    "isolate": True,
    "before_setup": True,
    "source": [
        "vstorm-co/agenticos#440",
        "vstorm-co/agenticos PR 1053",
        "open-telemetry/opentelemetry-python#2594",
    ],
    "right": (
        "Harness imports the package but calls emit() BEFORE its set-up. Either import alone "
        "protects lastResort, or the docs say which processes must call set-up and a check "
        "finds those that did not."
    ),
    "sinks": ["stderr"],
}
SECRETS = ["wagtailmere"]


def emit() -> None:
    log = logging.getLogger("worker")
    log.warning("slow answer for %s", "wagtailmere", extra=codes(warning=True))
    try:
        raise ValueError("wagtailmere")
    except ValueError:
        log.exception("job failed", extra=codes(error=True))
