"""Another level for a logger while the program runs, which ends by itself."""

from __future__ import annotations

import logging
from typing import Final

from discreet.content import may_be_opened
from discreet.contract import active
from discreet.errors import InvalidInputError
from discreet.forks import ForkSafeLock
from discreet.seal.types import WITHHELD, value_type
from discreet.timer import TIMER

__all__ = ["restore_levels", "set_level"]

_LONGEST: Final = 7 * 24 * 60
_LOGGER: Final = "discreet"
_MODULE: Final = value_type("module")

_lock = ForkSafeLock()
_changed: Final[dict[str, tuple[int, int]]] = {}
"""By logger: its own level, and the one that it was given."""


def set_level(logger: str, level: int | str | None, *, minutes: float = 10) -> None:
    """Give a logger another level for a while: to see more of a library while something is wrong, or less of it.

    Afterwards it has its own level again, unless somebody else has set another one meanwhile. Setting it again before
    that only changes the level and begins the time anew. Both changes are told by a record ``level_changed``. A
    content logger can't be set to DEBUG unless ``content_debug`` of :func:`discreet.configure` names it.

    Args:
        logger: the logger's name; ``"root"`` for the root logger.
        level: a level's name or number; None to give it its own level back now.
        minutes: how long it holds, up to a week.

    Raises:
        InvalidInputError: an argument is wrong, or would open a content logger; nothing was changed then.

    .. versionadded:: 0.1.0
    """
    if type(logger) is not str or not logger:
        raise InvalidInputError("must be a logger's name", param="logger")
    if level is None:
        _restore(logger)
        return
    number = _number(level)
    if type(minutes) not in (int, float) or not 0 < minutes <= _LONGEST:
        raise InvalidInputError("must be a number of minutes, up to a week", param="minutes")
    if 0 < number <= logging.DEBUG and not may_be_opened(logger):
        raise InvalidInputError(
            "is a content logger: on DEBUG it logs what customers wrote; name it in content_debug to open it",
            param="logger",
        )
    found = _find(logger)
    with _lock:
        before, given = _changed.get(logger, (found.level, found.level))
        # What somebody else has set meanwhile is what is put back.
        _changed[logger] = (before if found.level == given else found.level, number)
        _give(found, logger, number, minutes * 60)
    TIMER.at(f"level: {logger}", minutes * 60, lambda: _restore(logger))


def restore_levels() -> None:
    """Give all loggers their own levels back now."""
    for logger in list(_changed):
        _restore(logger)


def _number(level: object) -> int:
    if type(level) is str:
        number = logging.getLevelNamesMapping().get(level.upper())
        if number is not None:
            return number
    elif type(level) is int and level >= 0:
        return level
    raise InvalidInputError("must be DEBUG, INFO, WARNING, ERROR, CRITICAL or a number", param="level")


def _find(logger: str) -> logging.Logger:
    return logging.root if logger == "root" else logging.getLogger(logger)


def _restore(logger: str) -> None:
    TIMER.cancel(f"level: {logger}")
    with _lock:
        known = _changed.pop(logger, None)
        if known is None:
            return
        before, given = known
        found = _find(logger)
        if found.level != given:
            return
        if 0 < before <= logging.DEBUG and not may_be_opened(logger):
            # It was opened by a set-up that is no more.
            before = logging.INFO
        _give(found, logger, before)


def _give(found: logging.Logger, logger: str, level: int, seconds: float | None = None) -> None:
    higher = level > found.level
    if higher:
        # Afterwards nobody might hear it.
        _say(logger, level, seconds)
    found.setLevel(level)
    if not higher:
        _say(logger, level, seconds)


def _say(logger: str, level: int, seconds: float | None = None) -> None:
    from discreet.doors.report import send

    shown = logging.getLevelName(level) if level % 10 == 0 and level <= logging.CRITICAL else None
    attributes: dict[str, str | float] = {}
    if shown is not None:
        attributes["new_level"] = shown
    if seconds is not None:
        attributes["duration_s"] = float(seconds)
    # Any text can be a logger's name.
    known = _MODULE.safe(logger) is not WITHHELD
    if known:
        attributes["target"] = logger
    declared = known or logger == "root" or any(logger in one.loggers for one in active().contracts)
    name = f"Logger {logger}" if declared else "A logger"
    what = "has its own level again" if seconds is None else "has another level for a while"
    send(_LOGGER, logging.INFO, f"{name} {what}", "level_changed", attributes=attributes)
