"""C61: handlers that log while they handle, and a formatter that does."""

import logging

from _common import codes, file_handler

CASE = {
    "id": "C61",
    "group": "C",
    "kind": "both",
    "right": ("Records made inside handling are sealed too, and nothing recurses without end."),
    "min_records": 4,
}
SECRETS = ["bramblinga"]


class Chatty(logging.Handler):
    depth = 0

    def emit(self, record: logging.LogRecord) -> None:
        if self.depth < 3:
            self.depth += 1
            log, who = logging.getLogger("app.inside"), "bramblinga"
            log.info("handling %s", "bramblinga", extra=codes())
            log.info(f"handling {who} {record.getMessage()}")
            self.depth -= 1


class ChattyFormatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        if record.name != "app.formatting":
            logging.getLogger("app.formatting").info("formatting for %s", "bramblinga")
        return super().format(record)


def emit() -> None:
    log = logging.getLogger("app.inside")
    handlers = [Chatty(), file_handler("chatty.log", ChattyFormatter("%(message)s"))]
    for handler in handlers:
        log.addHandler(handler)
    log.info("outer %s", "bramblinga", extra=codes())
    for handler in handlers:
        log.removeHandler(handler)
        handler.close()
