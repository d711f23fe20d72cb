"""C65: formatters that override time, stack and message, and one that prints all it can find."""

import logging
import pprint

from _common import codes, file_handler, written

CASE = {
    "id": "C65",
    "group": "C",
    "kind": "both",
    "right": "There is nothing to find on the record that a formatter gets.",
    "min_records": 2,
}
SECRETS = ["icterinely"]


class Everything(logging.Formatter):
    def formatTime(self, record: logging.LogRecord, datefmt: str | None = None) -> str:
        return f"at {getattr(record, 'asked_at', '?')}"

    def formatStack(self, stack_info: str) -> str:
        return f"stack {stack_info}"

    def formatMessage(self, record: logging.LogRecord) -> str:
        return f"{record.asctime} {record.message} {pprint.pformat(record.__dict__)} {dir(record)}"


def emit() -> None:
    log = logging.getLogger("app.everything")
    handler = file_handler("everything.log", Everything("%(asctime)s"))
    log.addHandler(handler)
    log.info("about %s", "icterinely", extra=codes(asked_at="icterinely"), stack_info=True)
    log.info("about %(who)s", {"who": "icterinely"}, extra=codes(icterinely=1))
    log.removeHandler(handler)
    handler.close()
    assert written("everything.log").count("about ") >= 2
