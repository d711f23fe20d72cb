"""What a formatter or handler writes onto the sealed record that it got: shown only if it says nothing new."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Iterable, Mapping
from typing import Any, Final

from discreet.seal.values import Placeholder, shown_after

__all__ = ["harmless"]

_COLOUR: Final = re.compile(r"\x1b\[[0-9;]{0,32}m")
_PIECES: Final = re.compile(r"[0-9]+|[^\W\d_]+")
_FILL: Final = frozenset("-/:.,+ []()T")
_MAX_TEXT: Final = 256
_FORMS: Final = tuple("YymdHIMSjaAbBpZz")


def harmless(value: Any, d: Mapping[str, Any], created: float) -> Any:
    """Return what may stand on a sealed record in place of a value that somebody writes onto it.

    That is the value itself if it is a number, a text that the record has already, whatever its colour, the record's
    own time, or a constant of the code that writes it.

    Args:
        value: what is written.
        d: the record's attributes.
        created: the record's time.
    """
    if type(value) is str and len(value) <= _MAX_TEXT:
        plain = _COLOUR.sub("", value)
        if not plain or any(plain == own for own in d.values() if type(own) is str) or _is_time(plain, created):
            return value
        if _is_constant(value):
            return value
    elif type(value) is Placeholder:
        return value
    return shown_after(value)


def _is_constant(value: str) -> bool:
    # By identity: a customer may have written the same.
    try:
        return any(constant is value for constant in sys._getframe(3).f_code.co_consts)  # noqa: SLF001 -- whoever writes
    except ValueError:
        # No such frame.
        return False


def _is_time(text: str, created: float) -> bool:
    """Tell whether a text says nothing but a record's own time, in local time or UTC."""
    pieces = _PIECES.findall(text)
    if not pieces or not _FILL.issuperset(_PIECES.sub("", text)):
        return False
    fraction = f"{created % 1:.6f}"[2:]
    known = {fraction, fraction[:3], f"{int(created % 1 * 1000):03d}", "T", "Z", "UTC"}
    for at in (time.localtime(created), time.gmtime(created)):
        known.update(_words(time.strftime(f"%{form}", at) for form in _FORMS))
        known.update((str(at.tm_mday), str(at.tm_mon), str(at.tm_hour), time.strftime("%Y%m%d", at)))
        offset = time.strftime("%z", at)
        known.update((offset[1:], offset[1:3], offset[3:]))
    return known.issuperset(pieces)


def _words(texts: Iterable[str]) -> list[str]:
    return [piece for text in texts for piece in _PIECES.findall(text)]
