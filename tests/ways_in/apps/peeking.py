"""A filter of the operator's own."""

from __future__ import annotations

import logging
import sys


class Peeking(logging.Filter):
    """Writes the arguments that it sees to standard error."""

    def filter(self, record: logging.LogRecord) -> bool:
        print(record.args, file=sys.stderr)
        return True
