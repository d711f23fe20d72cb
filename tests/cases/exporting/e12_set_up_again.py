"""Set up three times, the handlers taken off between: still one record for one call."""

import logging

CASE = {"collectors": ["ok"], "app_records": 1, "set_ups": 3}


def emit() -> None:
    logging.getLogger("app").info("once", extra={"event": "case.event"})
