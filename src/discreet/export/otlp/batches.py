"""A bounded queue in front of a sender, and the thread that empties it."""

from __future__ import annotations

import queue
import threading
import time
from collections import deque
from collections.abc import Mapping
from typing import Final, Generic, Protocol, TypeVar

from discreet.exits import at_exit, not_at_exit
from discreet.export.counts import SinkCounts
from discreet.export.feedback import exporting
from discreet.export.ledger import LEDGER
from discreet.export.otlp.sender import Pause, Sender
from discreet.export.otlp.settings import Batching
from discreet.forks import renew_in_children

__all__ = ["Batches", "Told"]

T = TypeVar("T")

_RESERVE: Final = 8
"""One place in so many is kept for what is urgent."""

_STEP: Final = 0.01
"""Seconds between two looks at a thread that can't be waited for any more."""


class Told(Protocol):
    """Is called after each batch, to tell the operator of what is missing.

    .. versionadded:: 0.1.0
    """

    def __call__(self, counts: SinkCounts, *, last: bool) -> None:
        """Tell of a sink's counts; ``last`` if there is no later time."""


class _State(Generic[T]):
    """What belongs to one process: a forked child gets its own, empty."""

    def __init__(self) -> None:
        self.waiting: deque[T] = deque()
        self.orders: queue.SimpleQueue[threading.Event | None] = queue.SimpleQueue()
        self.pause = Pause()
        self.thread: threading.Thread | None = None
        # Not `is_alive()`: a thread whose `join` was interrupted says that it has ended.
        self.working = False
        self.in_flight = 0
        self.closing = False
        self.abandoned = False


