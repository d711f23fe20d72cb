"""How far a run of oloproof came: all that is known of one that raises."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from discreet.export.ledger import LEDGER

__all__ = ["Progress"]


class Progress:
    """How far a run came, from the events that oloproof emits.

    .. versionadded:: 0.1.0
    """

    def __init__(self) -> None:
        self.begun = False
        self.run_id: str | None = None
        self.status: str | None = None
        self.completeness: str | None = None
        self.cases: int | None = None
        self._finished: dict[str, bool] = {}

    @property
    def observed(self) -> int:
        """How many cases were executed, and judged without an error as far as they were judged."""
        return sum(self._finished.values())

    def beside(self, sink: Any) -> Any:
        """Return a sink of events that hands each on to another and looks at it.

        Args:
            sink: The application's own, or None.

        .. versionadded:: 0.1.0
        """
        return _Sink(self, sink)

    def asked(self, stop: Callable[[], Any] | None) -> Callable[[], Any]:
        """Return a check for a stop that asks another and notices that it was asked.

        Args:
            stop: The application's own, or None.

        .. versionadded:: 0.1.0
        """

        def check() -> Any:
            self.begun = True
            return None if stop is None else stop()

        return check

    def take(self, event: Any) -> None:
        """Look at an event.

        Args:
            event: One of oloproof's.

        .. versionadded:: 0.1.0
        """
        kind = event.type
        self.begun = True
        self.run_id = event.run_id
        if kind == "run_started":
            self.cases = event.cases
        elif kind == "run_finished":
            # Of a run that fails while it is analyzed there is none, and its phase says nothing of what became of it.
            self.status = str(event.status)
            self.completeness = str(event.completeness)
        elif kind == "case_executed":
            # Of a case that is measured several times, each has to succeed.
            fine = str(event.status) == "OK"
            self._finished[event.scenario_id] = fine and self._finished.get(event.scenario_id, True)
        elif kind == "case_judged" and str(event.status) == "ERROR":
            self._finished[event.scenario_id] = False


class _Sink:
    """A sink of events as oloproof wants it."""

    def __init__(self, progress: Progress, sink: Any) -> None:
        self._progress = progress
        self._sink = sink

    def emit(self, event: Any) -> None:
        """Hand an event on, and look at it."""
        if self._sink is not None:
            self._sink.emit(event)
        try:
            self._progress.take(event)
        except Exception as error:
            # The run goes on; its record will know less.
            LEDGER.failure("instrument", error)
