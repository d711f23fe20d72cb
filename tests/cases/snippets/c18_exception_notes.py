"""C18: notes on exceptions: strings, objects, and a `__notes__` that is no list."""

import logging

from _common import codes

CASE = {
    "id": "C18",
    "group": "C",
    "kind": "both",
    "right": "Notes are never rendered, and odd ones do not stop the record.",
    "min_records": 5,
}
SECRETS = ["harrierdale", "snipewell"]


class Speaking:
    def __repr__(self) -> str:
        return "snipewell"

    __str__ = __repr__


def emit() -> None:
    log = logging.getLogger("app.notes")
    noted = ValueError("x")
    noted.add_note("asked by harrierdale")
    listed, single, spoken = ValueError("x"), ValueError("x"), ValueError("x")
    listed.__notes__ = ["harrierdale", Speaking(), 7, None]
    single.__notes__ = "harrierdale"
    spoken.__notes__ = Speaking()
    group = ExceptionGroup("g", [noted])
    group.add_note("snipewell")
    for exc in (noted, listed, single, spoken, group):
        log.error("failed", exc_info=exc, extra=codes(error=True))
