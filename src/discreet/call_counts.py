"""How many calls were started and how each of them ended, by operation."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any, Final, Literal

from discreet.forks import ForkSafeLock

__all__ = ["CALLS", "OUTCOMES", "CallCounts", "Counted", "Outcome"]

Outcome = Literal["ok", "degraded", "error", "cancelled"]
"""How a call ended: correct; correct, with warnings; without a result; not waited for any longer.

.. versionadded:: 0.1.0
"""

OUTCOMES: Final[tuple[Outcome, ...]] = ("ok", "degraded", "error", "cancelled")
"""All values of :data:`Outcome`.

.. versionadded:: 0.1.0
"""

OTHER: Final = "other"
"""Stands for the operations beyond the bound."""

_MAX_OPERATIONS: Final = 256
"""Bound on distinct operations: each has a dozen time series in a store of metrics."""

_MOST_LOOKS: Final = 100
"""Looks for a moment in which nothing changes."""


class OperationCounts:
    """The counts of one operation: started = ended + active + missing.

    A call is missing if it can't end any more: it was given up without leaving its `with` block.

    .. versionadded:: 0.1.0
    """

    __slots__ = ("active", "errors", "outcomes", "started", "warnings")

    def __init__(self) -> None:
        self.started = 0
        self.active = 0
        self.outcomes: Counter[Outcome] = Counter(dict.fromkeys(OUTCOMES, 0))
        self.warnings: Counter[str] = Counter()
        self.errors: Counter[tuple[str, str | None]] = Counter()

    def copy(self) -> OperationCounts:
        """Return the counts as they are now."""
        other = OperationCounts()
        other.started = self.started
        other.active = self.active
        other.outcomes = self.outcomes.copy()
        other.warnings = self.warnings.copy()
        other.errors = self.errors.copy()
        return other

    @property
    def missing(self) -> int:
        """Calls that neither ended nor run."""
        return self.started - self.outcomes.total() - self.active

    def as_dict(self) -> dict[str, Any]:
        """Return the counts as plain values."""
        errors: Counter[str] = Counter()
        for (code, _), count in self.errors.items():
            # One code may have several classes.
            errors[code] += count
        return {
            "started": self.started,
            "active": self.active,
            "missing": self.missing,
            **{str(outcome): count for outcome, count in self.outcomes.items()},
            "warnings": dict(self.warnings),
            "errors": dict(errors),
        }


class Counted:
    """One call in the counts: it is active as long as this object lives and :meth:`end` wasn't called.

    Where several objects that nobody has any more hold one another, Python says so to each of them in any order: one
    that ends the call then may come after this one.

    .. versionadded:: 0.1.0
    """

    __slots__ = ("_counts", "_open", "is_lost", "life", "operation")

    def __init__(self, counts: CallCounts, operation: str, life: object) -> None:
        # First, and open only once it is counted: a signal handler may raise in here.
        self._open = False
        self._counts = counts
        self.is_lost = False
        self.operation = operation
        self.life = life

    def end(self, outcome: Outcome, warnings: Iterable[str] = (), error: tuple[str, str | None] | None = None) -> bool:
        """Count how the call ended; only the first time, and only in the process that counted its start.

        Args:
            outcome: how.
            warnings: distinct warning codes of its result.
            error: error code and error class of what it raised.

        Returns:
            Whether it was counted.
        """
        if not self._open:
            return False
        self._open = False
        return self._counts.ended(self, outcome, warnings, error)

    @property
    def mine(self) -> bool:
        """Whether this process counted its start."""
        return self._counts.is_mine(self)

    def __del__(self) -> None:
        if getattr(self, "_open", False) and not self.is_lost:
            self._counts.lost(self)
            self.is_lost = True


class CallCounts:
    """The calls of a process, by operation.

    .. versionadded:: 0.1.0
    """

    def __init__(self) -> None:
        self._lock = ForkSafeLock()
        self._operations: dict[str, OperationCounts] = {}
        self._life = object()
        self._changes = 0
        self.timed: list[Callable[[str, Outcome, float], None]] = []
        """Called with operation, outcome and seconds of each call that ended."""

    def known(self, operation: str) -> bool:
        """Tell whether an operation has counts."""
        return operation in self._operations

    def declare(self, operation: str) -> str:
        """Begin an operation's counts at 0.

        Args:
            operation: its name, known to be safe.

        Returns:
            The name that it is counted by: ``other`` once there are too many.
        """
        with self._lock:
            if operation not in self._operations:
                if len(self._operations) >= _MAX_OPERATIONS:
                    operation = OTHER
                self._operations.setdefault(operation, OperationCounts())
            return operation

    def start(self, operation: str) -> Counted:
        """Count that a call begins.

        Args:
            operation: its name, known to be safe.
        """
        with self._lock:
            operation = self.declare(operation)
            counts = self._operations[operation]
            counted = Counted(self, operation, self._life)
            counts.started += 1
            counts.active += 1
            counted._open = True  # noqa: SLF001 -- of this file
            self._changes += 1
            return counted

    def ended(
        self, call: Counted, outcome: Outcome, warnings: Iterable[str], error: tuple[str, str | None] | None
    ) -> bool:
        """Count an end, for :meth:`Counted.end`."""
        with self._lock:
            counts = self._operations.get(call.operation)
            if call.life is not self._life or counts is None:
                return False
            if not call.is_lost:
                counts.active -= 1
            counts.outcomes[outcome] += 1
            counts.warnings.update(warnings)
            if error is not None:
                # Not by `+=`, which calls code of Python's: there may be no room left on the stack for it.
                counts.errors[error] = counts.errors.get(error, 0) + 1
            self._changes += 1
            return True

    def is_mine(self, call: Counted) -> bool:
        """Tell whether this process counted the start of a call."""
        return call.life is self._life

    def lost(self, call: Counted) -> None:
        """Count that a call can't end any more."""
        with self._lock:
            counts = self._operations.get(call.operation)
            if call.life is self._life and counts is not None:
                counts.active -= 1
                self._changes += 1

    def snapshot(self) -> dict[str, OperationCounts]:
        """Return the counts of all operations, taken at one moment."""
        with self._lock:
            found: dict[str, OperationCounts] = {}
            for _ in range(_MOST_LOOKS):
                changes = self._changes
                # Copied first: the garbage collector may run anywhere here, and end calls in this very thread.
                found = {name: counts.copy() for name, counts in self._operations.copy().items()}
                if changes == self._changes:
                    break
            return found

    def as_dict(self) -> dict[str, dict[str, Any]]:
        """Return the counts as plain values, by operation."""
        return {name: counts.as_dict() for name, counts in self.snapshot().items()}

    def table(self) -> str:
        """Return the counts as a table for people: a row for each operation.

        .. versionadded:: 0.1.0
        """
        from discreet.export.ledger_table import calls_table

        return calls_table(self.as_dict())

    def __str__(self) -> str:
        return self.table()

    def begin_anew(self, *, forget: bool = False) -> None:
        """Set all counts to 0: in a forked child, whose parent counts the calls that run there; and for tests.

        Args:
            forget: whether the operations are forgotten too.
        """
        self._life = object()
        self._operations = {} if forget else {name: OperationCounts() for name in self._operations}


CALLS: Final = CallCounts()
"""The calls of this process.

.. versionadded:: 0.1.0
"""

if hasattr(os, "register_at_fork"):
    # After the hook of discreet.forks, so that every lock can be taken.
    os.register_at_fork(after_in_child=CALLS.begin_anew)
