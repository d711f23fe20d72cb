"""Sends records until each is acknowledged or known to be missing."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Generic, Protocol, TypeVar

from discreet.export.otlp.answers import Action, Answer, UnansweredError, Verdict, judge

__all__ = ["Encoder", "Pause", "Sender", "Settle", "Transport"]

T = TypeVar("T")
T_contra = TypeVar("T_contra", contravariant=True)

ATTEMPTS: Final = 4
FIRST_WAIT: Final = 1.0
MOST_WAIT: Final = 60.0
"""Seconds; also of what ``Retry-After`` may ask for, since meanwhile the queue fills."""

MOST_BYTES: Final = 1 << 20
"""Of a request, before it is compressed: a quarter of what Loki's and Tempo's own defaults take at once."""

_REFUSALS: Final = 64
_REFUSALS_AFTER: Final = 8
"""How often in a row a batch is halved: a batch's few bad records are found long before, and where everything is
refused there must be no storm of requests. The second number holds after a batch of which nothing was taken."""


class Settle(Protocol):
    """Is told what became of records.

    .. versionadded:: 0.1.0
    """

    def __call__(self, *, observed: int = 0, missing: Mapping[str, int] | None = None, cut: int = 0) -> None:
        """Count records as acknowledged, or missing by reason; and how many were cut."""


class Transport(Protocol):
    """Sends one request.

    .. versionadded:: 0.1.0
    """

    def post(self, body: bytes, timeout: float) -> Answer:
        """Send a body and return the answer.

        Raises:
            UnansweredError: there was none.
        """

    def renew(self) -> None:
        """Forget the connections, in a forked child."""

    def close(self) -> None:
        """Close the connections."""


class Encoder(Protocol[T_contra]):
    """Makes requests of records.

    .. versionadded:: 0.1.0
    """

    def messages(self, records: Sequence[T_contra], settle: Settle) -> list[Any]:
        """Return what requests are made of, one for each record; those that can't be encoded are settled."""

    def body(self, messages: Sequence[Any]) -> bytes:
        """Return the request of some messages."""

    def rejected(self, answer: Answer) -> int:
        """Return how many records a successful answer does not count as taken.

        Raises:
            ValueError: it is no answer of OTLP.
        """


class Pause:
    """Waits between attempts, which the end of the process cuts short.

    .. versionadded:: 0.1.0
    """

    def __init__(self) -> None:
        self._ending = threading.Event()
        self._end = 0.0

    @property
    def of_process(self) -> Pause:
        """That of the process's end alone."""
        return self

    def end_within(self, seconds: float) -> None:
        """Have all waits and requests end within some seconds from now."""
        self._end = time.monotonic() + seconds
        self._ending.set()

    def left(self) -> float:
        """Return the seconds that are left, infinite as long as nothing ends."""
        return max(0.0, self._end - time.monotonic()) if self._ending.is_set() else float("inf")

    def sleep(self, seconds: float) -> bool:
        """Wait, and tell whether there was the time for it."""
        start = time.monotonic()
        if not self._ending.wait(seconds):
            return True
        rest = start + seconds - time.monotonic()
        if rest > self.left():
            return False
        time.sleep(max(0.0, rest))
        return True


class _Bounded(Pause):
    """Waits that also have an end of their own."""

    def __init__(self, process: Pause, seconds: float) -> None:
        super().__init__()
        self._process = process
        self._until = time.monotonic() + seconds

    @property
    def of_process(self) -> Pause:
        return self._process

    def left(self) -> float:
        return max(0.0, min(self._until - time.monotonic(), self._process.left()))

    def sleep(self, seconds: float) -> bool:
        return seconds < self.left() and self._process.sleep(seconds)


