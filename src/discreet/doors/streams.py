"""sys.stdout and sys.stderr: replaced by streams whose lines become sealed records, if the operator asks for it."""

from __future__ import annotations

import atexit
import logging
import os
import sys
from collections.abc import Callable, Iterable
from typing import Any, Final

from discreet.doors.hooks import Hook, Layer
from discreet.doors.line_stream import LineStream

__all__ = ["close_door", "door_state", "open_door"]


def _replacing(name: str) -> Callable[[Layer], Any]:
    def make(layer: Layer) -> Any:
        if layer.before is None:
            # Python without a console has no streams.
            return None
        return LineStream(layer.before, name, layer)

    return make


_HOOKS: Final = {name: Hook(sys, name, _replacing(name)) for name in ("stdout", "stderr")}
_levels: dict[str, int] = {}


def _streams() -> Iterable[LineStream]:
    return [layer.ours for hook in _HOOKS.values() for layer in hook.layers if isinstance(layer.ours, LineStream)]


def _finish_all() -> None:
    for stream in _streams():
        stream.finish_all()


def _forget_all() -> None:
    for stream in _streams():
        stream.forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_all)


def open_door() -> None:
    """Turn the lines of ``sys.stdout`` and ``sys.stderr`` into records.

    .. versionadded:: 0.1.0
    """
    if not _levels:
        atexit.register(_finish_all)
    for name, hook in _HOOKS.items():
        logger = logging.getLogger(name)
        if name not in _levels:
            _levels[name] = logger.level
            if logger.level == logging.NOTSET:
                # Who asks for the lines wants them also where the root logger takes warnings only.
                logger.setLevel(logging.INFO)
        hook.open()


def close_door() -> None:
    """Put the streams back, after what was begun on them.

    .. versionadded:: 0.1.0
    """
    if not _levels:
        return
    _finish_all()
    atexit.unregister(_finish_all)
    for name, hook in _HOOKS.items():
        hook.close()
        logger = logging.getLogger(name)
        if _levels[name] == logging.NOTSET and logger.level == logging.INFO:
            logger.setLevel(logging.NOTSET)
    _levels.clear()


def door_state() -> dict[str, str]:
    """Return each stream's state."""
    return {f"sys.{name}": hook.state() for name, hook in _HOOKS.items()}
