"""C40: extras and arguments that hold themselves, ten megabytes, a hundred thousand levels."""

import logging
from typing import Any

from _common import codes

CASE = {
    "id": "C40",
    "group": "C",
    "kind": "both",
    "timeout": 30,
    "right": ("One short line for each record, in little time; the containers are not walked."),
    "max_line": 16_384,
    "min_records": 6,
}
SECRETS = ["shovelerton"]


def emit() -> None:
    log = logging.getLogger("app.huge")
    ring: dict[str, Any] = {"text": "shovelerton"}
    ring["me"] = ring
    row: list[Any] = ["shovelerton"]
    row.append(row)
    log.info("ring %s %r", ring, row, extra=codes(ring=ring, n=row))
    log.info("%(text)s", ring, extra=codes(model=ring))
    big = "shovelerton " * 900_000
    log.info("big %s", "x", extra=codes(prompt=big, model=big, big=big.encode()))
    log.info("big %s", big, extra=codes())
    log.info(big)
    deep: list[Any] = ["shovelerton"]
    for _ in range(100_000):
        deep = [deep]
    log.info("deep", extra=codes(deep=deep))
    while isinstance(deep, list) and isinstance(deep[0], list):
        deep = deep[0]
