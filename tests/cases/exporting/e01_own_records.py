"""What the exporter and its HTTP client log comes back through the root handler, and would be exported again."""

import logging

CASE = {"collectors": ["ok", "refused"], "level": "DEBUG", "app_records": 1, "max_requests": 4}


def emit() -> None:
    logging.getLogger("app").info("one record", extra={"event": "case.event"})
