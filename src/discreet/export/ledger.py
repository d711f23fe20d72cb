"""The ledger: what became of every record, and what was withheld where."""

from __future__ import annotations

import builtins
import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final

from discreet.export.counts import SinkCounts, SiteCounts
from discreet.forks import ForkSafeLock

_MAX_KEYS: Final = 4096
"""Bound on distinct call sites: a program that logs from generated code must not grow the ledger forever."""


OTHER_SITES: Final = "(other call sites)"
"""Stands for the call sites beyond the bound."""

REASONS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "unproven": "no code and no contract proves the message",
        "undeclared": "no contract declares a type for the value",
        "wrong_type": "the declared type refused the value",
        "matched": "the value agrees with a text of the running call",
        "failed": "the guard failed, so all of the record was withheld",
    }
)
"""Why something is withheld.

.. versionadded:: 0.1.0
"""


PROBES: Final = "discreet.checkup"
"""The logger of the doctor's own records, of which nothing is counted. It is a module's name, so that it is proven.

.. versionadded:: 0.1.0
"""


SHOWN: Final = frozenset({"public", "let_through"})
"""Kinds of values that were shown: as declared public, and by match mode.

.. versionadded:: 0.1.0
"""


@dataclass
class Ledger:
    """Counts of records by sink, and of values withheld by call site.

    .. versionadded:: 0.1.0
    """

    sinks: dict[str, SinkCounts] = field(default_factory=dict)
    _withheld: Counter[tuple[str, str, str, str]] = field(default_factory=Counter)
    _sites: dict[tuple[str, str], SiteCounts] = field(default_factory=dict)
    _failures: Counter[tuple[str, str]] = field(default_factory=Counter)
    _undeclared: Counter[str] = field(default_factory=Counter)
    _lock: ForkSafeLock = field(default_factory=ForkSafeLock)
    places: dict[str, tuple[str, int]] = field(default_factory=dict)
    """Module and line of the call sites for which they are known."""

    scopes: dict[str, tuple[str, str]] = field(default_factory=dict)
    """What was withheld from in sites that are none of calls, ``span`` or ``log``, and the scope that made it."""

    on_first: Callable[[], None] | None = None
    """Called once, when something is withheld or fails for the first time after it was set."""

    on_failure: Callable[[str], None] | None = None
    """Called with the place of each failure, until it takes itself out."""

    def sink(self, name: str) -> SinkCounts:
        """Return the counts of a sink, made at the first call.

        Args:
            name: what the operator calls the sink, such as ``json`` or ``spans``.
        """
        with self._lock:
            found = self.sinks.get(name)
            if found is None:
                found = self.sinks[name] = SinkCounts(name)
            return found

    def withhold(
        self,
        site: str,
        logger: str,
        kind: str,
        count: int = 1,
        *,
        reason: str = "undeclared",
        place: tuple[str, int] | None = None,
        scope: tuple[str, str] | None = None,
    ) -> None:
        """Count values that were left out of a record.

        Args:
            site: module, function and line of the log call, or ``?`` when it is not known.
            logger: the logger's name as it is shown.
            kind: ``message``, ``argument``, ``attribute``, ``exception`` and the like.
            count: how many values.
            reason: a key of :data:`REASONS`.
            place: module and line of the call site, where they are known.
            scope: ``span`` or ``log``, and its instrumentation scope as it is shown; "" for one that isn't.
        """
        if logger == PROBES:
            return
        key = (site, logger, reason, kind)
        with self._lock:
            if key not in self._withheld and len(self._withheld) >= _MAX_KEYS:
                key = (OTHER_SITES, "", reason, kind)
            elif place is not None:
                self.places[site] = place
            elif scope is not None:
                self.scopes[site] = scope
            self._withheld[key] += count
        self._begin()

    def counts_of(self, site: str, logger: str, place: tuple[str, int] | None = None) -> SiteCounts:
        """Return counts that a call site adds to by itself.

        Args:
            site: module, function and line of the log call.
            logger: the logger's name as it is shown.
            place: module and line of it, where they are known.
        """
        if logger == PROBES:
            return SiteCounts(site, logger)
        with self._lock:
            found = self._sites.get((site, logger))
            if found is None:
                if len(self._sites) >= _MAX_KEYS:
                    site, logger = OTHER_SITES, ""
                elif place is not None:
                    self.places[site] = place
                found = self._sites.setdefault((site, logger), SiteCounts(site, logger))
        self._begin()
        return found

    def note(self, counts: SiteCounts, noted: Iterable[tuple[str, str]]) -> None:
        """Count what was noted of single values: those shown as declared public, those withheld for a rare reason.

        Args:
            counts: of the call site.
            noted: reason and kind of each.
        """
        with self._lock:
            for reason, kind in noted:
                if reason == "declared":
                    counts.public += 1
                elif kind == "let_through":
                    counts.let_through += 1
                else:
                    counts.others[reason, kind] = counts.others.get((reason, kind), 0) + 1

    def _begin(self) -> None:
        # Whoever reports the counts is woken by the first of them, so that a process that counts nothing has no timer.
        if self.on_first is not None:
            begin, self.on_first = self.on_first, None
            try:
                begin()
            except (RecursionError, MemoryError):
                # Near the limit of the stack or of memory, where a log call may be too: with the next one, then.
                self.on_first = begin

    def failure(self, where: str, error: BaseException) -> None:
        """Count a failure of our own code; nothing of the error but its class is kept."""
        with self._lock:
            kind = type(error)
            # By identity: a class can call itself whatever it likes.
            own = vars(builtins).get(kind.__name__) is kind
            self._failures[where, kind.__name__ if own else "Exception"] += 1
        self._begin()
        if self.on_failure is not None:
            self.on_failure(where)

    def undeclared(self, kind: str) -> bool:
        """Count an event or code that no contract declares.

        Returns:
            Whether it is the first of its kind, so that it is complained of once.
        """
        with self._lock:
            self._undeclared[kind] += 1
            return self._undeclared[kind] == 1

    @property
    def withheld(self) -> dict[tuple[str, str, str, str], int]:
        """Values withheld, by (call site, logger, reason, kind); of the kinds in :data:`SHOWN` those shown."""
        with self._lock:
            found = self._withheld.copy()
            for counts in self._sites.values():
                for reason, kind, count in counts.by_reason():
                    found[counts.site, counts.logger, reason, kind] += count
            return dict(found)

    @property
    def failures(self) -> dict[tuple[str, str], int]:
        """Failures of our own code, by (place, class of the error)."""
        with self._lock:
            return dict(self._failures)

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain values for a report or a test."""
        with self._lock:
            return {
                "sinks": {name: counts.as_dict() for name, counts in self.sinks.items()},
                "withheld": [
                    {"site": site, "logger": logger, "reason": reason, "kind": kind, "count": count}
                    for (site, logger, reason, kind), count in Counter(self.withheld).most_common()
                ],
                "failures": [
                    {"where": where, "error": error, "count": count}
                    for (where, error), count in self._failures.most_common()
                ],
                "undeclared": dict(self._undeclared),
            }

    def table(self) -> str:
        """Return everything as tables for people: the sinks, what was withheld and why, what failed.

        .. versionadded:: 0.1.0
        """
        from discreet.export.ledger_table import table

        return table(self.as_dict())

    def __str__(self) -> str:
        return self.table()

    def clear(self) -> None:
        """Forget all counts; for a new set-up and for tests."""
        with self._lock:
            # In place: handlers hold the counts of their sink.
            for sink in self.sinks.values():
                sink.clear()
            self._withheld.clear()
            for counts in self._sites.values():
                counts.clear()
            self._failures.clear()
            self._undeclared.clear()


LEDGER: Final = Ledger()
"""The ledger of this process.

.. versionadded:: 0.1.0
"""


def _begin_child() -> None:
    """Start at zero in a forked child: what its parent wrote, the parent counts, and what waits there waits there."""
    for sink in LEDGER.sinks.values():
        sink.pending = 0
    LEDGER.clear()


if hasattr(os, "register_at_fork"):
    # After the hook of discreet.forks, so that every lock can be taken.
    os.register_at_fork(after_in_child=_begin_child)
