"""A level has one spelling in both sinks, and its number in OTLP."""

import logging

CASE = {"collectors": ["ok"], "level": "DEBUG", "app_records": 5, "severities": {10: 5, 20: 9, 30: 13, 40: 17, 50: 21}}


def emit() -> None:
    for level in (10, 20, 30, 40, 50):
        logging.getLogger("app").log(level, "said", extra={"n": level})
