"""C77: a module has an `int`, `len` and `round` of its own, which give back texts."""

import logging

from _common import codes

CASE = {
    "id": "C77",
    "group": "C",
    "kind": "leak",
    "right": "A call makes a number only if it is the built-in function that is called.",
    "min_records": 3,
}
SECRETS = ["471155", "902106"]


def int(value: str) -> str:  # noqa: A001 - that is the case
    return value


def round(value: str) -> str:  # noqa: A001 - that is the case
    return value


def emit() -> None:
    log = logging.getLogger("app.builtins")
    first, second = "471155", "902106"

    def len(value: str) -> str:  # noqa: A001 - that is the case
        return value

    log.info(f"of {int(first)} in", extra=codes())
    log.info(f"of {len(second)} in {round(first)}")
    log.info("of " + str(int(second)) + " in")
    log.info("of {} in {}".format(len(first), round(second)))
    log.info("of %s" % int(first))
    for float in (str,):  # noqa: A001 - that is the case
        log.info(f"of {float(first)} in")
