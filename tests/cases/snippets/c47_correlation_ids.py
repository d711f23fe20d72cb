"""C47: `%(correlation_id)s` in the format and a filter that sets it from a header of the request."""

import logging
import uuid

from _common import codes, file_handler, written

CASE = {
    "id": "C47",
    "group": "C",
    "kind": "both",
    "right": ("A format that names a field works on every record; text in the field is withheld."),
    "min_records": 2,
}
SECRETS = ["hoopoeland"]
FORMAT = "%(levelname)s [%(correlation_id)s] [%(user)s] %(name)s %(message)s"


class CorrelationId(logging.Filter):
    current = "-"

    def filter(self, record: logging.LogRecord) -> bool:
        record.correlation_id = self.current
        record.user = {"name": "hoopoeland"}
        return True


def emit() -> None:
    log = logging.getLogger("app.correlated")
    handler = file_handler("correlated.log", logging.Formatter(FORMAT))
    source = CorrelationId()
    handler.addFilter(source)
    log.addHandler(handler)
    for current in ("-", uuid.uuid4().hex, "letter of hoopoeland", None, 12):
        source.current = current
        log.info("request served", extra=codes())
    log.removeHandler(handler)
    handler.close()
    lines = written("correlated.log").splitlines()
    assert len(lines) == 5
    assert all(line.endswith("app.correlated request served") for line in lines)
