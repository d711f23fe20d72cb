"""OpenTelemetry's own log API: what a library emits there past logging reaches processors without its text.

A program's exporters get such a record from the SDK's multi-processors, so that these are where it is made anew, by
the rules of :class:`discreet.GuardedLogRecordExporter`. Records of logging that a handler hands on are sealed already.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import CodeType, FrameType, ModuleType
from typing import Any, Final

from discreet import covers
from discreet.doors.hooks import Hook, Layer
from discreet.seal.record import SealedRecord

__all__ = ["close_door", "door_state", "open_door"]

_MODULE: Final = "opentelemetry.sdk._logs._internal"
_CLASSES: Final = ("SynchronousMultiLogRecordProcessor", "ConcurrentMultiLogRecordProcessor")
_NAME: Final = "opentelemetry.logs"
_FRAMES: Final = 6
"""How far a handler stands from the processor: what is further away emits something else meanwhile."""

_hooks: Final[list[Hook]] = []


class _Finder(MetaPathFinder):
    """Waits for the SDK's module: importing it here would cost those that never need it."""

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if fullname != _MODULE:
            return None
        _wait_no_more()
        spec = find_spec(fullname)
        loader: Any = spec.loader if spec is not None else None
        if loader is None:
            return spec
        execute = loader.exec_module

        def exec_module(module: ModuleType) -> None:
            # On the loader itself: a loader of another class would say that the module has no source.
            del loader.exec_module
            execute(module)
            if _wanted:
                _open(module)

        loader.exec_module = exec_module
        return spec


_finder: Final = _Finder()
_wanted: Final[list[bool]] = []
"""Whether the door is to be open, as one entry."""


def _wait_no_more() -> None:
    with suppress(ValueError):
        sys.meta_path.remove(_finder)


def _emitting(layer: Layer) -> Callable[..., None]:
    def on_emit(self: Any, log_record: Any) -> None:
        if not layer.active or _is_of_a_handler(sys._getframe(1)):  # noqa: SLF001 -- the SDK's, and who called it
            layer.before(self, log_record)
            return
        from discreet.export.log_guard import GuardedLogRecordExporter, exporter_of, withheld

        sealed = withheld(log_record)
        several = getattr(self, "_log_record_processors", ())
        own = [type(exporter_of(one)) is GuardedLogRecordExporter for one in several]
        if not any(own):
            layer.before(self, sealed)
            return
        for processor, guards in zip(several, own, strict=True):
            # One that guards by itself may have keys and names of the operator's.
            processor.on_emit(log_record if guards else sealed)

    return on_emit


def _is_of_a_handler(frame: FrameType | None) -> bool:
    """Tell whether a handler of logging emits what it was given sealed: our cover is one of its callers."""
    between: list[CodeType] = []
    for _ in range(_FRAMES):
        if frame is None:
            return False
        if frame.f_globals is vars(covers):
            found = frame.f_locals
            if any(type(one) is SealedRecord for one in (found.get("record"), *found.get("args", ()))):
                from discreet.doors.line_stream import interrupts

                return not interrupts(between)
        between.append(frame.f_code)
        frame = frame.f_back
    return False


def _open(module: Any) -> None:
    if not _hooks:
        found = [getattr(module, name, None) for name in _CLASSES]
        _hooks.extend(Hook(owner, "on_emit", _emitting) for owner in found if owner is not None)
    for hook in _hooks:
        hook.open()


def open_door() -> None:
    """Guard the SDK's processors of log records, as soon as somebody imports them.

    .. versionadded:: 0.1.0
    """
    _wanted[:] = [True]
    module = sys.modules.get(_MODULE)
    if module is not None:
        _open(module)
    elif _finder not in sys.meta_path:
        sys.meta_path.insert(0, _finder)


def close_door() -> None:
    """Put the methods back.

    .. versionadded:: 0.1.0
    """
    _wanted.clear()
    _wait_no_more()
    for hook in _hooks:
        hook.close()


def door_state() -> dict[str, str]:
    """Return the state of the hooks as one; before the SDK is there, whether it is waited for."""
    states = {hook.state() for hook in _hooks}
    if not states:
        states = {"guarded" if _finder in sys.meta_path else "closed"}
    return {_NAME: next(state for state in ("patched over", "closed", "guarded") if state in states)}
