"""The instruments of one process, and what they read."""

from __future__ import annotations

from collections import Counter as Counts
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

from opentelemetry.metrics import CallbackOptions, Meter, Observation

from discreet.call_counts import CALLS, OperationCounts, Outcome
from discreet.content import open_content_loggers
from discreet.contract import active
from discreet.export.counts import PENDING
from discreet.export.ledger import LEDGER, SHOWN
from discreet.forks import ForkSafeLock
from discreet.metrics.names import WITHHELD_FROM_START, Names
from discreet.reporter import is_of_the_guard
from discreet.seal.sealed import Sealed

__all__ = ["BOUNDARIES", "Instruments"]

BOUNDARIES: Final = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 20.0, 30.0, 60.0, 120.0)
"""Seconds: from a look into a cache to what a language model takes for a long answer.

.. versionadded:: 0.1.0
"""

_OF_OTHERS: Final = dict.fromkeys(("write_failed", "closed"), 0)
_OF_OTLP: Final = dict.fromkeys(
    (
        *("queue_full", "connection_failed", "timeout", "rate_limited", "server_error", "refused", "too_large"),
        *("unauthorized", "redirected", "rejected", "bad_answer", "not_encodable", "shutdown", "closed"),
    ),
    0,
)
_FROM_START: Final = dict.fromkeys(("otlp_logs", "otlp_spans", "otlp_metrics"), _OF_OTLP)
"""Reasons that begin at 0 with their sink; others begin when they first happen."""

KINDS: Final = ("event", "warning_code", "error_code", "operation")
"""Kinds of names that a record or a call may use without any contract declaring them."""


class Instruments:
    """The instruments of a meter.

    Events and durations are measured as they happen, so that they get exemplars with the ids of the current trace. All
    else is read off the process's own counts when metrics are collected.

    Args:
        meter: OpenTelemetry's.

    .. versionadded:: 0.1.0
    """

    def __init__(self, meter: Meter) -> None:
        self._lock = ForkSafeLock()
        self._names = Names(active())
        self._calls: dict[str, OperationCounts] = {}
        self._events = meter.create_counter(
            "discreet.events", "{record}", "Records by event, warning code and error code"
        )
        self._duration = meter.create_histogram(
            "discreet.call.duration",
            "s",
            "How long observed calls took",
            explicit_bucket_boundaries_advisory=BOUNDARIES,
        )
        # The SDK asks in this order, and the first of them takes the counts for all that are about calls.
        for name, unit, what, read in (
            ("discreet.calls.started", "{call}", "Observed calls that began", self._started),
            ("discreet.calls", "{call}", "Observed calls that ended, by outcome", self._ended),
            ("discreet.calls.warnings", "{call}", "Degraded calls by warning code", self._warned),
            ("discreet.calls.errors", "{call}", "Failed calls by error code", self._failed),
            ("discreet.withheld", "{value}", "Values that were left out of records", _withheld),
            ("discreet.records", "{record}", "What became of records, by sink", _records),
            ("discreet.guard.failures", "{failure}", "Failures of the guard, each withheld a record", _failures),
            ("discreet.undeclared.names", "{name}", "Names that no contract declares", _undeclared),
        ):
            meter.create_observable_counter(name, [_reading(read)], unit, what)
        meter.create_observable_up_down_counter(
            "discreet.calls.active", [_reading(self._active)], "{call}", "Observed calls that run"
        )
        meter.create_observable_up_down_counter(
            "discreet.records.pending", [_reading(_pending)], "{record}", "Records that wait for an acknowledgement"
        )
        meter.create_observable_gauge(
            "discreet.content.enabled", [_reading(_content)], "{logger}", "1 while a content logger is open"
        )
        for attributes in self._names.declared():
            self._events.add(0, attributes)

    def count(self, sealed: Sealed) -> bool:
        """Count a record by its event and codes.

        Args:
            sealed: the sealed record.

        Returns:
            Whether it has any.
        """
        found = self.names().of(sealed)
        for attributes in found:
            self._events.add(1, attributes)
        return bool(found)

    def names(self) -> Names:
        """Return the series of the active contracts; those of new ones begin at 0 here."""
        names, registry = self._names, active()
        if names.registry is registry:
            return names
        with self._lock:
            if self._names is names:
                new = Names(registry)
                for attributes in new.declared():
                    self._events.add(0, attributes)
                self._names = new
            return self._names

    def time(self, operation: str, outcome: Outcome, seconds: float) -> None:
        """Take the duration of a call that ended."""
        self._duration.record(seconds, {"operation": operation, "outcome": outcome})

    def _started(self) -> Iterator[Observation]:
        self._calls = CALLS.snapshot()
        for name, counts in self._calls.items():
            yield Observation(counts.started, {"operation": name})

    def _ended(self) -> Iterator[Observation]:
        for name, counts in self._calls.items():
            for outcome, count in counts.outcomes.items():
                yield Observation(count, {"operation": name, "outcome": outcome})

    def _warned(self) -> Iterator[Observation]:
        codes = self.names().warning_codes
        for name, counts in self._calls.items():
            for code, count in {**dict.fromkeys(codes, 0), **counts.warnings}.items():
                yield Observation(count, {"operation": name, "warning_code": code})

    def _failed(self) -> Iterator[Observation]:
        for name, counts in self._calls.items():
            for (code, error_class), count in counts.errors.items():
                more = {} if error_class is None else {"error_class": error_class}
                yield Observation(count, {"operation": name, "error_code": code, **more})

    def _active(self) -> Iterator[Observation]:
        for name, counts in self._calls.items():
            yield Observation(counts.active, {"operation": name})


