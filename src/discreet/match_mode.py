"""Match mode: the loggers that let strings through unless the matcher finds a text of the running call in them.

It is no guard, so it holds for no logger that nobody has named.
"""

from __future__ import annotations

import logging
from copy import copy
from typing import Any, Final

from discreet.contract import Registry, active
from discreet.contract.current import _process
from discreet.errors import ConfigurationError
from discreet.forks import ForkSafeLock

__all__ = ["checked", "in_match_mode", "match_prefixes", "reset", "set_match", "warn_of_match_mode"]


class _Prefixes:
    """The prefixes by who set them, and all of them with a dot at the end; the content loggers last seen."""

    __slots__ = ("by_side", "content", "dotted")

    def __init__(self) -> None:
        self.by_side: dict[str, tuple[str, ...]] = {}
        self.dotted: tuple[str, ...] = ()
        self.content: tuple[Registry | None, tuple[str, ...]] = (None, ())


_lock = ForkSafeLock()
_prefixes: Final = _Prefixes()


def match_prefixes() -> tuple[str, ...]:
    """Return the prefixes of the loggers in match mode, sorted.

    .. versionadded:: 0.1.0
    """
    return tuple(one[:-1] for one in _prefixes.dotted)


def in_match_mode(name: object) -> bool:
    """Tell whether a logger is in match mode: one of the prefixes or below one, and no content logger or below one.

    Args:
        name: the record's `name`.

    .. versionadded:: 0.1.0
    """
    if not _prefixes.dotted or type(name) is not str:
        return False
    dotted = f"{name}."
    return dotted.startswith(_prefixes.dotted) and not dotted.startswith(_content())


def _content() -> tuple[str, ...]:
    registry = active()
    known, names = _prefixes.content
    if known is not registry:
        names = tuple(f"{name}." for contract in registry.contracts for name in contract.content_loggers)
        _prefixes.content = (registry, names)
    return names


def checked(names: tuple[Any, ...], place: str = "match") -> tuple[str, ...]:
    """Return names of loggers that match mode can hold for.

    Args:
        names: the names as somebody gave them.
        place: what they are an argument of.

    Raises:
        ConfigurationError: one is no name, or that of a logger for which there is no match mode.

    .. versionadded:: 0.1.0
    """
    for index, name in enumerate(names):
        where = f"{place}[{index}]"
        if type(name) is str and name.strip() in ("", "root", "*"):
            raise ConfigurationError(
                "match mode lets customer text through that the matcher does not know, so it is not for every logger",
                place=where,
                remedy='Name the loggers that need it, such as "myapp.search".',
            )
        if type(name) is not str or not all(_is_part(part) for part in name.split(".")):
            raise ConfigurationError(
                "is no logger's name", place=where, remedy='Write it as for getLogger(), such as "myapp.search".'
            )
        if f"{name}.".startswith(_content()):
            raise ConfigurationError(
                "is a content logger, whose customer text goes out at DEBUG or not at all",
                place=where,
                remedy="Name another logger; content_debug opens this one.",
            )
    return names


def _is_part(part: str) -> bool:
    return bool(part) and part.isprintable() and part == part.strip() and "*" not in part


def set_match(side: str, names: tuple[str, ...]) -> None:
    """Let match mode hold for these loggers in place of those that the same side named before.

    Args:
        side: who says so: ``configure`` or ``install``.
        names: what :func:`checked` returned.

    .. versionadded:: 0.1.0
    """
    with _lock:
        if _prefixes.by_side.get(side, ()) == names:
            return
        _prefixes.by_side[side] = names
        _prefixes.dotted = tuple(sorted({f"{one}." for some in _prefixes.by_side.values() for one in some}))
    # Call sites remember their logger's mode for as long as they see the same registry.
    with _process.lock:
        if _process.registry is not None:
            _process.install(copy(_process.registry))


def warn_of_match_mode() -> None:
    """Log a WARNING if any logger is in match mode.

    .. versionadded:: 0.1.0
    """
    prefixes = match_prefixes()
    if prefixes:
        logging.getLogger("discreet").warning(
            "Strings are let through on some loggers: match mode is no guard",
            extra={"event": "match_mode_enabled", "prefixes": len(prefixes)},
        )


def reset() -> None:
    """End match mode for all loggers.

    .. versionadded:: 0.1.0
    """
    for side in list(_prefixes.by_side):
        set_match(side, ())
