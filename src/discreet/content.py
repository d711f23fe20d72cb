"""Content loggers: the one place for customer text, closed unless somebody opens it by name."""

from __future__ import annotations

import logging
import time
from collections.abc import Collection
from typing import Final

import discreet.reporter  # noqa: F401  # reports begin with the first value that is withheld
from discreet.contract import Registry, active
from discreet.forks import ForkSafeLock
from discreet.timer import TIMER

REMINDER: Final = 3600.0
"""Seconds between two reminders that a content logger is open."""

_lock = ForkSafeLock()
_next_reminder = 0.0


_named: frozenset[str] = frozenset()
"""The content loggers that the set-up in force opens."""


def may_be_opened(name: str) -> bool:
    """Tell whether a logger may be set to DEBUG: a content logger only if the set-up in force names it."""
    return name in _named or not any(name in one.content_loggers for one in active().contracts)


class Levels:
    """The levels that a set-up gave to the root logger and to content loggers, and the way back."""

    def __init__(self) -> None:
        self._given: dict[logging.Logger, tuple[int, int]] = {}

    def give(self, registry: Registry, open_ones: Collection[str], level: int) -> None:
        """Set the root logger's level, and each content logger to INFO or above, or to DEBUG if it was named.

        A content logger without a level of its own would inherit DEBUG from the root logger.

        Args:
            registry: the active contracts.
            open_ones: content loggers to open.
            level: the root logger's level, which a closed content logger does not go below.
        """
        global _named
        _named = frozenset(open_ones)
        levels: dict[logging.Logger, int] = {logging.root: level}
        for contract in registry.contracts:
            for name in contract.content_loggers:
                levels[logging.getLogger(name)] = logging.DEBUG if name in open_ones else max(logging.INFO, level)
        for logger in self._given.keys() - levels.keys():
            self._take_back(logger)
        for logger, number in levels.items():
            before, given = self._given.get(logger, (logger.level, logger.level))
            # What somebody else has set meanwhile is what is put back.
            self._given[logger] = (before if logger.level == given else logger.level, number)
            logger.setLevel(number)

    def take_back(self) -> None:
        """Put the levels back, but for those that somebody else has changed; no content logger is opened by it."""
        global _named
        _named = frozenset()
        for logger in list(self._given):
            self._take_back(logger)

    def _take_back(self, logger: logging.Logger) -> None:
        before, given = self._given.pop(logger)
        if logger.level != given:
            return
        if before == logging.DEBUG and logger is not logging.root:
            before = logging.INFO
        logger.setLevel(before)


def is_open(name: object) -> bool:
    """Tell whether DEBUG is set on the content logger itself: a level that it inherits opens nothing."""
    logger = logging.root.manager.loggerDict.get(name)  # type: ignore[call-overload]
    return isinstance(logger, logging.Logger) and logger.level == logging.DEBUG


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
        # Also where nothing is logged meanwhile. One who opens a logger later is noticed by its first record.
        TIMER.at("content reminder", REMINDER, warn_if_content_is_open)
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
