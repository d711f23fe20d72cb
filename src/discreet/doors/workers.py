"""Processes of ``multiprocessing``: what they print when they fail, and the guard in those that are not forked.

A forked child has what its parent had. One that is started by spawn or forkserver is a new program; it gets the guard
with the process object that its parent sends it.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable
from multiprocessing.process import BaseProcess
from typing import Any, Final

from discreet.doors.child import guarded_run, message_to_child
from discreet.doors.hooks import Hook, Layer

__all__ = ["STARTED", "close_door", "door_state", "open_door"]


STARTED: Final[weakref.WeakSet[BaseProcess]] = weakref.WeakSet()
"""The processes that were started with the guard.

.. versionadded:: 0.1.0
"""


def _bootstrap(layer: Layer) -> Callable[..., Any]:
    def bootstrap(self: Any, *args: Any, **kwargs: Any) -> Any:
        if layer.active:
            # On the instance, and only in the child: a subclass has a run() of its own.
            self.run = guarded_run(self.run)
        return layer.before(self, *args, **kwargs)

    bootstrap.__name__ = bootstrap.__qualname__ = "_bootstrap"
    return bootstrap


def _start(layer: Layer) -> Callable[..., Any]:
    def start(self: Any) -> Any:
        if not layer.active:
            return layer.before(self)
        given = self.__dict__
        own = {**given}
        given.clear()
        # First of all, so that the child has the guard before it imports the modules of the process's arguments.
        given["_discreet"] = message_to_child()
        given.update(own)
        STARTED.add(self)
        try:
            return layer.before(self)
        finally:
            given.pop("_discreet", None)

    return start


_HOOKS: Final = (Hook(BaseProcess, "_bootstrap", _bootstrap), Hook(BaseProcess, "start", _start))
_copied: Final[list[Hook]] = []


def open_door() -> None:
    """Guard the processes that ``multiprocessing`` starts, and those of billiard if Celery has loaded it.

    .. versionadded:: 0.1.0
    """
    copied = getattr(sys.modules.get("billiard.process"), "BaseProcess", None)
    if copied is not None and not _copied:
        # Celery's copy of multiprocessing prints the traceback of a task that ends its process, text and all.
        _copied.append(Hook(copied, "_bootstrap", _bootstrap))
    for hook in (*_HOOKS, *_copied):
        hook.open()


def close_door() -> None:
    """Put the methods back.

    .. versionadded:: 0.1.0
    """
    for hook in (*_HOOKS, *_copied):
        hook.close()


def door_state() -> dict[str, str]:
    """Return the state of the hooks as one."""
    states = {hook.state() for hook in (*_HOOKS, *_copied)}
    return {"multiprocessing": next(state for state in ("patched over", "closed", "guarded") if state in states)}
