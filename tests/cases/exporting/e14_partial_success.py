"""Status 200, and five records rejected: they are missing, nothing is sent again, the server's text goes nowhere."""

import logging

CASE = {"collectors": ["partial"], "app_records": 10, "max_requests": 2, "missing": {"rejected"}}


def emit() -> None:
    for n in range(10):
        logging.getLogger("app").info("record", extra={"event": "case.event", "n": n})
