"""C20: exceptions everywhere but in exc_info: as arguments, in containers, as values of extra."""

import logging

from _common import codes

CASE = {
    "id": "C20",
    "group": "C",
    "kind": "leak",
    "right": "An exception is its type and codes wherever it stands.",
    "min_records": 5,
}
SECRETS = ["ternwater", "avocetley"]


def emit() -> None:
    log = logging.getLogger("app.arguments")
    exc = OSError(13, "ternwater", "/chunks/avocetley")
    group = ExceptionGroup("avocetley", [exc])
    log.error("failed: %s / %r / %.30s", exc, group, exc, extra=codes(error=True))
    log.error("failed: %(why)s", {"why": exc}, extra=codes(error=True))
    log.error("failed: %s", [exc], extra=codes(error=True, why=exc))
    log.error("failed: %s", exc.args, extra=codes(error=True, whys=[exc]))
    log.error("failed: " + str(exc), extra=codes(error=True))
    log.error(exc, extra=codes(error=True))
    log.error("failed: %s %s", type(exc), exc.__traceback__, exc_info=(OSError, exc, None))
