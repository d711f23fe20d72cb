"""A dictConfig flushes and closes handlers under logging's lock, while the exporting thread logs."""

import logging
import logging.config

CASE = {"collectors": ["slow"], "level": "DEBUG", "app_records": 600, "at_least": 600}


def emit() -> None:
    for n in range(600):
        logging.getLogger("app").info("record", extra={"n": n})
    logging.config.dictConfig(
        {"version": 1, "disable_existing_loggers": False, "root": {"level": "DEBUG", "handlers": []}}
    )
    logging.getLogger("app").info("after")
    logging.shutdown()
