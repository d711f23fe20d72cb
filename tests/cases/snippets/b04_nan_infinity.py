"""B04: NaN and Infinity make `json.dumps` write tokens that are not JSON."""

import logging

from _common import codes

CASE = {
    "id": "B04",
    "group": "B",
    "kind": "robust",
    "source": [
        "getsentry/sentry#1979",
        "pydantic/logfire PR 2009",
        "netket/netket#441",
        "rollbar/pyrollbar PR 117",
    ],
    "right": ("Every line parses with a strict parser (no NaN/Infinity tokens), and the record is not lost."),
    "min_records": 2,
}
SECRETS: list[str] = []


def emit() -> None:
    log = logging.getLogger("app")
    nan, inf = float("nan"), float("inf")
    log.info("scores", extra=codes(score=nan, best=inf, worst=-inf, duration_ms=nan))
    log.info("scores", extra=codes(scores=[1.0, nan], by={"a": inf}))
