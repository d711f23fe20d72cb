"""C24: strings of a class of their own: `%` gives another text, equality and length lie."""

import logging

from _common import codes

CASE = {
    "id": "C24",
    "group": "C",
    "kind": "both",
    "right": ("Only an exact str can be a proven literal or a typed value; no method of another is called."),
    "min_records": 5,
}
SECRETS = ["mallardine"]


class Template(str):
    __slots__ = ()

    def __mod__(self, args: object) -> str:
        return "mallardine's answer"

    def __str__(self) -> str:
        return "about mallardine"

    def __format__(self, spec: str) -> str:
        return "for mallardine"


class Anything(str):
    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return hash("plain")

    def __len__(self) -> int:
        return 0


def emit() -> None:
    log = logging.getLogger("app.strings")
    log.info(Template("question %s"), 1, extra=codes())
    log.info(Template("question"))
    log.info("question %s", Template("x"), extra=codes(model=Template("gpt"), n=Template("7")))
    log.info(f"question {Template('x')}")
    log.info(Anything("mallardine"), extra=codes())
    log.info("plain %s", Anything("mallardine"), extra=codes(model=Anything("mallardine")))
    log.info("x", extra={"event": Anything("mallardine"), "error_code": Template("mallardine")})
