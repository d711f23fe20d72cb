"""Locks that a forked child can use."""

from __future__ import annotations

import logging
import os
import threading
import weakref
from typing import Final, Protocol

__all__ = ["ForkSafeLock", "Renewable", "holds_a_handlers_lock", "renew_in_children"]


class Renewable(Protocol):
    """Something that a forked child needs anew: a queue, a thread, a connection.

    .. versionadded:: 0.1.0
    """

    def renew(self) -> None:
        """Start anew; called in the child, before anything of the program runs there."""


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
_parts: Final[weakref.WeakSet[Renewable]] = weakref.WeakSet()


def renew_in_children(part: Renewable) -> None:
    """Have something renewed in every process that is forked from this one, after all locks were.

    Args:
        part: held weakly; needs a place for weak references.

    .. versionadded:: 0.1.0
    """
    _parts.add(part)


def _renew_all() -> None:
    for lock in _locks:
        lock.renew()
    for part in _parts:
        part.renew()


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
