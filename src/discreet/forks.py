"""Locks that a forked child can use."""

from __future__ import annotations

import logging
import os
import threading
import weakref
from typing import Final

__all__ = ["ForkSafeLock", "holds_a_handlers_lock"]


_RLock: Final = type(threading.RLock())


class ForkSafeLock(_RLock):  # type: ignore[misc, valid-type]  # what threading.RLock() makes has no name of its own
    """A reentrant lock that a child process gets anew.

    A thread of the parent may hold a lock at the moment of the fork. That thread isn't in the child, so nobody would
    ever release it there. Reentrant, because a signal handler may log while its thread holds the lock. A subclass,
    because entering and leaving are no functions of Python's then, at whose beginning a signal handler may raise: the
    lock would be held for ever.

    .. versionadded:: 0.1.0
    """

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__()
        _locks.add(self)

    def renew(self) -> None:
        """Be free, whoever holds the lock."""
        # As threading and logging do with theirs.
        self._at_fork_reinit()


_locks: Final[weakref.WeakSet[ForkSafeLock]] = weakref.WeakSet()


def _renew_all() -> None:
    for lock in _locks:
        lock.renew()


# One hook for all locks: a hook that was registered once can't be taken back.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_all)


def holds_a_handlers_lock() -> bool:
    """Tell whether this thread holds the lock of any handler."""
    for reference in list(logging._handlerList):  # type: ignore[attr-defined]  # noqa: SLF001 -- no other list
        owned = getattr(getattr(reference(), "lock", None), "_is_owned", None)
        if owned is not None and owned():
            return True
    return False
