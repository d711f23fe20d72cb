"""C63: handlers get into a logger's list without `addHandler`, with classes made after the set-up."""

import logging

from _common import OUT, codes

CASE = {
    "id": "C63",
    "group": "C",
    "kind": "leak",
    "right": ("Which way a handler came in, and when its class was made, makes no difference."),
    "min_records": 2,
}
SECRETS = ["shorelarker"]


def emit() -> None:
    who = "shorelarker"
    found: list[str] = []

    class Quick(logging.Handler):
        def handle(self, record: logging.LogRecord) -> bool:
            found.append(record.getMessage())
            return True

    class Plain(logging.StreamHandler):
        def emit(self, record: logging.LogRecord) -> None:
            found.append(self.format(record))

    log = logging.getLogger("app.appended")
    before = log.handlers
    log.handlers = [Quick(), Plain()]
    log.handlers.append(Quick())
    log.info("about %s", "shorelarker", extra=codes())
    log.info(f"about {who}")
    log.handlers = before
    (OUT / "appended.txt").write_text("\n".join(found), encoding="utf-8")
    assert len(found) == 6
