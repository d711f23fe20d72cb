"""Locks that a forked child can use."""

from __future__ import annotations

import logging
import os
import threading
import weakref
from types import TracebackType
from typing import Final, Protocol

__all__ = ["ForkSafeLock", "Renewable", "holds_a_handlers_lock", "renew_in_children"]


class Renewable(Protocol):
    """Something that a forked child needs anew: a queue, a thread, a connection.

    .. versionadded:: 0.1.0
    """

    def renew(self) -> None:
        """Start anew; called in the child, before anything of the program runs there."""


class ForkSafeLock:
    """A reentrant lock that a child process gets anew.

    A thread of the parent may hold a lock at the moment of the fork. That thread isn't in the child, so nobody would
    ever release it there. Reentrant, because a signal handler may log while its thread holds the lock.

    .. versionadded:: 0.1.0
    """

    __slots__ = ("__weakref__", "_lock")

    def __init__(self) -> None:
        self._lock = threading.RLock()
        _locks.add(self)

    def renew(self) -> None:
        """Take a new lock, whoever holds the old one."""
        self._lock = threading.RLock()

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._lock.release()


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
