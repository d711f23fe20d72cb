"""What is done when a process ends, also in children of multiprocessing, many of which run no atexit functions."""

from __future__ import annotations

import atexit
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

from discreet.export.ledger import LEDGER

__all__ = ["at_exit", "not_at_exit"]

_endings: Final[list[Callable[[], None]]] = []
_PRIORITY: Final = -100
"""Below 0, so that the child has joined its own children by then."""


def at_exit(end: Callable[[], None]) -> None:
    """Call a function once when this process ends, or a child that is forked from it.

    Args:
        end: what to call; it is called in the opposite order to that of the registrations.

    .. versionadded:: 0.1.0
    """
    _endings.append(end)
    atexit.register(end)
    _in_worker()


def not_at_exit(end: Callable[[], None]) -> None:
    """Take a function back that was given to :func:`at_exit`.

    .. versionadded:: 0.1.0
    """
    with suppress(ValueError):
        # Two threads may close one thing.
        _endings.remove(end)
    atexit.unregister(end)


def _end_all() -> None:
    for end in reversed(_endings.copy()):
        try:
            not_at_exit(end)
            end()
        except Exception as error:
            # The next one must have its turn, and nobody is left to raise to.
            LEDGER.failure("exit", error)


_workers: Final[set[int]] = set()
"""The process that knows already what to do at its end, where it is a child of multiprocessing."""


def _in_worker() -> None:
    """Have it done at the end of a child that was there before this module: one of a fork server, for example."""
    process: Any = sys.modules.get("multiprocessing.process")
    util: Any = sys.modules.get("multiprocessing.util")
    if process is None or util is None or process.parent_process() is None or os.getpid() in _workers:
        return
    _workers.clear()
    _workers.add(os.getpid())
    util.Finalize(None, _end_all, exitpriority=_PRIORITY)


class _Marker:
    """What multiprocessing keeps by weak reference, in place of an owner."""


_marker: Final = _Marker()


def _in_child() -> None:
    # Imported already if it is multiprocessing that forks; it forgets what it has registered, and then asks these.
    util: Any = sys.modules.get("multiprocessing.util")
    if util is not None:
        util.register_after_fork(_marker, lambda _: util.Finalize(None, _end_all, exitpriority=_PRIORITY))


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)