def _reading(read: Callable[[], Iterable[Observation]]) -> Callable[[CallbackOptions], list[Observation]]:
    def observed(options: CallbackOptions) -> list[Observation]:
        try:
            return list(read())
        except Exception as error:
            # The SDK would log its text, and give up the whole collection.
            LEDGER.failure("metrics", error)
            return []

    return observed


def _withheld() -> Iterator[Observation]:
    counts: Counts[tuple[str, str]] = Counts(dict.fromkeys(WITHHELD_FROM_START, 0))
    for (_, _, reason, kind), count in LEDGER.withheld.items():
        if kind not in SHOWN:
            counts[reason, kind] += count
    for (reason, kind), count in counts.items():
        yield Observation(count, {"reason": reason, "kind": kind})


def _sinks() -> list[tuple[str, dict[str, Any]]]:
    return [(name, counts.as_dict()) for name, counts in LEDGER.sinks.copy().items()]


def _records() -> Iterator[Observation]:
    for sink, counts in _sinks():
        yield Observation(counts["observed"], {"sink": sink, "state": "observed"})
        yield Observation(counts["filtered"], {"sink": sink, "state": "filtered"})
        for reason, count in {**_FROM_START.get(sink, _OF_OTHERS), **counts["missing_by_reason"]}.items():
            if reason != PENDING:
                yield Observation(count, {"sink": sink, "state": "missing", "reason": reason})


def _pending() -> Iterator[Observation]:
    for sink, counts in _sinks():
        yield Observation(counts["missing_by_reason"].get(PENDING, 0), {"sink": sink})


def _failures() -> Iterator[Observation]:
    yield Observation(sum(count for (where, _), count in LEDGER.failures.items() if is_of_the_guard(where)))


def _undeclared() -> Iterator[Observation]:
    found = LEDGER.as_dict()["undeclared"]
    for kind in KINDS:
        yield Observation(found.get(kind, 0), {"kind": kind})


def _content() -> Iterator[Observation]:
    found = set(open_content_loggers())
    for contract in active().contracts:
        for name in contract.content_loggers:
            yield Observation(int(name in found), {"logger": name})
