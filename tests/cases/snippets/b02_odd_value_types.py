"""B02: extras that json can not encode."""

import collections
import dataclasses
import datetime as dt
import decimal
import enum
import fractions
import logging
import pathlib
import re
import threading
import uuid

from _common import codes

CASE = {
    "id": "B02",
    "group": "B",
    "kind": "robust",
    "source": [
        "open-telemetry/opentelemetry-python#4421",
        "open-telemetry/opentelemetry-python PR 5239",
        "geoadmin/lib-py-logging-utilities PR 5",
        "bobbui/json-logging-python PR 92",
        "open-telemetry/opentelemetry-python#3649",
    ],
    "right": (
        "One valid JSON line per record, numbers stay numbers, known scalar types get a fixed "
        "spelling (ISO time with zone, str(UUID)), everything else dropped or a type name. "
        "Never repr of arbitrary objects."
    ),
    "min_records": 20,
}
SECRETS = ["crakehollow"]


class Colour(enum.Enum):
    RED = "crakehollow"


class Flag(enum.IntFlag):
    A = 1


@dataclasses.dataclass
class Hit:
    text: str = "crakehollow"


def values() -> list[object]:
    found: list[object] = [
        decimal.Decimal("NaN"),
        decimal.Decimal("1.10"),
        fractions.Fraction(1, 3),
        uuid.UUID(int=1),
        Colour.RED,
        Flag.A,
        dt.datetime(2024, 1, 1),
        dt.datetime(2024, 1, 1, tzinfo=dt.UTC),
        dt.date(2024, 1, 1),
        dt.time(1),
        dt.timedelta(seconds=1),
        pathlib.Path("/crakehollow"),
        Hit(),
        {1, 2},
        frozenset(),
        range(3),
        (x for x in [1]),
        b"\xff\x00",
        bytearray(b"a"),
        memoryview(b"a"),
        complex(1, 2),
        object(),
        int,
        len,
        lambda: 0,
        re.compile("x"),
        threading.Lock(),
        2**70,
        -(2**70),
        True,
        None,
        "",
        "x" * 10,
        collections.Counter("aab"),
        Ellipsis,
        NotImplemented,
        type("X", (), {"__repr__": lambda self: "crakehollow"})(),
    ]
    try:
        import numpy as np
    except ImportError:
        return found
    return [
        *found,
        np.float32(1.5),
        np.int64(3),
        np.array([1.0, 2.0]),
        np.datetime64("2024-01-01"),
        np.bool_(True),
    ]


def emit() -> None:
    log = logging.getLogger("app")
    for n, value in enumerate(values()):
        log.info("hits", extra=codes(n=n, value=value))
    log.info("all", extra=codes(values=values()))
