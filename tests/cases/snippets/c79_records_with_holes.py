"""C79: records that lack fields, objects that are no records, classes whose hash is a trap."""

import logging
import types
from typing import Any, NoReturn

from _common import codes

CASE = {
    "id": "C79",
    "group": "C",
    "kind": "both",
    "right": "What is there is sealed, what is not there is absent, and nothing raises.",
    "min_records": 12,
}
SECRETS = ["moorcocket"]


class Name(str):
    __slots__ = ()

    def __hash__(self) -> NoReturn:
        raise RuntimeError("moorcocket")

    __eq__ = __hash__


class Trap(type):
    def __hash__(cls) -> NoReturn:
        raise SystemExit("moorcocket")

    def __eq__(cls, other: object) -> NoReturn:
        raise SystemExit("moorcocket")


class Value(metaclass=Trap):
    def __str__(self) -> str:
        return "moorcocket"


class NoRecord:
    __slots__ = ("exc_info", "levelno", "msg", "name")

    def __init__(self) -> None:
        self.levelno, self.name, self.msg, self.exc_info = 20, "moorcocket", "moorcocket", None

    def getMessage(self) -> str:
        return self.msg


def _record(**fields: Any) -> logging.LogRecord:
    known = {"name": "app.holes", "levelno": 30, "levelname": "WARNING", "msg": "of %s", "args": ("moorcocket",)}
    return logging.makeLogRecord({**known, **codes(warning=True), **fields})


def emit() -> None:
    log = logging.getLogger("app.holes")
    for name in ("msg", "args", "name", "levelname", "created", "exc_info", "threadName", "msecs", "pathname"):
        record = _record()
        delattr(record, name)
        log.handle(record)
    for name in ("msg", "args", "name", "levelname", "created", "exc_text", "funcName", "event", "n"):
        log.handle(_record(**{name: Name("moorcocket")}))
    log.handle(_record(msg=Value(), args=Value()))
    empty = _record()
    vars(empty).clear()
    empty.levelno = 40
    log.handle(empty)
    named = logging.Logger(Name("moorcocket"))
    named.parent = logging.getLogger()
    named.warning("of %s", "moorcocket")
    log.handle(NoRecord())
    log.handle(types.SimpleNamespace(levelno=20, name="moorcocket", msg="moorcocket", getMessage=lambda: "moorcocket"))
    # Logging itself takes the hash of the class of a single argument.
    log.info("%s and %s", Value(), Value, extra=codes(n=Value(), model=Value))
