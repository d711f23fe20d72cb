"""What the ledger says of itself: records of what was withheld and what failed, every ten minutes and at close."""

from __future__ import annotations

import atexit
import logging
import os
import sys
from collections.abc import Mapping
from types import ModuleType
from typing import Any, Final

from discreet.environment import setting
from discreet.errors import ConfigurationError
from discreet.export.ledger import LEDGER, SHOWN, Ledger
from discreet.forks import ForkSafeLock
from discreet.timer import TIMER, Timer

__all__ = ["EVERY", "REPORTER", "Reporter", "failures", "is_of_the_guard", "read_every"]

EVERY: Final = 600.0
"""Seconds between two reports.

.. versionadded:: 0.1.0
"""

LARGEST: Final = 20
"""How many call sites one report has a record each of; the rest stand in one more.

.. versionadded:: 0.1.0
"""

_LONGEST: Final = 7 * 24 * 3600
_LOGGER: Final = "discreet"
_JOB: Final = "report"
_FIRST: Final = "first failure"
_NOT_THE_GUARD: Final = (
    "handler ",
    "call text",
    "timer",
    "stderr",
    "spans",
    "span_file",
    "console",
    "report",
    "own record",
    "otlp",
    "exit",
    "metrics",
)

_FROM: Final = {"span": " in spans", "log": " in log records"}


def is_of_the_guard(where: str) -> bool:
    """Tell whether a failure withheld a record; others lose one, a number, or what a call's texts are.

    Args:
        where: the place that the ledger counts it at.

    .. versionadded:: 0.1.0
    """
    return not where.startswith(_NOT_THE_GUARD)


_Key = tuple[str, str, str, str]


def read_every(value: object, place: str) -> float:
    """Return how many seconds there are between two reports.

    Args:
        value: a number of seconds up to a week; 0 for no reports.
        place: which setting it is.

    Raises:
        ConfigurationError: it is something else.

    .. versionadded:: 0.1.0
    """
    if type(value) in (int, float) and 0 <= value <= _LONGEST:  # type: ignore[operator]  # a number by then
        return float(value)  # type: ignore[arg-type]  # the same
    raise ConfigurationError(
        "must be a number of seconds up to a week", place=place, remedy="Use 0 for no reports, or leave it out for 600."
    )


