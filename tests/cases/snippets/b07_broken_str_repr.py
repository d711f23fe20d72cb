"""B07: values whose `__str__` raises, returns a wrong type, or never ends."""

import logging

from _common import codes

CASE = {
    "id": "B07",
    "group": "B",
    "kind": "robust",
    "source": [
        "devdanzin/fusil PR 264",
        "Qix-/better-exceptions PR 65",
        "apache/airflow#53114",
        "getsentry/sentry-python PR 4227",
    ],
    "right": ("Log call returns normally, record out with a fixed placeholder, nothing on stderr."),
    "min_records": 5,
}
SECRETS = ["greywether"]


class Raises:
    def __str__(self) -> str:
        raise RuntimeError("greywether")

    __repr__ = __str__


class WrongType:
    def __str__(self) -> str:
        return 7  # noqa: PLE0307 - the wrong type is the case

    def __repr__(self) -> str:
        return None


class BadError(Exception):
    def __str__(self) -> str:
        raise ValueError("greywether")

    __repr__ = __str__


class Recursive:
    def __repr__(self) -> str:
        return repr(self)


def emit() -> None:
    log = logging.getLogger("app")
    for value in (Raises(), WrongType(), BadError("x"), Recursive()):
        log.info("arg %s", value, extra=codes())
        log.info("extra", extra=codes(value=value))
        log.info(value)
    try:
        raise BadError("greywether")
    except BadError:
        log.exception("failed", extra=codes(error=True))
