"""The end of what sends: one bound for all sinks, whoever has set them up."""

from __future__ import annotations

import logging
import time
from collections.abc import Collection

from discreet.errors import InvalidInputError
from discreet.export.closing import say_closed
from discreet.export.feedback import exporting
from discreet.export.ledger import LEDGER
from discreet.export.sending_handler import SendingHandler, open_handlers
from discreet.forks import ForkSafeLock
from discreet.rate_limit import tell_all
from discreet.reporter import REPORTER

__all__ = ["close", "end_sending"]

_lock = ForkSafeLock()
_METRICS_SHARE = 5
"""One part in so many of the time is kept for the metrics, which count what became of the others' records."""

_LONGEST = 24 * 3600
"""Seconds: no lock can wait as long as some numbers say."""


def close(timeout: float | None = None) -> bool:
    """Send what waits in the sinks of this process and end them, as the end of the process does.

    For programs whose end is none that Python knows of, such as a server that a signal stops, and whichever way
    logging is set up: ``logging.config.dictConfig`` or :func:`discreet.configure`. What was withheld and left out is
    reported first; then all sinks send at once, those of metrics last; then ``pipeline_closed`` has the counts of all,
    and what is missing is said on standard error.

    The guard, contracts, levels and all sinks that write at once, such as lines of JSON, stay as they are. What is
    logged later is written there; in the sinks that have ended it is missing, and counted as ``closed``. Calling it
    again, also in other threads or at the end of the process, does nothing more; a later set-up has new sinks.

    Args:
        timeout: seconds that all of it may take. By default each sink has its own ``shutdown_timeout``, and all have
            them at once; so it is with what is no number, which is counted as a failure.

    Returns:
        Whether no record is missing because the time was over, also while another thread closes.

    .. versionadded:: 0.1.0
    """
    try:
        bound = _bound(timeout)
        begin = time.monotonic()
        # Another thread may be at it, with more time than this one has.
        if not _lock.acquire(timeout=-1 if bound is None else bound):
            return False
        try:
            handlers = open_handlers()
            tell_all()
            REPORTER.report()
            end_sending(handlers, None if bound is None else max(0.0, begin + bound - time.monotonic()))
            if handlers:
                # For those alone that stay: the others can't take it any more, and would count it as missing.
                with exporting():
                    say_closed(sent=True)
        finally:
            _lock.release()
    except Exception as error:
        # Whoever shuts down must go on with it, and nobody is left to raise to.
        LEDGER.failure("exit", error)
        return False
    return not any(counts.as_dict()["missing_by_reason"].get("shutdown") for counts in LEDGER.sinks.copy().values())


def _bound(timeout: object) -> float | None:
    if timeout is None:
        return None
    if (type(timeout) is not float and type(timeout) is not int) or timeout != timeout:  # noqa: PLR0124 -- NaN
        LEDGER.failure("exit", InvalidInputError("must be a number of seconds", param="timeout"))
        return None
    return float(min(max(timeout, 0), _LONGEST))


def end_sending(handlers: Collection[SendingHandler], timeout: float | None = None, *, remove: bool = False) -> None:
    """Retire handlers, all within one time.

    Args:
        handlers: which; those of metrics are the last.
        timeout: seconds that it may take; the handlers' own by default.
        remove: whether to take them off the root logger.

    .. versionadded:: 0.1.0
    """
    begin = time.monotonic()
    metrics = [handler for handler in handlers if handler.counts_others]
    share = _METRICS_SHARE if metrics else 0
    sending = [handler for handler in handlers if not handler.counts_others]

    def left(handler: SendingHandler, *, last: bool = False) -> float:
        whole = handler.shutdown_timeout if timeout is None else timeout
        reserve = whole / share if share and not last else 0.0
        return max(0.0, begin + whole - reserve - time.monotonic())

    def off(handler: SendingHandler) -> None:
        if remove:
            logging.root.removeHandler(handler)

    for handler in sending:
        if not handler.counts_late:
            off(handler)
        # All at once, so that one that hears nothing doesn't take the time of the others.
        handler.begin_retiring(left(handler))
    for handler in sending:
        handler.retire(left(handler))
        # That of records only now: what other threads log meanwhile is missing, and is counted as closed.
        off(handler)
    for handler in metrics:
        off(handler)
        handler.retire(left(handler, last=True))
