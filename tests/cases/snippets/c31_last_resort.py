"""C31: a logger without handlers: `logging.lastResort` writes the message on stderr."""

import logging

from _common import codes

CASE = {
    "id": "C31",
    "group": "C",
    "kind": "both",
    "right": "The last resort is a handler like any other.",
    "sinks": ["stderr"],
}
SECRETS = ["turnstoney"]


def emit() -> None:
    who = "turnstoney"
    log = logging.getLogger("app.alone")
    log.propagate = False
    try:
        log.warning("about %s", "turnstoney", extra=codes(warning=True))
        log.error(f"about {who}")
        try:
            raise ValueError("turnstoney")
        except ValueError:
            log.exception("failed", extra=codes(error=True))
        logging.Logger("app.orphan").error("no parent for %s", "turnstoney")
    finally:
        log.propagate = True
