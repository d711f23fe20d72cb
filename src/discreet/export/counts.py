"""The counts of one sink, and of one call site."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final

from discreet.forks import ForkSafeLock

__all__ = ["PENDING", "SinkCounts", "SiteCounts"]

PENDING: Final = "pending"
"""The reason of records that wait for an acknowledgement: they are missing until it comes.

.. versionadded:: 0.1.0
"""


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

    What is withheld mostly is so because no code proves it (messages) or no contract declares it (values). The few
    values that were withheld for another reason are counted once more in ``others``, by reason and kind.

    .. versionadded:: 0.1.0
    """

    __slots__ = ("arguments", "attributes", "let_through", "logger", "messages", "others", "public", "site")

    def __init__(self, site: str, logger: str) -> None:
        self.site = site
        self.logger = logger
        self.clear()

    def clear(self) -> None:
        """Start anew at zero."""
        self.messages = 0
        self.arguments = 0
        self.attributes = 0
        self.public = 0
        self.let_through = 0
        self.others: dict[tuple[str, str], int] = {}

    def by_reason(self) -> Iterator[tuple[str, str, int]]:
        """Yield reason, kind and number of all that was counted."""
        others = self.others.copy()
        for usual, kind, count in (
            ("unproven", "message", self.messages),
            ("undeclared", "argument", self.arguments),
            ("undeclared", "attribute", self.attributes),
        ):
            rest = count - sum(number for (_, other), number in others.items() if other == kind)
            if rest > 0:
                yield usual, kind, rest
        for (reason, kind), count in others.items():
            yield reason, kind, count
        if self.public:
            yield "declared", "public", self.public
        if self.let_through:
            yield "no_match", "let_through", self.let_through
