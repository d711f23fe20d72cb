"""tenacity's retries: a hook that logs each attempt that is repeated."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from discreet.declared import Public
from discreet.instrument.attempts import Reason, attempt_failed
from discreet.instrument.quiet import never_raises
from discreet.operations import in_scope, said
from discreet.undeclared import undeclared

if TYPE_CHECKING:
    from tenacity import RetryCallState

__all__ = ["log_attempt"]


def log_attempt(operation: str | Public[str] | None = None) -> Callable[[RetryCallState], None]:
    """Return a hook for ``before_sleep`` of tenacity, in all its forms: it logs each attempt that is repeated.

    ::

        @discreet.observe_call("harbour.fetch")
        @retry(stop=stop_after_attempt(4), before_sleep=log_attempt())
        def fetch(number: int) -> bytes: ...

    Each has one record ``attempt_failed`` at INFO on the logger ``discreet`` with the number of the attempt, the wait
    in seconds, and of an exception its error code by contract, or its class if it has none. A result that tenacity's
    ``retry`` refuses has a record too, with nothing of the value. Whether and when something is repeated is up to
    tenacity, and nothing is raised into it.

    In a call that :func:`discreet.observe_call` observes, ``call_finished`` has the number of ``retries``. The last
    attempt isn't repeated, so it has no record of its own: what becomes of the whole is in ``call_finished``.

    Args:
        operation: The operation's name, as for :func:`discreet.observe_call`; None for that of the observed call in
            which the attempt is made. One that can't be a name is called ``undeclared`` and counted.

    .. versionadded:: 0.1.0
    """
    name = None if operation is None else said(operation)

    @never_raises
    def before_sleep(retry_state: RetryCallState) -> None:
        outcome, action = retry_state.outcome, retry_state.next_action
        shown = None if operation is None else in_scope(name)
        if operation is not None and shown is None:
            shown = undeclared("operation")
        attempt_failed(
            # Without a wait: an outcome that isn't there yet must not hold up the loop.
            Reason.of(None if outcome is None else outcome.exception(timeout=0)),
            retry_state.attempt_number,
            retry_state.upcoming_sleep if action is None else action.sleep,
            operation=shown,
        )

    return before_sleep
