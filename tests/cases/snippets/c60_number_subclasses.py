"""C60: numbers of a class of their own, which speak when they are formatted."""

import logging

from _common import codes

CASE = {
    "id": "C60",
    "group": "C",
    "kind": "leak",
    "right": "Only the built-in number types are numbers.",
    "min_records": 3,
}
SECRETS = ["woodchatley"]


class Count(int):
    def __repr__(self) -> str:
        return "woodchatley"

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return "woodchatley"

    def __index__(self) -> int:
        return 7


class Share(float):
    def __repr__(self) -> str:
        return "woodchatley"

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return "woodchatley"


def emit() -> None:
    log = logging.getLogger("app.numbers")
    log.info("%s of %s, %d, %.2f", Count(3), Share(0.5), Count(3), Share(0.5), extra=codes())
    log.info("x", extra=codes(n=Count(3), k=Count(4), duration_ms=Share(1.0), pad=Count(1)))
    log.info(f"{Count(3)} of {Share(0.5):.1f} and {Count(3):d}", extra=codes())
    log.info(Count(3))
