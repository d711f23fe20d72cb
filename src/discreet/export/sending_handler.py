"""The base of our handlers that hand records on from a thread of its own."""

from __future__ import annotations

import logging
import weakref
from typing import Final

from discreet.export.sealing_handler import SealingHandler
from discreet.forks import ForkSafeLock

__all__ = ["SendingHandler", "open_handlers"]

_all: Final[weakref.WeakSet[SendingHandler]] = weakref.WeakSet()
"""Those of this process. Logging's own list is emptied by `dictConfig`, also of what goes on."""
_lock: Final = ForkSafeLock()


def open_handlers() -> list[SendingHandler]:
    """Return the handlers of this process that haven't been closed for good.

    .. versionadded:: 0.1.0
    """
    with _lock:
        return [handler for handler in _all if not handler.retired]


class SendingHandler(SealingHandler):
    """A handler without a lock, whose subclasses say in :meth:`stop` what ends with it.

    .. versionadded:: 0.1.0
    """

    shutdown_timeout: float = 5.0
    """Seconds that the end of the process may take to send what waits."""

    counts_late: bool = False
    """Whether it counts records that come when it takes no more."""

    counts_others: bool = False
    """Whether it counts what becomes of other handlers' records, so that it has to end last."""

    def __init__(self, level: int | str = logging.NOTSET, *, sink: str) -> None:
        self._kept_open = False
        super().__init__(level, sink=sink)
        with _lock:
            _all.add(self)

    def createLock(self) -> None:  # noqa: N802 - logging's name
        """Have no lock: what records are handed to has its own.

        `logging.shutdown` and `dictConfig` hold a handler's lock while they flush and close it, and the thread that
        they wait for then may itself be logging.
        """
        self.lock = None

    def stop(self, timeout: float | None = None, *, wait: bool = True) -> None:
        """Take no more, and hand on what waits.

        Args:
            timeout: seconds that it may take; the shutdown's by default.
            wait: whether to return only then.
        """
        raise NotImplementedError

    def keep_open(self) -> None:
        """Let `close` do nothing until `retire`: `dictConfig` closes every handler of the process.

        What still waits when the process ends is sent all the same.
        """
        self._kept_open = True

    def retire(self, timeout: float | None = None) -> None:
        """Close for good: return when what waits has an answer, or when the time is over.

        Args:
            timeout: seconds that it may take; the shutdown's by default.
        """
        self._kept_open = False
        self.stop(timeout)
        super().retire()

    def close(self) -> None:
        """Take no more. What waits is sent within the shutdown's time, by the thread, which nobody waits for here."""
        if self._kept_open:
            return
        if not self.retired:
            self.stop(wait=False)
        super().close()
