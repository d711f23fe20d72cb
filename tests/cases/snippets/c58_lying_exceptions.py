"""C58: exceptions whose `__cause__`, `__class__`, `__traceback__` or metaclass are overridden."""

import logging
from typing import Any

from _common import codes

CASE = {
    "id": "C58",
    "group": "C",
    "kind": "both",
    "right": ("Type, chain and frames are read past every override; nothing of the class is called."),
    "min_records": 4,
}
SECRETS = ["goshawkley", "Goshawkley"]


class Meta(type):
    __name__ = "Goshawkley"

    def __getattribute__(cls, name: str) -> Any:
        if name in ("__qualname__", "__module__", "__name__"):
            return "goshawkley"
        return super().__getattribute__(name)

    def __repr__(cls) -> str:
        return "goshawkley"


class Lying(Exception, metaclass=Meta):
    __cause__ = property(lambda self: ValueError("goshawkley"))
    __context__ = property(lambda self: self)
    __traceback__ = property(lambda self: "goshawkley")
    __notes__ = property(lambda self: ["goshawkley"])
    args = property(lambda self: ("goshawkley",))

    @property
    def __class__(self) -> Any:
        return type("GoshawkleyError", (Exception,), {})

    def __str__(self) -> str:
        return "goshawkley"


class Asking(Exception):
    def __getattribute__(self, name: str) -> Any:
        if name in ("__cause__", "__context__", "__traceback__", "__dict__"):
            raise RuntimeError(f"goshawkley {name}")
        return super().__getattribute__(name)


def emit() -> None:
    log = logging.getLogger("app.lies")
    for cls in (Lying, Asking):
        try:
            raise cls("goshawkley")
        except cls as exc:
            log.error("failed", exc_info=(cls, exc, None), extra=codes(error=True))
            log.error("failed: %s", exc, extra=codes(error=True, n=exc))
            log.error("failed: %s %r", cls, ExceptionGroup("g", [exc]))
