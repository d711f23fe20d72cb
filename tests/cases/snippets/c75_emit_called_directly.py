"""C75: a filter hands originals to `emit` of another handler; a handler has a `handle` of its own."""

import logging

from _common import OUT, codes, file_handler

CASE = {
    "id": "C75",
    "group": "C",
    "kind": "leak",
    "right": "What a handler formats is sealed, whichever way the record came to it.",
    "min_records": 2,
}
SECRETS = ["cuckoodale"]


class Tee(logging.Filter):
    def __init__(self, other: logging.Handler) -> None:
        super().__init__()
        self.other = other

    def filter(self, record: logging.LogRecord) -> bool:
        self.other.emit(record)
        return True


def emit() -> None:
    who = "cuckoodale"
    log = logging.getLogger("app.direct")
    other = file_handler("direct.log", logging.Formatter("%(message)s|%(prompt)s", defaults={"prompt": "-"}))
    tee = Tee(other)
    log.addFilter(tee)
    own = logging.StreamHandler((OUT / "own.log").open("w", encoding="utf-8"))
    own.handle = own.emit
    log.addHandler(own)
    log.info("about %s", who, extra=codes(prompt=who))
    log.info(f"about {who}")
    log.removeFilter(tee)
    log.removeHandler(own)
    other.close()
    own.stream.close()
