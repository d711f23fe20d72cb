"""C17: enums and named tuples are made from the labels that a customer uploaded."""

import collections
import enum
import logging

from _common import codes

CASE = {
    "id": "C17",
    "group": "C",
    "kind": "leak",
    "right": "A member is named only when importing its qualified name gives that member.",
    "min_records": 3,
}
SECRETS = ["ptarmigans", "starlingow"]


def emit() -> None:
    log = logging.getLogger("app.labels")
    label = enum.Enum("Label", ["ptarmigans", "starlingow"])
    number = enum.IntEnum("Number", {"starlingow": 7})
    row = collections.namedtuple("row", ["ptarmigans"])("starlingow")  # noqa: PYI024
    log.info("label %s %r", label["ptarmigans"], number(7), extra=codes(n=number(7)))
    log.info("labels %s %r", label, row, extra=codes(model=label["starlingow"]))
    log.info(f"{label['ptarmigans']} {number(7)!r} {row}", extra=codes())
