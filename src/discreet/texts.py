"""Collects the texts of an argument: strings, bytes, objects that have text, and containers of these."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import Any, Final

from discreet.errors import InvalidInputError

__all__ = ["collect"]

_ATTRIBUTES: Final = ("text", "content", "page_content")
_NAMES: Final = frozenset(
    {*_ATTRIBUTES, "answer", "body", "chunk", "context", "document", "input", "message", "messages", "metadata"}
    | {"prompt", "q", "query", "question", "quote", "section", "snippet", "summary", "title"}
)
"""Keys that may stand in a place. Others may have been written by a customer; they are told by their number."""

PROGRAM_KEY: Final = re.compile(r"[a-z_$@][A-Za-z0-9_.$-]{0,39}", re.ASCII)
"""Keys that programs have. Any other, also one that begins as a name does, may have been written by a customer."""

_DEPTH: Final = 16
_NO_TEXT: Final = (int, float, complex)
_SEQUENCES: Final = (list, tuple, deque)


def collect(value: object, place: str) -> Iterator[tuple[str, str | bytes]]:
    """Return the texts of a value, each with its place.

    Args:
        value: Text, bytes, an object with `text`, `content` or `page_content`, None, or a mapping, list, tuple,
            deque or set of these. In mappings and objects, numbers count as nothing; a key that no program would
            have is a text too.
        place: The place of the value itself.

    Raises:
        InvalidInputError: The value or a part of it is something else; `param` says where.

    .. versionadded:: 0.1.0
    """
    return _texts(value, place, 0, inner=False)


def shown_key(key: object, number: int) -> str:
    """Return the part of a place that a key of a mapping makes: its name if it is a usual one, else its number."""
    return f".{key}" if type(key) is str and key in _NAMES else f"[{number}]"


def _texts(value: Any, place: str, depth: int, *, inner: bool) -> Iterator[tuple[str, str | bytes]]:
    if depth > _DEPTH:
        raise InvalidInputError(f"is nested deeper than {_DEPTH} levels, or holds itself", param=place)
    if value is None or (inner and isinstance(value, _NO_TEXT)):
        return
    if isinstance(value, str):
        # The methods of a subclass say what they like.
        yield place, str.__str__(value)
    elif isinstance(value, bytes | bytearray | memoryview):
        # A subclass may have bytes of its own to show.
        yield place, bytes(value) if type(value) is memoryview else b"".join((value,))
    elif isinstance(value, Mapping):
        for number, (key, part) in enumerate(value.items()):
            at = f"{place}{shown_key(key, number)}"
            if isinstance(key, str) and not PROGRAM_KEY.fullmatch(plain := str.__str__(key)):
                yield at, plain
            yield from _texts(part, at, depth + 1, inner=True)
    elif isinstance(value, (*_SEQUENCES, AbstractSet)):
        for number, part in enumerate(value):
            yield from _texts(part, f"{place}[{number}]", depth + 1, inner=inner)
    else:
        yield from _of_object(value, place, depth)


def _of_object(value: Any, place: str, depth: int) -> Iterator[tuple[str, str | bytes]]:
    if isinstance(value, type):
        raise InvalidInputError("is a class, not a text", param=place)
    if hasattr(type(value), "__next__"):
        raise InvalidInputError("can be read only once; give a list of it", param=place)
    found = False
    for name in _ATTRIBUTES:
        try:
            part = getattr(value, name, None)
        except Exception as error:
            raise InvalidInputError(f"its attribute {name} can't be read", param=place) from error
        if part is not None and not callable(part):
            found = True
            yield from _texts(part, place, depth + 1, inner=True)
    if not found:
        raise InvalidInputError("is no text, and has none in an attribute text, content or page_content", param=place)
