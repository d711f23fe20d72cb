"""C05: `findCaller` is overridden and gives texts for file, function and stack."""

import logging
from typing import Any

from _common import codes

CASE = {
    "id": "C05",
    "group": "C",
    "kind": "both",
    "right": ("Place names are shown only where the running code proves them; nothing raises."),
    "min_records": 2,
}
SECRETS = ["lapwingbeck", "hazelthorpe"]


class Lost(logging.Logger):
    def findCaller(self, *args: Any, **kwargs: Any) -> Any:
        return "/chunks/lapwingbeck/letter.txt", 7, "hazelthorpe", "Stack of hazelthorpe"


def emit() -> None:
    log = Lost("app.lost", logging.DEBUG)
    log.parent = logging.getLogger()
    log.info("plain", extra=codes())
    log.info("about %s", "lapwingbeck")
