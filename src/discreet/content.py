"""Content loggers: the one place for customer text, closed unless somebody opens it by name."""

from __future__ import annotations

import logging
import time
from collections.abc import Collection
from typing import Final

from discreet.contract import Registry, active
from discreet.forks import ForkSafeLock

REMINDER: Final = 3600.0
"""Seconds between two reminders that a content logger is open."""

_lock = ForkSafeLock()
_next_reminder = 0.0


def close_content_loggers(registry: Registry, open_ones: Collection[str] = (), level: int = logging.INFO) -> None:
    """Set every content logger to INFO or above, and those that the operator named to DEBUG.

    A content logger without a level of its own would inherit DEBUG from the root logger.

    Args:
        registry: the active contracts.
        open_ones: content loggers to open.
        level: the root logger's level, which a closed content logger does not go below.
    """
    for contract in registry.contracts:
        for name in contract.content_loggers:
            logging.getLogger(name).setLevel(logging.DEBUG if name in open_ones else max(logging.INFO, level))


def open_content_loggers() -> list[str]:
    """Return the content loggers on which DEBUG is set."""
    loggers = logging.root.manager.loggerDict
    return [
        name
        for contract in active().contracts
        for name in contract.content_loggers
        if isinstance(logger := loggers.get(name), logging.Logger) and logger.level == logging.DEBUG
    ]


def warn_if_content_is_open() -> None:
    """Log a WARNING while any content logger is open."""
    global _next_reminder
    with _lock:
        _next_reminder = time.monotonic() + REMINDER
    found = open_content_loggers()
    if found:
        logging.getLogger("discreet").warning(
            "Customer text may be logged: a content logger is set to DEBUG",
            extra={"event": "content_logging_enabled", "open_loggers": len(found)},
        )


def reminder_is_due() -> bool:
    """Tell whether the hourly reminder should be looked at; True once an hour for one caller only."""
    global _next_reminder
    now = time.monotonic()
    if now < _next_reminder:
        return False
    with _lock:
        if now < _next_reminder:
            return False
        _next_reminder = now + REMINDER
    return True
