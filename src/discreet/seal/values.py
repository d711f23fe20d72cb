"""What a single value may show of itself: numbers as they are, anything else by type and length band."""

from __future__ import annotations

import enum
import math
from typing import Any, Final

from discreet.seal.classes import class_name, member_name, shown_class

MAX_INT: Final = 9_999_999
"""Integers of up to seven digits are shown; a longer one can hold a birth date, an account or a whole text."""

BEYOND: Final = 1e7
"""Floats are shown below it, as integers are."""

ROUNDED: Final = "%.9g"
"""How a float is shown: a long fraction could hold as much as a long integer."""

_BANDS: Final = ((0, "0"), (15, "1-15"), (63, "16-63"), (255, "64-255"), (1023, "256-1023"), (4095, "1024-4095"))


class Placeholder(str):
    """A value that was left out; ``%r`` shows it as ``%s`` does, without quotes."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str.__str__(self)


def band(length: int) -> str:
    """Return the length band of a text: 0, 1-15, 16-63, 64-255 and so on up to 4096+ characters."""
    for limit, name in _BANDS:
        if length <= limit:
            return name
    return "4096+"


_TEXT: Final = {name: Placeholder(f"<str {name}>") for _, name in (*_BANDS, (0, "4096+"))}
SHORT_UP_TO: Final = 256
SHORT: Final = tuple(_TEXT[band(length)] for length in range(SHORT_UP_TO))
"""What stands for a text of so many characters."""


def of_text(length: int) -> Placeholder:
    """Return what stands for a text of so many characters."""
    return SHORT[length] if length < SHORT_UP_TO else _TEXT[band(length)]


def placeholder(value: object) -> Placeholder:
    """Return what stands for a withheld value: its type, and for text its length band.

    No method of the value is called; a class is named only if it can be imported under that name.
    """
    kind = type(value)
    if kind is str:
        return of_text(len(value))  # type: ignore[arg-type]  # narrowed by the exact type
    if kind is Placeholder:
        return value  # type: ignore[return-value]  # narrowed by the exact type
    # By identity: a look-up in a dict would call the hash of the class's own class.
    if kind is bytes or kind is bytearray:
        return Placeholder(f"<{kind.__name__} {band(len(value))}>")  # type: ignore[arg-type]
    return Placeholder(f"<{shown_class(kind)}>")


def of_float(value: float) -> float | Placeholder:
    """Return what is shown of a float: nine of its digits, and nothing if there are more than seven before the point.

    Infinity and NaN stand as they are.
    """
    if -BEYOND < value < BEYOND:
        return float(ROUNDED % value)
    return Placeholder("<float>") if math.isfinite(value) else value


def shown(value: object) -> Any:
    """Return the value if it may be shown, its name if it is a class or an enum member, else a placeholder.

    Integers of up to seven digits, booleans and None are returned unchanged and a float with nine digits, so that
    ``%d`` and ``%.1f`` work.
    """
    kind = type(value)
    if kind is str:
        return of_text(len(value))  # type: ignore[arg-type]  # narrowed by the exact type
    if kind is int:
        return value if -MAX_INT <= value <= MAX_INT else Placeholder("<int>")  # type: ignore[operator]
    if kind is bool or value is None:
        return value
    if kind is float:
        return of_float(value)  # type: ignore[arg-type]  # narrowed by the exact type
    if issubclass(kind, type):
        return class_name(value) or placeholder(value)  # type: ignore[arg-type]
    if issubclass(kind, enum.Enum):
        return member_name(value) or placeholder(value)
    return placeholder(value)


def is_withheld(value: object) -> bool:
    """Tell whether a value that :func:`shown` returned stands for something left out."""
    return type(value) is Placeholder