class Sender(Generic[T]):
    """Sends batches of records of one kind.

    Args:
        encoder: makes the requests.
        transport: sends them.
        within: seconds that all attempts with one request may take; None for as long as they take.

    .. versionadded:: 0.1.0
    """

    def __init__(self, encoder: Encoder[T], transport: Transport, *, within: float | None = None) -> None:
        self._encoder = encoder
        self._transport = transport
        self._within = within
        self._refusals = _REFUSALS
        # Here, because at the interpreter's end nothing can be imported.
        import tenacity

        self._tenacity: Any = tenacity

    def send(self, records: Sequence[T], settle: Settle, pause: Pause) -> None:
        """Send a batch; everything that becomes of its records is told.

        Args:
            records: the batch.
            settle: is told.
            pause: what waits are made with.
        """
        parts = [self._encoder.messages(records, settle)]
        in_a_row = 0
        taken = False
        while parts:
            part = parts.pop()
            if not part:
                continue
            body = self._encoder.body(part)
            if len(body) > MOST_BYTES and len(part) > 1:
                parts += _halves(part)
                continue
            if pause.left() <= 0:
                settle(missing={"shutdown": len(part)})
                continue
            verdict = self._ask(body, pause)
            if verdict.action is Action.DONE:
                rejected = min(verdict.rejected, len(part))
                settle(observed=len(part) - rejected, missing={verdict.reason: rejected} if rejected else None)
                in_a_row = 0
                taken = True
                self._refusals = _REFUSALS
            elif verdict.action is Action.HALVE and len(part) > 1 and in_a_row < self._refusals:
                in_a_row += 1
                parts += _halves(part)
            else:
                in_a_row += verdict.action is Action.HALVE
                settle(missing={verdict.reason: len(part)})
        if in_a_row and not taken:
            self._refusals = _REFUSALS_AFTER

    def close(self) -> None:
        """Close the connections."""
        self._transport.close()

    def renew(self) -> None:
        """Forget the connections, in a forked child."""
        self._transport.renew()

    def _ask(self, body: bytes, pause: Pause) -> Verdict:
        """Send one request, as often as the specification and its answers allow."""
        tenacity = self._tenacity
        if self._within is not None:
            pause = _Bounded(pause, self._within)
        attempts = _Attempts(pause, tenacity.wait_exponential_jitter(FIRST_WAIT, MOST_WAIT, jitter=FIRST_WAIT))
        retrying = tenacity.Retrying(
            stop=tenacity.stop_any(tenacity.stop_after_attempt(ATTEMPTS), attempts.too_late),
            wait=attempts.wait,
            sleep=attempts.sleep,
            retry=tenacity.retry_if_result(lambda verdict: verdict.action is Action.RETRY),
            retry_error_callback=lambda state: state.outcome.result(),
        )
        found: Verdict = retrying(self._once, body, attempts)
        return found

    def _once(self, body: bytes, attempts: _Attempts) -> Verdict:
        if attempts.given_up is not None:
            return attempts.given_up
        try:
            answer = self._transport.post(body, attempts.pause.left())
        except UnansweredError as why:
            verdict = Verdict(Action.RETRY if why.retryable else Action.GIVE_UP, why.reason)
            if why.reason == "timeout" and attempts.pause.of_process.left() <= 0:
                # It is the process that had no more time.
                verdict = Verdict(Action.GIVE_UP, "shutdown")
        else:
            verdict = judge(answer, self._encoder.rejected)
        attempts.last = verdict
        return verdict


class _Attempts:
    """The waits between the attempts of one request."""

    def __init__(self, pause: Pause, back_off: Callable[[Any], float]) -> None:
        self.pause = pause
        self.last: Verdict | None = None
        self.given_up: Verdict | None = None
        self._back_off = back_off

    def wait(self, state: Any) -> float:
        """Return the seconds to wait: longer each time, by chance, and not less than the collector asks for."""
        asked = self.last.retry_after if self.last is not None else None
        return min(MOST_WAIT, max(self._back_off(state), asked or 0.0))

    def too_late(self, state: Any) -> bool:
        """Tell whether the process, or the time for the request, ends before the wait does."""
        return bool(state.upcoming_sleep >= self.pause.left())

    def sleep(self, seconds: float) -> None:
        """Wait; without the time for it the last answer stands."""
        if not self.pause.sleep(seconds) and self.last is not None:
            self.given_up = Verdict(Action.GIVE_UP, self.last.reason)


def _halves(part: list[Any]) -> list[list[Any]]:
    """Return both halves, the second one first, as a stack has it."""
    middle = len(part) // 2
    return [part[middle:], part[:middle]]
