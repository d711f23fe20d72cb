"""C37: records that were pickled, copied or made of a dict, then handled by another logger."""

import copy
import logging
import pickle

from _common import codes

CASE = {
    "id": "C37",
    "group": "C",
    "kind": "both",
    "right": ("Without the frame that made it a message is shown only if a contract declares it."),
    "min_records": 6,
}
SECRETS = ["goldcreston", "yellowhamr"]


def emit() -> None:
    who = "goldcreston"
    log = logging.getLogger("app.elsewhere")
    made: list[logging.LogRecord] = []

    class Keep(logging.Handler):
        def filter(self, record: logging.LogRecord) -> bool:
            made.append(record)
            return False

    keep = Keep()
    log.addHandler(keep)
    log.info("about %s", "goldcreston", extra=codes(prompt="yellowhamr"))
    log.info(f"about {who}", extra=codes())
    log.removeHandler(keep)
    other = logging.getLogger("app.other")
    for record in made:
        other.handle(copy.copy(record))
        other.handle(copy.deepcopy(record))
        other.handle(pickle.loads(pickle.dumps(record)))
        other.handle(logging.makeLogRecord(vars(record)))
        for handler in logging.getLogger().handlers:
            handler.handle(record)
    other.handle(logging.makeLogRecord({"levelno": 30, "msg": "goldcreston", "args": ("yellowhamr",)}))
    other.handle(logging.LogRecord("app", 40, __file__, 1, "of %s", ("goldcreston",), None))
