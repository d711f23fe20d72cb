"""A36: the scrubber itself fails on an odd object, and reports that failure with the value."""

import logging

from _common import codes

CASE = {
    "id": "A36",
    "group": "A",
    "kind": "both",
    "source": [
        "apache/airflow#53114",
        "apache/airflow PR 67503",
        "unkeyed/unkey PR 6803",
        "apache/airflow#54540",
    ],
    "right": (
        "Fail closed: on any internal error the value is dropped, the record goes out with a "
        "fixed marker, and the internal error text is not logged. The application call does not "
        "raise."
    ),
}
SECRETS = ["tarnfield"]


class Nasty:
    def __str__(self) -> str:
        raise RuntimeError("cannot render tarnfield")

    __repr__ = __str__

    def __iter__(self) -> object:
        raise RuntimeError("tarnfield")

    def __len__(self) -> int:
        raise RuntimeError("tarnfield")

    def __bool__(self) -> bool:
        raise RuntimeError("tarnfield")

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("tarnfield")

    def __hash__(self) -> int:
        raise RuntimeError("tarnfield")

    def __getattr__(self, name: str) -> object:
        raise RuntimeError("tarnfield " + name)


class LyingDict(dict):
    def items(self) -> object:
        raise RuntimeError("tarnfield items")


def emit() -> None:
    log = logging.getLogger("app")
    log.info("value", extra=codes(v=Nasty(), w=LyingDict(a=1)))
    log.info("ctx %s", 1, extra=codes(v=[Nasty()], w={"k": Nasty()}))
