"""PromQL over the metrics of `discreet`, for panels and for alert rules.

Counts are differences of what each process had counted at the end of a window and at its beginning, where a process
that was not there yet had counted nothing. They are whole numbers and leave nothing out; Prometheus' ``increase``
extrapolates, and misses what a series held when it was first seen. A process is a series of its own, by its
instance id, so that a restart isn't a step back.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from discreet.dashboards import names

__all__ = ["DEGRADED", "ERRORS", "Calls", "Share", "counted", "now", "per_service", "zero_or"]

# How long a gap in what Prometheus got may be; a process that was silent for longer is taken for a new one.
_MEMORY: Final = "1h"


def counted(metric: str, labels: str, window: str, by: str = "") -> str:
    """Return what was counted within a window, added up over processes.

    Args:
        metric: A counter's name.
        labels: Which series, as PromQL writes them between braces.
        window: How long back, such as ``15m`` or a variable of Grafana.
        by: Labels that stay, separated by commas; none are kept when it is left out.

    .. versionadded:: 0.1.0
    """
    series = f"{metric}{{{labels}}}"
    last = f"last_over_time({series}[{window}])"
    before = f"last_over_time({series}[{_MEMORY}] offset {window})"
    return f"sum{_by(by)}(clamp_min({last} - ({before} or 0 * {last}), 0))"


def now(metric: str, labels: str, by: str = "", how: str = "sum") -> str:
    """Return the present value of a gauge, put together over processes.

    Args:
        metric: A gauge's name.
        labels: Which series.
        by: Labels that stay.
        how: How series are put together, such as ``sum`` or ``max``.

    .. versionadded:: 0.1.0
    """
    return f"{how}{_by(by)}({metric}{{{labels}}})"


def zero_or(query: str, there: str) -> str:
    """Return a query's value, 0 where it has none although another one has a value.

    Args:
        query: PromQL, of counts that have no series before the first.
        there: PromQL that has a value whenever there is something to count.

    .. versionadded:: 0.1.0
    """
    return f"({query} or 0 * {there})"


def per_service(labels: str = "") -> str:
    """Return the labels of all series of a service's processes, for rules that look at every service.

    Args:
        labels: Which of them.

    .. versionadded:: 0.1.0
    """
    return ",".join(part for part in (f'{names.SERVICE}!=""', labels) if part)


def _by(labels: str) -> str:
    return f" by ({labels}) " if labels else ""


@dataclass(frozen=True, slots=True)
class Share:
    """A share of calls by its outcomes.

    Args:
        outcome: The outcome whose share it is.
        seen: The outcomes of calls that could be seen to have it or not.
        unseen: The outcomes of calls that should have shown it and could not, beside those that never ended.

    .. versionadded:: 0.1.0
    """

    outcome: str
    seen: tuple[str, ...]
    unseen: tuple[str, ...] = ()


DEGRADED: Final = Share("degraded", ("ok", "degraded"), ("error",))
"""A call that raised has no result, so whether it would have been a degraded one is not known.

.. versionadded:: 0.1.0
"""

ERRORS: Final = Share("error", ("ok", "degraded", "error"))
"""A call that its caller cancelled neither raised nor could have; only calls that never ended are unknown.

.. versionadded:: 0.1.0
"""


@dataclass(frozen=True, slots=True)
class Calls:
    """The counts of calls within a window, and the shares that follow from them.

    Args:
        labels: Which calls.
        window: How long back. Longer than the time that Prometheus takes to forget a process, five minutes.
        by: Labels that stay.

    .. versionadded:: 0.1.0
    """

    labels: str
    window: str
    by: str = ""

    def started(self) -> str:
        """Return the calls that began within the window."""
        return counted(names.STARTED, self.labels, self.window, self.by)

    def ended(self, *outcomes: str) -> str:
        """Return the calls that ended within the window with one of these outcomes, or with any.

        Args:
            outcomes: Of a call.
        """
        return counted(names.CALLS, self._with(outcomes), self.window, self.by)

    def lost(self) -> str:
        """Return the calls that will not end any more, of processes that lived within the window.

        They began, didn't end, and aren't active: the process was killed.
        """
        whole = f"sum{_by(self.by)}(last_over_time({{metric}}{{{{{self.labels}}}}}[{self.window}]))"
        began, ended = (whole.format(metric=metric) for metric in (names.STARTED, names.CALLS))
        active = now(names.ACTIVE, self.labels, self.by)
        # Without an active series, as after the last process has gone, none is active.
        return f"clamp_min({began} - {ended} - {zero_or(active, began)}, 0)"

    def total(self) -> str:
        """Return the calls that came to their end within the window, in whatever way, and those that are lost."""
        return f"({self.ended()} + {self.lost()})"

    def observed(self, share: Share) -> str:
        """Return the calls that could be seen to have it or not.

        Args:
            share: Of calls.
        """
        return self.ended(*share.seen)

    def missing(self, share: Share) -> str:
        """Return the calls that should have shown it and could not.

        Args:
            share: Of calls.
        """
        return f"({self.ended(*share.unseen)} + {self.lost()})" if share.unseen else self.lost()

    def eligible(self, share: Share) -> str:
        """Return the calls that should have shown it: those observed and those missing.

        Args:
            share: Of calls.
        """
        return f"({self.ended(*share.seen, *share.unseen)} + {self.lost()})"

    def share(self, share: Share) -> str:
        """Return the share among the calls observed; nothing when there are none.

        Args:
            share: Of calls.
        """
        return f"{self.ended(share.outcome)} / ({self.observed(share)} > 0)"

    def least(self, share: Share, calls: int = 1) -> str:
        """Return the share that holds if no call that is missing had it.

        Args:
            share: Of calls.
            calls: How many there must be at least; with fewer there is no share.
        """
        return f"{self.ended(share.outcome)} / ({self.eligible(share)} >= {calls})"

    def most(self, share: Share) -> str:
        """Return the share that holds if every call that is missing had it.

        Args:
            share: Of calls.
        """
        had = self.ended(share.outcome, *share.unseen)
        return f"({had} + {self.lost()}) / ({self.eligible(share)} > 0)"

    def _with(self, outcomes: tuple[str, ...]) -> str:
        if not outcomes:
            return self.labels
        chosen = f'outcome="{outcomes[0]}"' if len(outcomes) == 1 else f'outcome=~"{"|".join(outcomes)}"'
        return ",".join(part for part in (self.labels, chosen) if part)
