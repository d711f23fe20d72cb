"""C41: rendering would end in RecursionError, MemoryError, SystemExit or a KeyboardInterrupt."""

import logging
from typing import NoReturn

from _common import codes

CASE = {
    "id": "C41",
    "group": "C",
    "kind": "both",
    "right": ("The methods of a value are not called, so nothing of this happens inside a log call."),
    "min_records": 5,
}
SECRETS = ["pochardley"]


def _dying(kind: type[BaseException]) -> object:
    def die(self: object, *args: object) -> NoReturn:
        raise kind("pochardley")

    names = ("__str__", "__repr__", "__format__", "__len__", "__iter__", "__int__", "__float__")
    return type("Dying", (), dict.fromkeys(names, die))()


def emit() -> None:
    log = logging.getLogger("app.dying")
    for kind in (ValueError, MemoryError, RecursionError):
        log.info("dying %s", _dying(kind), extra=codes(n=_dying(kind), model=_dying(kind)))
        log.info(_dying(kind))
    nested: list[object] = ["pochardley"]
    for _ in range(5_000):
        nested = [nested]
    log.info("nested %s", nested, extra=codes())
    log.info("nobody called %s", "pochardley", extra=codes())
    log.info("leaving %d", _dying(SystemExit), extra=codes())
