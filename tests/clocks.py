"""A clock for tests that must not wait."""

from __future__ import annotations

from discreet.timer import TIMER


class Clock:
    """A clock that goes when it is told to."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now

    def pass_by(self, seconds: float) -> None:
        """Let time go by, and do what the process's timer has for it."""
        self.now += seconds
        TIMER.run_due()
