"""C46: an operator's filter looks at the arguments: health checks are not logged."""

import logging

from _common import codes, file_handler, written

CASE = {
    "id": "C46",
    "group": "C",
    "kind": "both",
    "setups": ["alone", "beside"],
    "right": ("Filters of a handler and of a logger see what the program logged; what is written does not show it."),
    "min_records": 2,
}
SECRETS = ["dunlinstrand", "sanderlinga"]


class NoHealthChecks(logging.Filter):
    def filter(self, record: logging.LogRecord) -> bool:
        assert isinstance(record.args, tuple)
        return record.args[2] != "/health" and getattr(record, "who", "") != "sanderlinga"


def emit() -> None:
    log = logging.getLogger("app.access")
    handler = file_handler("filtered.log")
    handler.addFilter(NoHealthChecks())
    log.addHandler(handler)
    template = '%s - "%s %s HTTP/%s" %d'
    log.info(template, "10.0.0.1", "GET", "/health", "1.1", 200, extra=codes())
    log.info(template, "10.0.0.1", "GET", "/ask/dunlinstrand", "1.1", 200, extra=codes())
    log.info(template, "10.0.0.1", "GET", "/x", "1.1", 200, extra=codes(who="sanderlinga"))
    log.removeHandler(handler)
    handler.close()
    assert len(written("filtered.log").splitlines()) == 1
