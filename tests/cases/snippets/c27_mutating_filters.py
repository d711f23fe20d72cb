"""C27: filters write text into the record: a new message, new fields; or give another record."""

import copy
import logging

from _common import codes, file_handler

CASE = {
    "id": "C27",
    "group": "C",
    "kind": "both",
    "right": ("What a filter wrote is sealed as what the program wrote, whichever handler it sat on."),
    "min_records": 3,
}
SECRETS = ["bustardene", "ravensedge", "merlinfold"]


class Merge(logging.Filter):
    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = f"{record.getMessage()} for bustardene", ()
        record.prompt = "ravensedge"
        record.levelname = "ravensedge"
        return True


class Other(logging.Filter):
    def filter(self, record: logging.LogRecord) -> logging.LogRecord:
        new = copy.copy(record)
        new.msg, new.args = "merlinfold %s", ("merlinfold",)
        return new


class Cached(logging.Filter):
    def filter(self, record: logging.LogRecord) -> bool:
        record.message = "merlinfold"
        record.exc_text = "merlinfold"
        return True


def emit() -> None:
    log = logging.getLogger("app.filters")
    merge = Merge()
    handlers = [file_handler("other.log"), file_handler("cached.log"), file_handler("merge.log")]
    for handler, extra_filter in zip(handlers, (Other(), Cached(), merge), strict=True):
        handler.addFilter(extra_filter)
        handler.setFormatter(logging.Formatter("%(levelname)s %(message)s"))
        log.addHandler(handler)
    log.info("one", extra=codes())
    log.addFilter(merge)
    log.info("two %s", "x", extra=codes())
    log.removeFilter(merge)
    log.info("three %s", "ravensedge", extra=codes())
    for handler in handlers:
        log.removeHandler(handler)
        handler.close()
