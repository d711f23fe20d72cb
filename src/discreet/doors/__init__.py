"""The side doors: ways on which text leaves a process without a handler, and what stands in each of them.

``install()`` opens them and ``uninstall()`` closes them; each is a file of its own here.
"""

from __future__ import annotations

import sys
from typing import Any, Final

__all__ = ["close_doors", "close_streams", "door_states", "open_doors", "streams_guarded"]

_DOORS: Final = ("last_resort", "uncaught", "unraisable", "warned", "workers", "otel_logs", "streams")


def open_doors(*, streams: bool = False) -> None:
    """Put a guard into every side door. Calling it again puts it on top of what patched over it meanwhile.

    Args:
        streams: whether lines that something else than a handler writes to ``sys.stdout`` and ``sys.stderr`` become
            sealed records; once asked for that stays so until :func:`close_doors`. Otherwise a stream that stands in
            their place now, such as one in which a program collects its output, is left alone.

    .. versionadded:: 0.1.0
    """
    for name in _DOORS[:-1]:
        _door(name).open_door()
    if streams:
        _door("streams").open_door()


def close_doors() -> None:
    """Undo :func:`open_doors`: every hook is what it was, unless somebody patched over it; then ours does nothing.

    .. versionadded:: 0.1.0
    """
    for name in reversed(_DOORS):
        _door(name).close_door()


def close_streams() -> None:
    """Undo what ``streams=True`` did, and leave the other doors as they are.

    .. versionadded:: 0.1.0
    """
    _door("streams").close_door()


def streams_guarded() -> bool:
    """Tell whether the streams were put under guard, whoever patched over that since.

    .. versionadded:: 0.1.0
    """
    # What was never loaded was never opened.
    return "discreet.doors.streams" in sys.modules and any(
        state != "closed" for state in _door("streams").door_state().values()
    )


def door_states() -> dict[str, str]:
    """Return for each door ``guarded``, ``closed``, or ``patched over`` when somebody put a hook on top of ours.

    A hook on top of ours gets the exception, warning or line before ours does, with its text.

    .. versionadded:: 0.1.0
    """
    found: dict[str, str] = {}
    for name in _DOORS:
        states = _door(name).door_state()
        found.update(states if isinstance(states, dict) else {name: states})
    return found


def _door(name: str) -> Any:
    # `import discreet` needs only the door of the last resort, and that costs nothing.
    from importlib import import_module

    return import_module(f"discreet.doors.{name}")
