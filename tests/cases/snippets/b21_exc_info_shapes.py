"""B21: the many forms that exc_info takes."""

import logging
import sys

from _common import codes

CASE = {
    "id": "B21",
    "group": "B",
    "kind": "robust",
    "source": ["hynek/structlog#656", "hynek/structlog#571", "hynek/structlog#329"],
    "right": (
        "No crash; 'no exception' forms give no exception field; an exception without traceback still gives its type."
    ),
    "min_records": 8,
}
SECRETS: list[str] = []


def emit() -> None:
    log = logging.getLogger("app")
    plain = ValueError("no traceback")
    triple = (ValueError, plain, None)
    for info in (True, False, None, 0, 1, "yes", plain, (None, None, None), triple):
        log.error("x", exc_info=info, extra=codes(error=True))
    shapes = (("a",), (1, 2, 3), [], "text", (ValueError, None, None), (None, plain, None))
    for shape in shapes:
        record = log.makeRecord("app", 40, "f.py", 1, "x", (), None, extra=codes(error=True))
        record.exc_info = shape
        log.handle(record)
    try:
        sys.exit(3)
    except SystemExit:
        log.exception("system exit", extra=codes(error=True))
    try:
        raise KeyboardInterrupt
    except KeyboardInterrupt:
        log.exception("interrupt", extra=codes(error=True))
