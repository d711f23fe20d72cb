"""C74: standard error is closed or missing when a handler fails; standard output as well."""

import io
import logging
import sys

from _common import codes

CASE = {
    "id": "C74",
    "group": "C",
    "kind": "both",
    "failing_handlers": True,
    "right": "No log call raises, and other sinks get their records.",
    "min_records": 6,
}
SECRETS = ["swallowfold"]


def emit() -> None:
    log = logging.getLogger("app.streams")
    closed = logging.StreamHandler(io.StringIO())
    closed.stream.close()
    log.addHandler(closed)
    before = sys.stdout, sys.stderr
    gone = io.StringIO()
    gone.close()
    try:
        for stream in (None, gone, object()):
            sys.stdout = sys.stderr = stream
            log.info("about %s", "swallowfold", extra=codes())
            log.error("about %s and %d", "swallowfold", "swallowfold", extra=codes(error=True))
    finally:
        sys.stdout, sys.stderr = before
        log.removeHandler(closed)
    log.info("about %s", "swallowfold")