class Batches(Generic[T]):
    """Takes records without waiting and has them sent from a thread of its own.

    The thread starts with the first record, also in a forked child. Nothing that a caller of :meth:`put` does waits
    for the network: a record for which there is no place is missing as ``queue_full``.

    Args:
        counts: of the sink.
        sender: sends batches.
        batching: how many records wait and how long.
        name: of the thread.
        shutdown_timeout: seconds that the end of the process may take to send what waits.
        told: called in the thread after each batch, to tell the operator of what is missing.

    .. versionadded:: 0.1.0
    """

    def __init__(
        self,
        counts: SinkCounts,
        sender: Sender[T],
        batching: Batching,
        *,
        name: str,
        shutdown_timeout: float,
        told: Told,
    ) -> None:
        self._counts = counts
        self._sender = sender
        self._batching = batching
        self._name = name
        self._shutdown_timeout = shutdown_timeout
        self._told = told
        self._limit = max(1, batching.capacity - batching.capacity // _RESERVE)
        self._state: _State[T] = _State()
        renew_in_children(self)
        at_exit(self._at_exit)

    def put(self, record: T, *, urgent: bool = False) -> None:
        """Let a record wait for its turn; never blocks.

        Args:
            record: what the sender takes.
            urgent: whether it may take one of the places that are kept free, an eighth of all.
        """
        state = self._state
        counts = self._counts
        with counts.lock:
            if state.closing:
                counts.missing_by_reason["closed"] += 1
                return
            waiting = len(state.waiting)
            if waiting >= self._limit and not (urgent and waiting < self._batching.capacity):
                counts.missing_by_reason["queue_full"] += 1
                return
            state.waiting.append(record)
            counts.pending += 1
            started = state.thread is not None
        if not started:
            self._start(state)
        if waiting + 1 == self._batching.size:
            # A queue of C's, because a signal handler may be logging while its thread is just here.
            state.orders.put(None)

    def flush(self, timeout: float) -> bool:
        """Send what waits.

        Args:
            timeout: seconds that it may take.

        Returns:
            Whether everything that waited has an answer, in time.
        """
        state = self._state
        if state.thread is None and not state.waiting:
            return True
        if not self._start(state):
            return False
        done = threading.Event()
        state.orders.put(done)
        return done.wait(timeout) or (not state.waiting and not state.in_flight)

    def close(self, timeout: float | None = None, *, wait: bool = True) -> bool:
        """Send what waits and take no more; what has no answer by then is missing as ``shutdown``.

        Args:
            timeout: seconds that it may take; the shutdown's by default.
            wait: whether to return only then. Else the thread ends by itself, within the same time.

        Returns:
            Whether nothing was left.
        """
        timeout = self._shutdown_timeout if timeout is None else timeout
        state = self._state
        with self._counts.lock:
            first = not state.closing
            state.closing = True
        if first:
            state.pause.end_within(timeout)
            state.orders.put(None)
        thread = state.thread
        if not wait and thread is not None:
            return False
        if thread is None or not state.working:
            with exporting():
                self._empty(state, len(state.waiting))
        elif thread is not threading.current_thread():
            end = time.monotonic() + max(0.0, min(timeout, state.pause.left())) + 0.1
            while state.working and (left := end - time.monotonic()) > 0:
                thread.join(left)
                if state.working:
                    time.sleep(min(_STEP, left))
        not_at_exit(self._at_exit)
        done = self._abandon(state)
        with exporting():
            self._tell(last=True)
        return done

    def renew(self) -> None:
        """Start anew in a forked child: what waits is the parent's to send."""
        closed = self._state.closing
        self._state = _State()
        self._state.closing = closed
        self._sender.renew()

    def _at_exit(self) -> None:
        self.close()

    def _start(self, state: _State[T]) -> bool:
        """Start the thread if it doesn't run; tell whether it does."""
        with self._counts.lock:
            if state.thread is not None:
                return state.working
            state.thread = thread = threading.Thread(target=self._work, args=(state,), name=self._name, daemon=True)
            try:
                # Under the lock: who closes meanwhile must not take it for one that has ended, and do its work too.
                state.working = True
                thread.start()
            except RuntimeError as error:
                # The interpreter is going down, or there are too many threads. What waits is sent at the end.
                LEDGER.failure("otlp", error)
                state.working, state.thread = False, None
                return False
        return True

    def _work(self, state: _State[T]) -> None:
        try:
            self._send_on(state)
        finally:
            state.working = False

    def _send_on(self, state: _State[T]) -> None:
        with exporting():
            while not state.abandoned:
                try:
                    order = state.orders.get(timeout=self._batching.delay)
                    fewest = self._batching.size if order is None and not state.closing else 1
                except queue.Empty:
                    order, fewest = None, 1
                self._empty(state, len(state.waiting), fewest)
                if order is not None:
                    order.set()
                last = state.closing and (not state.waiting or state.pause.left() <= 0)
                if last:
                    self._abandon(state)
                self._tell(last=last)
                if last:
                    self._sender.close()
                    not_at_exit(self._at_exit)

    def _tell(self, *, last: bool) -> None:
        try:
            self._told(self._counts, last=last)
        except Exception as error:
            # Whoever tells logs, and any handler may fail.
            LEDGER.failure("otlp", error)

    def _empty(self, state: _State[T], count: int, fewest: int = 1) -> None:
        """Send what waits, up to a number, in batches that have at least so many records."""
        while count > 0 and not state.abandoned and len(state.waiting) >= fewest:
            with self._counts.lock:
                size = min(len(state.waiting), self._batching.size)
                batch = [state.waiting.popleft() for _ in range(size)]
                state.in_flight = size
            if not batch:
                return
            count -= size

            def settle(*, observed: int = 0, missing: Mapping[str, int] | None = None, cut: int = 0) -> None:
                self._settle(state, observed, missing or {}, cut)

            try:
                self._sender.send(batch, settle, state.pause)
            except Exception as error:
                # A thread that ends by a mistake of ours would leave all records after this one without an answer.
                LEDGER.failure("otlp", error)
            if state.in_flight:
                settle(missing={"failed": state.in_flight})

    def _settle(self, state: _State[T], observed: int, missing: Mapping[str, int], cut: int) -> None:
        counts = self._counts
        with counts.lock:
            if state is not self._state or state.abandoned:
                # Counted already: the process did not wait for this answer.
                return
            state.in_flight -= observed + sum(missing.values())
            counts.settle(observed, missing)
            counts.cut += cut

    def _abandon(self, state: _State[T]) -> bool:
        """Count what has no answer as missing; tell whether there was nothing of it."""
        with self._counts.lock:
            if state.abandoned:
                return True
            state.abandoned = True
            left = len(state.waiting) + state.in_flight
            state.waiting.clear()
            state.in_flight = 0
            self._counts.settle(0, {"shutdown": left})
            return not left
