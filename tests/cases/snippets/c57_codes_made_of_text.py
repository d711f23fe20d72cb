"""C57: event, codes and an exception's own `code` are made of text."""

import logging

from _common import EVENT, codes

CASE = {
    "id": "C57",
    "group": "C",
    "kind": "leak",
    "right": (
        "A name that no contract declares becomes one fixed word; own codes count only where a contract lists them."
    ),
    "min_records": 6,
}
SECRETS = ["sparrowhawk", "Sparrowhawk"]


class ServiceError(Exception):
    def __init__(self, code: object) -> None:
        super().__init__("x")
        self.code = code
        self.error_code = code
        self.errno = code

    @property
    def service(self) -> str:
        return "sparrowhawk"


def emit() -> None:
    log = logging.getLogger("app.codes")
    for value in ("sparrowhawk", ["sparrowhawk"], {"sparrowhawk": 1}, b"sparrowhawk", EVENT + "\u200b"):
        log.info("x", extra={"event": value, "error_code": value, "warning_code": value})
    log.info("x", extra=codes(error_class="sparrowhawk", event_name="sparrowhawk"))
    for code in ("sparrowhawk", 7, ServiceError("sparrowhawk"), None):
        try:
            raise ServiceError(code)
        except ServiceError as exc:
            log.exception("failed", extra=codes(error_code=getattr(exc, "code", None)))
            log.error("failed: %s", exc, exc_info=True)
    exit_error = SystemExit("sparrowhawk")
    log.error("left", exc_info=exit_error)
    log.error("os", exc_info=OSError("Sparrowhawk", "sparrowhawk", "sparrowhawk"))
