"""B23: `record.created` is NaN, infinite, negative, in milliseconds, or goes backwards."""

import logging

from _common import codes

CASE = {
    "id": "B23",
    "group": "B",
    "kind": "robust",
    "source": [
        "grafana/loki#3266",
        "grafana/loki#1544",
        "grafana/loki PR 12933",
        "grafana/loki#1449",
    ],
    "right": (
        "Sane UTC time with fixed precision on every line (fallback: now), never an exception, "
        "never a value outside uint64 nanoseconds; order within a process kept."
    ),
    "min_records": 6,
}
SECRETS: list[str] = []


def emit() -> None:
    log = logging.getLogger("app")
    nan, inf = float("nan"), float("inf")
    for created in (nan, inf, -1.0, 0, 1e20, 1_700_000_000_000.0, "soon", None):
        record = log.makeRecord("app", 20, "f.py", 1, "x", (), None, extra=codes())
        record.created = created
        log.handle(record)
    log.info("after", extra=codes())
