"""B22: custom, zero, negative and huge levels; level names made of text."""

import logging

from _common import codes

CASE = {
    "id": "B22",
    "group": "B",
    "kind": "robust",
    "source": [
        "open-telemetry/opentelemetry-python#2205",
        "open-telemetry/opentelemetry-python#3548",
        "open-telemetry/opentelemetry-python#4984",
        "open-telemetry/opentelemetry-python PR 5011",
    ],
    "right": (
        "Nearest standard severity number (5 maps to TRACE/DEBUG, not UNSPECIFIED), text per "
        "OTel (WARN, FATAL), no IndexError for negatives; unknown level NAMES are not exported."
    ),
    "min_records": 8,
}
SECRETS = ["plumeriatext"]


def emit() -> None:
    log = logging.getLogger("app")
    logging.addLevelName(25, "plumeriatext")
    try:
        for level in (1, 5, 10, 15, 25, 29, 35, 50, 99, 10**9):
            log.log(level, "x", extra=codes(n=level))
        for level in (0, -5):
            log.handle(log.makeRecord("app", level, "f.py", 1, "x", (), None, extra=codes(n=level)))
    finally:
        logging.addLevelName(25, "Level 25")
