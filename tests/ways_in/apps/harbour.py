"""A library with a contract of its own, and what it logs about a customer's text."""

from __future__ import annotations

import logging

log = logging.getLogger("harbour")
other = logging.getLogger("somewhere.else")


def run(text: str) -> None:
    """Log an event with a duration, a warning, an error, and a record of a logger that no contract names."""
    moored = {"event": "boat_moored", "berth": 12, "tenant": "8f14e45fceea167a", "duration_ms": 250.0, "captain": text}
    log.info("Moored %s", text, extra=moored)
    log.warning("Tide table is old", extra={"warning_code": "tide_table_old"})
    try:
        raise ValueError(text)
    except ValueError:
        log.exception("No berth for %s", text)
    other.info("Waved to %s", text, extra={"tenant": "8f14e45fceea167a"})
