"""Two thousand records while the collector is away, silent, overloaded or mad."""

import logging

CASE = {
    "collectors": ["refused", "black hole", "503", "429", "reset", "garbage", "slow"],
    "app_records": 2000,
    "shutdown": 1.0,
}


def emit() -> None:
    for n in range(2000):
        logging.getLogger("app").info("record", extra={"event": "case.event", "n": n})
