"""A limit for the records of one call site, so that a loop that logs doesn't bury the rest."""

from __future__ import annotations

import logging
import os
import re
import threading
import weakref
from typing import Any, Final

from discreet.errors import ConfigurationError
from discreet.exits import at_exit, not_at_exit
from discreet.forks import ForkSafeLock
from discreet.seal.types import WITHHELD, value_type
from discreet.seal.values import MAX_INT
from discreet.timer import TIMER, Timer

__all__ = ["RateLimit", "read_rate", "tell_all"]

_RATE: Final = re.compile(
    r"\s*([1-9]\d{0,6})\s*/\s*([1-9]\d{0,4})?\s*(s|sec|second|seconds|m|min|minute|minutes|h|hour|hours|d|day|days)\s*"
)
_SECONDS: Final = {"s": 1, "m": 60, "h": 3600, "d": 86400}
_LONGEST: Final = 24 * 3600
_MAX_SITES: Final = 4096
_LARGEST: Final = 20
_LOGGER: Final = "discreet"
_MODULE: Final = value_type("module")

_Site = tuple[str, int, str]

_limits: Final[weakref.WeakSet[RateLimit]] = weakref.WeakSet()
"""Those of this process."""
_limits_lock: Final = ForkSafeLock()


def tell_all() -> None:
    """Say of every limit how many records were left out since this was last said.

    .. versionadded:: 0.1.0
    """
    with _limits_lock:
        limits = list(_limits)
    for limit in limits:
        limit.tell()


def read_rate(value: object, place: str) -> tuple[int, int] | None:
    """Return how many records a call site may log in how many seconds.

    Args:
        value: a text such as ``100/min`` or ``20/10s``; None for no limit.
        place: which setting it is.

    Raises:
        ConfigurationError: it is something else.
    """
    if value is None:
        return None
    match = _RATE.fullmatch(value) if type(value) is str else None
    seconds = int(match[2] or 1) * _SECONDS[match[3][0]] if match is not None else 0
    if match is None or seconds > _LONGEST:
        raise ConfigurationError(
            "must be records per time, up to a day", place=place, remedy="Write, for example, 100/min or 20/10s."
        )
    return int(match[1]), seconds


class RateLimit(logging.Filter):
    """Lets so many records of one call site through in each period, and counts the rest.

    A call site is what logging itself takes for one: file, line and logger. Records at ERROR and above always go
    through, and so do discreet's own. After each period in which something was left out, one record
    ``records_left_out`` for each call site says how many.

    In a logging configuration it is named as a filter of each handler that it is for, and one decision holds for all
    of them. What discreet's handlers don't get by it they count as filtered.

    Args:
        rate: such as ``"100/min"`` or ``"20/10s"``, up to a day.
        timer: what tells the periods; not for configurations.

    Raises:
        ConfigurationError: the rate can't be read.

    .. versionadded:: 0.1.0
    """

    def __init__(self, rate: str, *, timer: Timer = TIMER) -> None:
        super().__init__()
        read = read_rate(rate, "rate")
        if read is None:
            raise ConfigurationError("must be records per time", place="rate", remedy="Write, for example, 100/min.")
        self._limit, self._period = read
        self._timer = timer
        self._lock = ForkSafeLock()
        self._ends = 0.0
        self._counts: dict[_Site, int] = {}
        self._left_out: dict[_Site, int] = {}
        self._local = threading.local()
        self._job = f"rate limit: {id(self)}"
        self._process = os.getpid()
        self._at_exit = False
        self._ending = False
        with _limits_lock:
            _limits.add(self)

    def filter(self, record: logging.LogRecord) -> bool:
        """Tell whether a record goes through; the same for all handlers that ask."""
        d = record.__dict__
        name, level = d.get("name"), d.get("levelno")
        if type(level) is not int or level >= logging.ERROR or type(name) is not str or _is_ours(name):
            return True
        last: tuple[Any, bool] | None = getattr(self._local, "last", None)
        if last is not None and last[0]() is record:
            return last[1]
        path, line = d.get("pathname"), d.get("lineno")
        passes = type(path) is not str or type(line) is not int or self._count((path, line, name))
        self._local.last = (weakref.ref(record), passes)
        return passes

    def _count(self, site: _Site) -> bool:
        begin = False
        with self._lock:
            self._forget_parent()
            if self._ending:
                return True
            now = self._timer.clock()
            if now >= self._ends:
                self._counts = {}
                self._ends = now + self._period
            count = self._counts.get(site, 0) + 1
            if count > self._limit:
                begin = not self._left_out
                self._left_out[site] = self._left_out.get(site, 0) + 1
            elif count > 1 or len(self._counts) < _MAX_SITES:
                self._counts[site] = count
        if begin:
            if not self._at_exit:
                self._at_exit = True
                at_exit(self._end)
            self._timer.at(self._job, max(0.0, self._ends - now), self.tell)
        return count <= self._limit

    def _forget_parent(self) -> None:
        """In a forked child, leave to the parent to tell what it left out."""
        process = os.getpid()
        if process != self._process:
            self._process = process
            self._left_out = {}
            self._ending = False

    def tell(self) -> None:
        """Say how many records were left out since this was last said."""
        with self._lock:
            self._forget_parent()
            found, self._left_out = self._left_out, {}
        self._timer.cancel(self._job)
        largest = sorted(found.items(), key=lambda item: (-item[1], item[0]))
        for (path, line, _), count in largest[:_LARGEST]:
            # Whoever makes records himself may give them any file and line.
            module = _MODULE.safe(path) if 0 <= line <= MAX_INT else WITHHELD
            _say(count, {} if module is WITHHELD else {"module": module, "line": line})
        rest = largest[_LARGEST:]
        if rest:
            _say(sum(count for _, count in rest), {"sites": len(rest)})

    def _end(self) -> None:
        # What other functions log at the end goes through: nobody would tell that it was left out.
        self._ending = True
        self.tell()

    def close(self) -> None:
        """Say what is left, and do without the exit of the process: another set-up takes this one's place."""
        self.tell()
        with self._lock:
            self._at_exit = False
        not_at_exit(self._end)


def _is_ours(name: str) -> bool:
    return name == _LOGGER or name.startswith(f"{_LOGGER}.")


def _say(count: int, attributes: dict[str, Any]) -> None:
    from discreet.doors.report import send

    where = f" at {attributes['module']}:{attributes['line']}" if "module" in attributes else ""
    where = f" at {attributes['sites']} other call sites" if "sites" in attributes else where
    message = f"{count} record{'' if count == 1 else 's'} left out{where}"
    send(_LOGGER, logging.WARNING, message, "records_left_out", attributes={**attributes, "count": count})
