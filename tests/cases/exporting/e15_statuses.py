"""Which answers are asked again, and that a server that fails now and then ends with one copy of each."""

import logging

CASE = {"collectors": ["429", "413", "400", "flaky"], "app_records": 100, "max_requests": 210}


def emit() -> None:
    for n in range(100):
        logging.getLogger("app").info("record", extra={"event": "case.event", "n": n, "pad": 1_234_567})
