"""The ledger: what became of every record, and what was withheld where."""

from __future__ import annotations

import builtins
import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from discreet.forks import ForkSafeLock

PENDING: Final = "pending"
"""The reason of records that wait for an acknowledgement: they are missing until it comes.

.. versionadded:: 0.1.0
"""

_MAX_KEYS: Final = 4096
"""Bound on distinct call sites: a program that logs from generated code must not grow the ledger forever."""


class SinkCounts:
    """The counts of one sink: total = eligible + filtered, eligible = observed + missing.

    ``observed`` means that the sink took the record: ``emit`` returned and ``handleError`` was not called. Of a sink
    on another machine it means that the machine acknowledged the record; until then it is missing as ``pending``.

    .. versionadded:: 0.1.0
    """

    __slots__ = ("cut", "filtered", "lock", "missing_by_reason", "name", "observed", "pending")

    def __init__(self, name: str) -> None:
        self.name = name
        self.filtered = 0
        self.observed = 0
        self.pending = 0
        self.cut = 0
        self.missing_by_reason: Counter[str] = Counter()
        self.lock = ForkSafeLock()

    def count_observed(self, count: int = 1) -> None:
        """Count records that the sink took."""
        with self.lock:
            self.observed += count

    def count_filtered(self) -> None:
        """Count one record that a filter of the sink refused."""
        with self.lock:
            self.filtered += 1

    def count_missing(self, reason: str, count: int = 1) -> None:
        """Count records that were meant for the sink and did not reach it.

        Args:
            reason: a fixed word such as ``write_failed``; never text of the record or of an exception.
            count: how many records.
        """
        with self.lock:
            self.missing_by_reason[reason] += count

    def count_cut(self, count: int = 1) -> None:
        """Count records that were shortened to keep the sink's limit."""
        with self.lock:
            self.cut += count

    def settle(self, observed: int, missing: Mapping[str, int]) -> None:
        """Count what became of pending records.

        Args:
            observed: how many the sink acknowledged.
            missing: how many it did not, by reason.
        """
        with self.lock:
            self.pending -= observed + sum(missing.values())
            self.observed += observed
            for reason, count in missing.items():
                if count:
                    self.missing_by_reason[reason] += count

    def clear(self) -> None:
        """Start anew at zero; what is pending stays so."""
        with self.lock:
            self.filtered = self.observed = self.cut = 0
            self.missing_by_reason.clear()

    @property
    def missing(self) -> int:
        """Records that were eligible and are not known to be in the sink."""
        return self.missing_by_reason.total() + self.pending

    @property
    def eligible(self) -> int:
        """Records that should be in the sink."""
        return self.observed + self.missing

    @property
    def total(self) -> int:
        """Records that were offered to the sink."""
        return self.eligible + self.filtered

    def as_dict(self) -> dict[str, Any]:
        """Return the counts as plain values, taken at one moment."""
        with self.lock:
            return {
                "total": self.total,
                "eligible": self.eligible,
                "filtered": self.filtered,
                "observed": self.observed,
                "missing": self.missing,
                "missing_by_reason": {**self.missing_by_reason, **({PENDING: self.pending} if self.pending else {})},
                "cut": self.cut,
            }


class SiteCounts:
    """What one call site withheld, and showed as declared public: plain numbers, because they grow with every record.

    CPython switches threads and runs signal handlers only between a call or a jump and the next instruction, and
    ``+=`` on a slot holds neither, so that no count is lost.
    """

    __slots__ = ("arguments", "attributes", "logger", "messages", "public", "site")

    def __init__(self, site: str, logger: str) -> None:
        self.site = site
        self.logger = logger
        self.messages = 0
        self.arguments = 0
        self.attributes = 0
        self.public = 0


@dataclass
class Ledger:
    """Counts of records by sink, and of values withheld by call site.

    .. versionadded:: 0.1.0
    """

    sinks: dict[str, SinkCounts] = field(default_factory=dict)
    _withheld: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    _sites: dict[tuple[str, str], SiteCounts] = field(default_factory=dict)
    _failures: Counter[tuple[str, str]] = field(default_factory=Counter)
    _undeclared: Counter[str] = field(default_factory=Counter)
    _lock: ForkSafeLock = field(default_factory=ForkSafeLock)

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

    def withhold(self, site: str, logger: str, kind: str, count: int = 1) -> None:
        """Count values that were left out of a record.

        Args:
            site: module, function and line of the log call, or ``?`` when it is not known.
            logger: the logger's name as it is shown.
            kind: ``message``, ``argument``, ``attribute``, ``exception`` and the like.
            count: how many values.
        """
        key = (site, logger, kind)
        with self._lock:
            if key not in self._withheld and len(self._withheld) >= _MAX_KEYS:
                key = ("(other call sites)", "", kind)
            self._withheld[key] += count

    def counts_of(self, site: str, logger: str) -> SiteCounts:
        """Return counts that a call site adds to by itself.

        Args:
            site: module, function and line of the log call.
            logger: the logger's name as it is shown.
        """
        with self._lock:
            found = self._sites.get((site, logger))
            if found is None:
                if len(self._sites) >= _MAX_KEYS:
                    site, logger = "(other call sites)", ""
                found = self._sites.setdefault((site, logger), SiteCounts(site, logger))
            return found

    def failure(self, where: str, error: BaseException) -> None:
        """Count a failure of our own code; nothing of the error but its class is kept."""
        with self._lock:
            kind = type(error)
            # By identity: a class can call itself whatever it likes.
            own = vars(builtins).get(kind.__name__) is kind
            self._failures[where, kind.__name__ if own else "Exception"] += 1

    def undeclared(self, kind: str) -> bool:
        """Count an event or code that no contract declares.

        Returns:
            Whether it is the first of its kind, so that it is complained of once.
        """
        with self._lock:
            self._undeclared[kind] += 1
            return self._undeclared[kind] == 1

    @property
    def withheld(self) -> dict[tuple[str, str, str], int]:
        """Values withheld, by (call site, logger, kind); of kind ``public`` those shown as declared so."""
        with self._lock:
            found = self._withheld.copy()
            for counts in self._sites.values():
                for kind, count in (
                    ("message", counts.messages),
                    ("argument", counts.arguments),
                    ("attribute", counts.attributes),
                    ("public", counts.public),
                ):
                    if count:
                        found[counts.site, counts.logger, kind] += count
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
                    {"site": site, "logger": logger, "kind": kind, "count": count}
                    for (site, logger, kind), count in Counter(self.withheld).most_common()
                ],
                "failures": [
                    {"where": where, "error": error, "count": count}
                    for (where, error), count in self._failures.most_common()
                ],
                "undeclared": dict(self._undeclared),
            }

    def clear(self) -> None:
        """Forget all counts; for a new set-up and for tests."""
        with self._lock:
            # In place: handlers hold the counts of their sink.
            for sink in self.sinks.values():
                sink.clear()
            self._withheld.clear()
            for counts in self._sites.values():
                counts.messages = counts.arguments = counts.attributes = counts.public = 0
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
