"""C30: a handler or formatter fails: logging prints message, arguments and traceback on stderr."""

import io
import logging

from _common import codes

CASE = {
    "id": "C30",
    "group": "C",
    "kind": "both",
    "failing_handlers": True,
    "right": ("stderr says that a handler failed, and nothing of the record or of the failure's text."),
    "min_records": 4,
}
SECRETS = ["siskinmoor", "bullfinche"]


class Broken(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        raise ValueError(f"can not format {record.getMessage()}, said bullfinche")


def emit() -> None:
    log = logging.getLogger("app.failing")
    closed = logging.StreamHandler(io.StringIO())
    closed.stream.close()
    broken = logging.StreamHandler(io.StringIO())
    broken.setFormatter(Broken())
    missing = logging.StreamHandler(io.StringIO())
    missing.setFormatter(logging.Formatter("%(message)s %(not_there)s"))
    for handler in (closed, broken, missing):
        log.addHandler(handler)
    assert logging.raiseExceptions
    log.info("about %s", "siskinmoor", extra=codes())
    log.info("about %s and %s", "siskinmoor", extra=codes())
    log.info("about nothing", "siskinmoor", extra=codes())
    log.info("%d of them", "siskinmoor", extra=codes())
    log.info("%z", "siskinmoor")
    for handler in (closed, broken, missing):
        log.removeHandler(handler)
