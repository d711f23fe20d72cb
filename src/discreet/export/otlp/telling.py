"""Tells the operator of records that are missing, now and then, on the sinks that still work."""

from __future__ import annotations

import logging
import time
from collections import Counter
from typing import Final

from discreet.export.counts import SinkCounts

__all__ = ["Telling"]

INTERVAL: Final = 60.0
"""Seconds between two records about one sink."""


class Telling:
    """Logs ``records_missing`` at WARNING: at once for the first of each reason, then once a minute.

    It is called in a thread that is exporting, so the record reaches every sink but those that export.

    .. versionadded:: 0.1.0
    """

    def __init__(self) -> None:
        self._told: Counter[str] = Counter()
        self._next: dict[str, float] = {}

    def __call__(self, counts: SinkCounts, *, last: bool) -> None:
        """Say what is missing since it was said last.

        Args:
            counts: of the sink.
            last: whether there is no later time to say it.
        """
        log = logging.getLogger("discreet")
        if not log.hasHandlers():
            # Logging's handler of last resort would print the sentence without its numbers.
            return
        with counts.lock:
            missing = counts.missing_by_reason.copy()
        now = time.monotonic()
        for reason, count in missing.items():
            new = count - self._told[reason]
            if new > 0 and (last or now >= self._next.get(reason, 0.0)):
                self._next[reason] = now + INTERVAL
                self._told[reason] = count
                log.warning(
                    "Records are missing in a sink",
                    extra={"event": "records_missing", "sink": counts.name, "reason": reason, "count": new},
                )
