"""sys.unraisablehook: exceptions in ``__del__``, in callbacks of C code and at exit, which Python can't raise."""

from __future__ import annotations

import builtins
import logging
import sys
from collections.abc import Callable
from typing import Any

from discreet.doors.hooks import Hook, Layer
from discreet.doors.report import Stand, tell
from discreet.doors.uncaught import run_guarded
from discreet.seal.classes import shown_class
from discreet.seal.values import placeholder

__all__ = ["close_door", "door_state", "open_door"]


def _unraisable(layer: Layer) -> Callable[[Any], None]:
    def unraisablehook(args: Any, /) -> None:
        if layer.active:
            run_guarded("sys.unraisablehook", args.exc_value, lambda: _ignored(layer, args))
        else:
            layer.before(args)

    return unraisablehook


def _ignored(layer: Layer, args: Any) -> None:
    def previous(stand: Stand | None) -> None:
        if layer.before is not sys.__unraisablehook__ and callable(layer.before):
            # Python's own prints the object's repr, and the message can be any C code's.
            safe = stand if stand is not None else (args.exc_type, None, None)
            layer.before(type(args)((*safe, None, placeholder(args.object))))

    tell(
        "Ignored exception",
        "An exception was ignored that could not be raised",
        "ignored_exception",
        logging.ERROR,
        args.exc_value,
        args.exc_type,
        args.exc_traceback,
        previous,
    )


def _know_builtin_names() -> None:
    """Prove the names of built-in exceptions now: when the interpreter ends there are no modules to find them in."""
    for found in vars(builtins).values():
        if isinstance(found, type) and issubclass(found, BaseException):
            shown_class(found)


_HOOK = Hook(sys, "unraisablehook", _unraisable)


def open_door() -> None:
    """Render ignored exceptions our way.

    .. versionadded:: 0.1.0
    """
    _know_builtin_names()
    _HOOK.open()


def close_door() -> None:
    """Put the hook back.

    .. versionadded:: 0.1.0
    """
    _HOOK.close()


def door_state() -> dict[str, str]:
    """Return the hook's state."""
    return {"sys.unraisablehook": _HOOK.state()}
