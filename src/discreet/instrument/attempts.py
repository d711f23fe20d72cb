"""Attempts that failed and are repeated, whoever repeats them: one record of each, counted in the call around it."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from discreet.call import Call, running
from discreet.contract import active
from discreet.doors.report import send
from discreet.forks import ForkSafeLock
from discreet.seal.exceptions import describe
from discreet.seal.types import Scalar, Withheld, value_type

__all__ = ["Reason", "attempt_failed"]

_INFO: Final = 20
_COUNT: Final = value_type("count")
_SECONDS: Final = value_type("duration_s")
_lock: Final = ForkSafeLock()


class Reason(NamedTuple):
    """Why an attempt failed, as far as it may be told.

    .. versionadded:: 0.1.0
    """

    code: str | None = None
    """The error code by contract."""

    error_class: str | None = None
    """Who can do something about it."""

    type: str | None = None
    """The class of an exception that has no code; None where there is a code, or where a result was refused."""

    @classmethod
    def of(cls, error: BaseException | None) -> Reason:
        """Return what may be told of an exception.

        Args:
            error: The exception that ended the attempt; None for a result that isn't accepted.

        .. versionadded:: 0.1.0
        """
        if error is None:
            return cls()
        facts = describe(error, None, active())
        return cls(facts.code, facts.error_class, facts.type if facts.code is None else None)


def attempt_failed(
    reason: Reason, attempt: Any, wait: Any, *, operation: str | None = None, call: Call | None = None
) -> None:
    """Log that an attempt failed and is repeated, and count it in its call.

    Called by a function that raises nothing, as of :func:`discreet.instrument.quiet.never_raises`.

    Args:
        reason: Why it failed.
        attempt: Which attempt it was, from 1. What isn't a count is left out.
        wait: Seconds until the next one. What isn't a number of seconds is left out.
        operation: The operation's name, known to be safe; None for that of the call.
        call: The call that it belongs to; None for the innermost that runs.

    .. versionadded:: 0.1.0
    """
    around = call or running()
    if around is not None:
        # Threads that were given the call may repeat something in it at the same time.
        with _lock:
            around._tell_record({"retries": int(around._facts.get("retries", 0)) + 1})  # noqa: SLF001 -- of ours
        counted = around._counted  # noqa: SLF001 -- of ours
        operation = operation or (None if counted is None else counted.operation)
    number, seconds = _COUNT.safe(attempt), _SECONDS.safe(wait)
    found: dict[str, Scalar] = {"operation": operation, "error_type": reason.type}
    said = "an attempt failed"
    if number is not None and not isinstance(number, Withheld):
        found["attempt"] = number
        said = f"attempt {number} failed"
    if isinstance(seconds, float | int):
        found["wait_s"] = round(float(seconds), 3)
        said += f", the next comes in {seconds:.3f} s"
    send(
        "discreet",
        _INFO,
        f"{operation}: {said}" if operation is not None else said.capitalize(),
        "attempt_failed",
        attributes={name: value for name, value in found.items() if value is not None},
        error_code=reason.code,
        error_class=reason.error_class,
    )
