"""B06: a message of 600 kB. Loki refuses lines over 256 kB, container runtimes cut at 16 kB."""

import logging

from _common import codes

CASE = {
    "id": "B06",
    "group": "B",
    "kind": "both",
    "source": [
        "grafana/loki#12979",
        "grafana/loki#3747",
        "grafana/loki#22065",
        "grafana/loki#2920",
        "grafana/loki#12262",
        "grafana/loki#2281",
        "mmalyska/home-ops PR 4713",
    ],
    "right": (
        "Every line under a fixed limit (16 kB is the safe one), valid JSON after cutting, with "
        "a `truncated` mark; cutting never splits a multi-byte character; time per record "
        "bounded."
    ),
    "max_line": 16_384,
    "min_records": 3,
}
SECRETS = ["bulkmarrow"]


def emit() -> None:
    log = logging.getLogger("app")
    log.info("bulkmarrow " * 60_000, extra=codes())
    log.info("many", extra=codes(**{f"k{i}": i for i in range(5_000)}))
    log.info("x", extra=codes(ids=list(range(100_000)), big="\U0001f600" * 100_000))
    try:
        raise ValueError("bulkmarrow " * 50_000)
    except ValueError:
        log.exception("huge error", extra=codes(error=True))
