"""Filters of an operator's own: one looks at arguments, one puts a field on each record."""

from __future__ import annotations

import logging


class NoHealth(logging.Filter):
    """Keeps the access lines of health checks out."""

    def filter(self, record: logging.LogRecord) -> bool:
        return not isinstance(record.args, tuple) or record.args[2] != "/health"


class Correlation(logging.Filter):
    """Gives each record the id of its request."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.correlation_id = "request 7"
        return True
