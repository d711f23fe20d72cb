"""One thread for what has to happen later: reports, levels that expire, summaries of what was left out."""

from __future__ import annotations

import os
import sys
import threading
import time
import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from discreet.export.ledger import LEDGER

__all__ = ["TIMER", "Timer"]

_NAME: Final = "discreet-timer"
_PATIENCE: Final = 0.5
_LOOKS: Final = 500
_LONGEST: Final = 3600.0
"""Seconds of one wait: the clock stands still while a machine sleeps, and no wait may be longer than C allows."""


@dataclass(eq=False)
class Timer:
    """Runs jobs when they are due, in a daemon thread that lives only while there are any.

    A job returns in how many seconds it is due again, None for never. Of jobs with one name only the last counts.

    Args:
        clock: seconds on a clock that never goes back.
        threaded: whether a thread runs the jobs; else :meth:`run_due` does.

    .. versionadded:: 0.1.0
    """

    clock: Callable[[], float] = time.monotonic
    threaded: bool = True
    _jobs: dict[str, tuple[float, Callable[[], float | None]]] = field(default_factory=dict)
    _changed: threading.Condition = field(default_factory=threading.Condition)
    _thread: threading.Thread | None = None
    _paused: bool = False

    def __post_init__(self) -> None:
        _timers.add(self)

    def at(self, name: str, delay: float, job: Callable[[], float | None]) -> None:
        """Run a job later.

        Args:
            name: what it is called; a job of this name that waits is replaced. What follows a colon is told nowhere.
            delay: seconds from now.
            job: what to run; in how many seconds it is due again is what it returns.
        """
        with self._changed:
            self._jobs[name] = (self.clock() + delay, job)
            self._changed.notify_all()
        self._start()

    def cancel(self, name: str) -> None:
        """Forget a job, if there is one of this name."""
        with self._changed:
            self._jobs.pop(name, None)
            self._changed.notify_all()

    def waits(self, name: str) -> bool:
        """Tell whether a job of this name waits."""
        return name in self._jobs

    def has_jobs(self) -> bool:
        """Tell whether any job waits."""
        return bool(self._jobs)

    def clear(self) -> None:
        """Forget all jobs; the thread ends."""
        with self._changed:
            self._jobs.clear()
            self._changed.notify_all()

    def run_due(self) -> None:
        """Run all jobs that are due, each once."""
        now = self.clock()
        with self._changed:
            due = [(name, entry) for name, entry in self._jobs.items() if entry[0] <= now]
        for name, entry in due:
            again: float | None = None
            try:
                again = entry[1]()
            except Exception as error:
                # The jobs after it are as important, and nobody would see what a thread raises.
                LEDGER.failure(f"timer {name.partition(':')[0]}", error)
            with self._changed:
                # It may have been cancelled or replaced meanwhile, by itself or by another thread.
                if self._jobs.get(name) is entry:
                    del self._jobs[name]
                    if again is not None:
                        self._jobs[name] = (self.clock() + again, entry[1])

    def _start(self) -> None:
        if not self.threaded or sys.is_finalizing():
            # A thread that is started now never runs, and who starts it waits for it.
            return
        with self._changed:
            if self._paused or not self._jobs or (self._thread is not None and self._thread.is_alive()):
                return
            self._thread = threading.Thread(target=self._run, name=_NAME, daemon=True)
            try:
                self._thread.start()
            except RuntimeError as error:
                # There may be no more threads, or the interpreter is ending: what is due then is done at exit.
                self._thread = None
                LEDGER.failure("timer", error)

    def _run(self) -> None:
        changed = self._changed
        while True:
            with changed:
                if self._paused or not self._jobs:
                    # Under the lock, so that whoever adds a job now sees that there is no thread.
                    self._thread = None
                    return
                wait = min(when for when, _ in self._jobs.values()) - self.clock()
                if wait > 0:
                    changed.wait(min(wait, _LONGEST))
            self.run_due()

    def pause(self) -> None:
        """End the thread, before a fork: Python warns whoever forks a process that has more than one."""
        with self._changed:
            self._paused = True
            thread = self._thread
            self._changed.notify_all()
        if thread is None or thread is threading.current_thread():
            return
        # What it does just now may wait for a lock that the forking thread holds.
        thread.join(_PATIENCE)
        task = Path(f"/proc/self/task/{thread.native_id}")
        # Linux counts it for a moment longer than Python does.
        for _ in range(_LOOKS):
            if thread.is_alive() or not task.exists():
                break
            time.sleep(_PATIENCE / _LOOKS)

    def resume(self) -> None:
        """Go on after :meth:`pause`."""
        self._paused = False
        self._start()

    def begin_anew(self) -> None:
        """Go on in a forked child, which has the jobs and not the thread."""
        self._changed = threading.Condition()
        self._thread = None
        self.resume()


_timers: Final[weakref.WeakSet[Timer]] = weakref.WeakSet()


def _before_fork() -> None:
    for timer in list(_timers):
        timer.pause()


def _resume() -> None:
    for timer in list(_timers):
        timer.resume()


def _in_parent() -> None:
    waiting = any(timer.has_jobs() for timer in _timers)
    sealing = sys.modules.get("discreet.seal.sealing")
    if not waiting or sealing is None:
        _resume()
    elif _resume not in sealing._pending:  # noqa: SLF001  # what is to be done at the next record
        # Python looks for threads after this. Before the next record nothing is due that anybody would see.
        sealing._pending.append(_resume)  # noqa: SLF001


def _in_child() -> None:
    for timer in list(_timers):
        timer.begin_anew()


# One hook for all timers: a hook that was registered once can't be taken back.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_in_parent, after_in_child=_in_child)

TIMER: Final = Timer()
"""The timer of this process.

.. versionadded:: 0.1.0
"""
