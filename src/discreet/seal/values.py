"""What a single value may show of itself: numbers as they are, anything else by type and length band."""

from __future__ import annotations

import enum
import math
import threading
from typing import Any, Final

from discreet.declared import Public
from discreet.scoped import place_of
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
    ``%d`` and ``%.1f`` work. Of what is declared public, text and longer numbers are shown too.
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
    if kind is Public:
        return shown_public(value)  # type: ignore[arg-type]  # narrowed by the exact type
    if issubclass(kind, type):
        return class_name(value) or placeholder(value)  # type: ignore[arg-type]
    if issubclass(kind, enum.Enum):
        return member_name(value) or placeholder(value)
    return placeholder(value)


MAX_PUBLIC: Final = 1023
"""Characters of a text that can be declared public."""

_INT64: Final = 2**63
NOTES: Final[list[tuple[int, str, str, str]]] = []
"""What threads noted of single values since they last asked: thread, reason, kind, and of a public value its text."""


def note(reason: str, kind: str, text: str = "") -> None:
    """Note for the ledger that a value was shown as declared public, or was withheld for a rare reason.

    Args:
        reason: ``declared``, or a key of :data:`discreet.export.ledger.REASONS`.
        kind: what the value is of its record: ``message``, ``argument`` or ``attribute``; "" to note nothing.
        text: what is seen of a value that was declared public.
    """
    if kind:
        NOTES.append((threading.get_ident(), reason, kind, text))


def _place(text: str) -> str | None:
    """Return the place of the text that a public value agrees with, alone or behind those that its record has before.

    A program may cut a text and declare each piece: none of them agrees with it, and side by side they are the text.
    """
    place = place_of(text)
    if place is None and NOTES:
        thread = threading.get_ident()
        before = [one[3] for one in NOTES.copy() if one[0] == thread and one[3]]
        if before:
            return place_of("".join((*before, text)))
    return place


def shown_public(declared: Public[Any], kind_of_value: str = "argument") -> Any:
    """Return what is shown of a value that was declared public, a placeholder if it isn't shown.

    Text stands as it is if it is on one line, printable and no longer than 1023 characters, an integer if 64 bits hold
    it; either is withheld when it agrees with a text of the running call, and the placeholder names that text's place.
    """
    value = declared.value
    kind = type(value)
    seen = ""
    if kind is str:
        if len(value) > MAX_PUBLIC or not value.isprintable():
            return placeholder(value)
        seen = value
        place = _place(value)
        if place is not None:
            note("matched", kind_of_value)
            return Placeholder(f"<{place} {band(len(value))}>")
    elif kind is int and not -MAX_INT <= value <= MAX_INT:
        if not -_INT64 <= value < _INT64:
            return Placeholder("<int>")
        seen = str(value)
        place = _place(seen)
        if place is not None:
            note("matched", kind_of_value)
            return Placeholder(f"<{place} int>")
    elif kind is float and math.isfinite(value):
        seen = repr(value)
        place = _place(seen) if of_float(value) != value else None
        if place is not None:
            note("matched", kind_of_value)
            return Placeholder(f"<{place} float>")
    else:
        value = shown(value) if kind is not Public else placeholder(value)
        if type(value) is Placeholder:
            return value
        # Of numbers every digit counts: a program may cut a long one too.
        seen = str(value) if type(value) is int else ""
    note("declared", kind_of_value, seen)
    return value


def shown_after(value: object) -> Any:
    """Return what :func:`shown` does of what was written onto a record once it was sealed.

    It is noted nowhere: a thread that only hands sealed records on, such as a queue's listener, never asks for notes.
    """
    return shown_public(value, "") if type(value) is Public else shown(value)


def notes() -> list[tuple[str, str]]:
    """Return reason and kind of all that this thread noted since it last asked."""
    thread = threading.get_ident()
    own = [one for one in NOTES.copy() if one[0] == thread]
    for one in own:
        NOTES.remove(one)
    return [(reason, kind) for _, reason, kind, _ in own]


def is_withheld(value: object) -> bool:
    """Tell whether a value that :func:`shown` returned stands for something left out."""
    return type(value) is Placeholder
