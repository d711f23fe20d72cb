"""C28: record factories: fields of the request on every record, and a LogRecord class."""

import logging
from typing import Any

from _common import codes

CASE = {
    "id": "C28",
    "group": "C",
    "kind": "both",
    "right": ("Fields of a factory are extras; a `getMessage` that is not logging's is not believed."),
    "min_records": 3,
}
SECRETS = ["whimbrelton", "puffinshaw"]


class Talking(logging.LogRecord):
    def getMessage(self) -> str:
        return f"whimbrelton asked: {super().getMessage()}"

    def __str__(self) -> str:
        return "puffinshaw"

    __repr__ = __str__


def emit() -> None:
    log = logging.getLogger("app.factory")
    old = logging.getLogRecordFactory()

    def adding(*args: Any, **kwargs: Any) -> logging.LogRecord:
        record = old(*args, **kwargs)
        record.prompt = "puffinshaw"
        record.request = {"q": "puffinshaw"}
        record.msg = f"whimbrelton: {record.msg}"
        return record

    try:
        logging.setLogRecordFactory(adding)
        log.info("first", extra=codes())
        log.info("second %s", "puffinshaw", extra=codes())
        logging.setLogRecordFactory(Talking)
        log.info("third", extra=codes())
        log.info("fourth %d", 4)
    finally:
        logging.setLogRecordFactory(old)