class Reporter:
    """Logs what was withheld since it last did, and which failures of the guard there were.

    It begins with the first value that is withheld, so that a process which withholds nothing has no thread for it.
    Its records hold numbers, names of modules and words of this contract only: they add nothing to the ledger.

    Args:
        ledger: whose counts to report.
        timer: what calls it.

    .. versionadded:: 0.1.0
    """

    def __init__(self, ledger: Ledger, timer: Timer) -> None:
        self._ledger = ledger
        self._timer = timer
        self._every: float | None = None
        self._lock = ForkSafeLock()
        self._withheld: dict[_Key, int] = {}
        self._failed: dict[str, int] = {}
        self._at_exit = False

    def watch(self, every: float | None = None) -> None:
        """Report from now on, as soon as there is something.

        Args:
            every: seconds between two reports, 0 for none at all; None for ``DISCREET_REPORT_EVERY``, else 600.
        """
        if self._every == 0.0:
            # What was counted while it was off is nothing that was to be reported.
            self.forget()
        self._every = every
        self._timer.cancel(_JOB)
        self._ledger.on_first = self.begin
        self._ledger.on_failure = self.first_failure
        if self._ledger.withheld or self._ledger.failures:
            self._ledger.on_first = None
            self.begin()

    def begin(self) -> None:
        """Start the timer: there is something to report. Never raises, because a log call came here."""
        if self._every is None:
            try:
                self._every = read_every(setting("report_every", EVERY), "DISCREET_REPORT_EVERY")
            except ConfigurationError as error:
                # Only configure() can tell the operator; reports are worth more than a wrong variable.
                self._every = EVERY
                self._ledger.failure("report_every", error)
        if self._every <= 0:
            return
        if not self._at_exit:
            self._at_exit = True
            # After that of logging, so that it runs before it: the handlers are open then.
            atexit.register(self.close)
        self._timer.at(_JOB, self._every, self._round)

    def first_failure(self, where: str) -> None:
        """Say soon that the guard failed, in the timer's thread: where it failed a record is on its way.

        Only of the first failure, the next report tells of the others. An operator shouldn't wait ten minutes to know.

        Args:
            where: the place of a failure.
        """
        if not is_of_the_guard(where):
            return
        self._ledger.on_failure = None
        if self._every is not None and self._every > 0:
            self._timer.at(_FIRST, 0.0, self._first)

    def _first(self) -> None:
        try:
            if _heard():
                self._say_failures()
        except Exception as error:
            # A handler of somebody else's may raise whatever it likes.
            self._ledger.failure("report", error)

    def _round(self) -> float | None:
        self.report()
        return self._every if self._every and self._every > 0 else None

    def report(self) -> None:
        """Log what was counted since the last report, if it is on and somebody listens. Never raises."""
        try:
            if self._every and _heard():
                self._report()
        except Exception as error:
            # A handler of somebody else's may raise whatever it likes, and so end a timer or the set-up's close().
            self._ledger.failure("report", error)

    def _report(self) -> None:
        largest = sorted(self._news().items(), key=lambda item: (-item[1], item[0]))
        for key, count in largest[:LARGEST]:
            _say_withheld(count, _FROM.get(self._ledger.scopes.get(key[0], ("", ""))[0], ""), **self._place(key))
        rest = largest[LARGEST:]
        if rest:
            _say_withheld(sum(count for _, count in rest), sites=len({key[:2] for key, _ in rest}))
        self._say_failures()

    def _say_failures(self) -> None:
        for error_type, count in self.failures().items():
            _say_failed(error_type, count)

    def _news(self) -> dict[_Key, int]:
        with self._lock:
            now = {key: count for key, count in self._ledger.withheld.items() if key[3] not in SHOWN}
            before = self._withheld
            self._withheld = now
        return _more(now, before)

    def _place(self, key: _Key) -> dict[str, Any]:
        site, _, reason, kind = key
        module, line = self._ledger.places.get(site, (None, None))
        found: dict[str, Any] = {"reason": reason, "kind": kind}
        if module is not None and type(sys.modules.get(module)) is ModuleType:
            found |= {"module": module, "line": line}
        if site in self._ledger.scopes:
            from discreet.seal.types import value_type

            scope = value_type("module").safe(self._ledger.scopes[site][1])
            if type(scope) is str:
                found["scope"] = scope
        return found

    def failures(self) -> dict[str, int]:
        """Return the failures of the guard since this was last asked, by class of the error.

        What goes wrong in handlers and sinks isn't among them: their records are missing, not withheld.
        """
        with self._lock:
            now: dict[str, int] = {}
            for (where, error), count in self._ledger.failures.items():
                if is_of_the_guard(where):
                    now[error] = now.get(error, 0) + count
            before = self._failed
            self._failed = now
        return _more(now, before)

    def forget(self) -> None:
        """Take what was counted so far as reported: in a forked child it is the parent's to report."""
        self._news()
        self.failures()

    def close(self) -> None:
        """Report what is left, and stop."""
        self.report()
        self._timer.cancel(_JOB)

    def reset(self) -> None:
        """Be as at the start of the process; for tests."""
        self._timer.clear()
        self._every = None
        self.forget()
        self._ledger.on_first = self.begin


def _more(now: Mapping[Any, int], before: Mapping[Any, int]) -> dict[Any, int]:
    """Return by how much counts grew; those that are smaller began anew."""
    found = {}
    for key, count in now.items():
        known = before.get(key, 0)
        more = count - known if count >= known else count
        if more:
            found[key] = more
    return found


def _heard() -> bool:
    logger = logging.getLogger(_LOGGER)
    return logger.hasHandlers() and logger.isEnabledFor(logging.INFO)


def _say_withheld(count: int, where: str = "", **attributes: Any) -> None:
    from discreet.doors.report import send

    what = f"{count} value{'' if count == 1 else 's'} withheld{where}"
    if "sites" in attributes:
        what += f" at {attributes['sites']} other call sites"
    elif "module" in attributes:
        what += f" at {attributes['module']}:{attributes['line']}"
    elif "scope" in attributes:
        what += f" of {attributes['scope']}"
    if "kind" in attributes:
        what += f": {attributes['kind']}, {attributes['reason']}"
    send(_LOGGER, logging.INFO, what, "content_withheld", attributes={"count": count, **attributes})


def _say_failed(error_type: str, count: int) -> None:
    from discreet.doors.report import send

    attributes: dict[str, str | int] = {"error_type": error_type, "count": count}
    send(_LOGGER, logging.ERROR, "The guard failed and withheld all of a record", "guard_failed", attributes=attributes)


REPORTER: Final = Reporter(LEDGER, TIMER)
"""The reporter of this process.

.. versionadded:: 0.1.0
"""

LEDGER.on_first = REPORTER.begin
LEDGER.on_failure = REPORTER.first_failure
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=REPORTER.forget)


def failures() -> dict[str, int]:
    """Return the failures of the guard since this was last asked, by class of the error.

    .. versionadded:: 0.1.0
    """
    return REPORTER.failures()
