"""More records than the queue holds while nothing is taken: the loss is counted, and the error is still there."""

import logging

from discreet.export.ledger import LEDGER

CASE = {"collectors": ["black hole"], "app_records": 20_001, "shutdown": 0.2, "missing": {"queue_full", "shutdown"}}


def emit() -> None:
    log = logging.getLogger("app")
    for n in range(20_000):
        log.info("record", extra={"event": "case.event", "n": n})
    before = LEDGER.sink("otlp_logs").as_dict()["missing_by_reason"]
    log.error("the one that matters", extra={"error_code": "E_CASE"})
    after = LEDGER.sink("otlp_logs").as_dict()["missing_by_reason"]
    assert before["queue_full"] > 10_000
    # The reporting of what is missing may have taken places meanwhile; the error's own is kept.
    assert after["queue_full"] == before["queue_full"]
