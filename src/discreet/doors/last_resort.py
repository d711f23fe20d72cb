"""logging's handler of last resort: what a process prints that never configured logging.

This file is loaded by ``import discreet``, so it needs nothing but logging until a record comes.
"""

from __future__ import annotations

import logging
import sys
from typing import Any

__all__ = ["LastResort", "close_door", "door_state", "open_door"]

_DEFAULT: Any = getattr(logging, "_defaultLastResort", None)


class LastResort(logging.StreamHandler[Any]):
    """Writes sealed records to ``sys.stderr``, in place of ``logging.lastResort``."""

    def __init__(self, replaced: Any) -> None:
        # As logging's own does: the stream is looked up for each record, and there is nothing to shut down.
        logging.Handler.__init__(self, replaced.level)
        self.replaced = replaced
        self.formatter = replaced.formatter

    @property
    def stream(self) -> Any:
        """The standard error of the moment."""
        return sys.stderr

    def handle(self, record: logging.LogRecord) -> Any:
        """Seal a record and write it. Sealing is loaded before the lock is taken, which an import must not wait for."""
        try:
            from discreet.seal.foreign import record_for

            sealed = record_for(self, record)
        except Exception:
            # Half an installation, or out of memory. There is no ledger to count it in then.
            _say("<record withheld: the guard failed>\n")
            return True
        return super().handle(sealed)

    handle.__discreet_seals__ = True  # type: ignore[attr-defined]  # install() leaves this class alone

    def handleError(self, record: logging.LogRecord) -> None:
        """Count a failure: standard error, where logging would tell it, is what failed."""
        from discreet.export.ledger import LEDGER

        LEDGER.sink("last resort").count_missing("write_failed")


def open_door() -> None:
    """Replace the handler of last resort, if it is logging's own.

    .. versionadded:: 0.1.0
    """
    if _DEFAULT is not None and logging.lastResort is _DEFAULT:
        logging.lastResort = LastResort(logging.lastResort)


def close_door() -> None:
    """Put logging's own handler of last resort back.

    .. versionadded:: 0.1.0
    """
    if type(logging.lastResort) is LastResort:
        logging.lastResort = logging.lastResort.replaced


def door_state() -> str:
    """Return ``guarded``, ``closed``, or ``patched over`` for a handler that the program put there itself."""
    if type(logging.lastResort) is LastResort:
        return "guarded"
    return "closed" if logging.lastResort is _DEFAULT else "patched over"


def _say(text: str) -> None:
    try:
        sys.stderr.write(text)
    except (AttributeError, OSError, ValueError):
        # Nobody listens on stderr, and nothing else is left.
        return
