"""C15: a record from elsewhere claims every standard field, each with text in it."""

import logging

from _common import codes, file_handler

CASE = {
    "id": "C15",
    "group": "C",
    "kind": "both",
    "right": "Standard fields are no safer than extras when a record was not made here.",
    "min_records": 2,
}
SECRETS = ["bitternlow"]
FIELDS = (
    "levelname",
    "pathname",
    "filename",
    "module",
    "funcName",
    "threadName",
    "processName",
    "taskName",
    "exc_text",
    "stack_info",
    "asctime",
    "message",
    "lineno",
    "process",
    "thread",
    "msecs",
    "relativeCreated",
)
FORMAT = " ".join(f"%({name})s" for name in FIELDS)


def emit() -> None:
    log = logging.getLogger("app.forged")
    handler = file_handler("forged.log", logging.Formatter(FORMAT))
    log.addHandler(handler)
    common = {"name": "app.forged", "levelno": 30, "msg": "x", **codes(warning=True)}
    log.handle(logging.makeLogRecord({**common, **dict.fromkeys(FIELDS, "of bitternlow")}))
    record = log.makeRecord("app.forged", 20, "f.py", 1, "y", (), None)
    for name in FIELDS:
        setattr(record, name, f"bitternlow {name}")
    log.handle(record)
    log.removeHandler(handler)
    handler.close()
