"""C04: a Logger class of the application's own composes messages and adds fields to the records."""

import logging
from typing import Any

from _common import codes

CASE = {
    "id": "C04",
    "group": "C",
    "kind": "leak",
    "right": (
        "Who builds the record makes no difference: `_log` and `makeRecord` overrides are seen through or withheld."
    ),
    "min_records": 3,
}
SECRETS = ["willowmarch", "redstartlow"]


class TaggedLogger(logging.Logger):
    tag = "willowmarch's session"

    def _log(self, level: int, msg: object, args: Any, **kwargs: Any) -> None:
        super()._log(level, f"{self.tag}: {msg}", args, **kwargs)

    def makeRecord(self, *args: Any, **kwargs: Any) -> logging.LogRecord:
        record = super().makeRecord(*args, **kwargs)
        record.question = "redstartlow"
        record.threadName = f"for {self.tag}"
        return record

    def ask(self, question: str) -> None:
        self._log(logging.INFO, question, ())


def emit() -> None:
    before = logging.getLoggerClass()
    logging.setLoggerClass(TaggedLogger)
    try:
        log = logging.getLogger("app.tagged")
    finally:
        logging.setLoggerClass(before)
    assert isinstance(log, TaggedLogger)
    log.info("plain", extra=codes())
    log.warning("about %s", "redstartlow")
    log.ask("is redstartlow well")
