"""C10: rotating handlers format a record twice: once to see if it fits, once to write it."""

import logging
import logging.handlers

from _common import OUT, codes

CASE = {
    "id": "C10",
    "group": "C",
    "kind": "both",
    "right": "No file, old or new, has text; each record is in one of them once.",
    "exact_records": 20,
}
SECRETS = ["stonechatter"]


def emit() -> None:
    log = logging.getLogger("app.rotating")
    path = OUT / "rotating.log"
    handler = logging.handlers.RotatingFileHandler(path, maxBytes=400, backupCount=50)
    log.addHandler(handler)
    try:
        for n in range(20):
            log.info("part %d of %s", n, "stonechatter's letter", extra=codes(n=n))
    finally:
        log.removeHandler(handler)
        handler.close()
    lines = [line for file in OUT.glob("rotating.log*") for line in file.read_text().splitlines()]
    assert len(lines) == 20
