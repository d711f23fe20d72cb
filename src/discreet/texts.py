"""Collects the texts of an argument: strings, bytes, objects with text or with fields, and containers of these."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from pathlib import Path, PurePosixPath, PureWindowsPath
from types import FunctionType
from typing import Any, Final
from uuid import UUID

from discreet.errors import InvalidInputError
from discreet.seal.peek import MISSING, class_dict, mro
from discreet.text_fields import UNREADABLE, extras, fields, has_fields

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
_WRITTEN: Final = frozenset({date, datetime, time, PurePosixPath, PureWindowsPath, type(Path())})
"""Values of mappings and fields that a program logs as it would a text."""

_NO_WORDS: Final = (Enum, Decimal, timedelta, UUID)
"""What a program chose, a number, or an identifier that nobody types."""


def collect(value: object, place: str) -> Iterator[tuple[str, str | bytes]]:
    """Return the texts of a value, each with its place.

    Args:
        value: Text, bytes, None, or a mapping, list, tuple, deque or set of these; an object that has fields, such as
            a data class or a model of pydantic; any other with `text`, `content` or `page_content`. In mappings and
            objects, numbers and members of enums count as nothing; a key that no program would have is a text too.
        place: The place of the value itself.

    Raises:
        InvalidInputError: The value or a part of it is something else; `param` says where.

    .. versionadded:: 0.1.0
    """
    return _Collecting().texts(value, place, 0, inner=False)


def shown_key(key: object, number: int) -> str:
    """Return the part of a place that a key of a mapping makes: its name if it is a usual one, else its number."""
    return f".{key}" if type(key) is str and key in _NAMES else f"[{number}]"


class _Collecting:
    """One search for texts. An object that was read is not read again: objects with fields often hold one another."""

    def __init__(self) -> None:
        # Kept, so that none of them goes and another one has its number.
        self._read: dict[int, object] = {}

    def texts(self, value: Any, place: str, depth: int, *, inner: bool) -> Iterator[tuple[str, str | bytes]]:
        if type(value) is str:
            yield place, value
            return
        if depth > _DEPTH:
            raise InvalidInputError(f"is nested deeper than {_DEPTH} levels, or holds itself", param=place)
        # First, since to ask for what else it is may run its code.
        if has_fields(type(value)):
            yield from self._of_fields(value, place, depth)
        elif value is None or (inner and isinstance(value, _NO_TEXT)):
            return
        elif isinstance(value, str):
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
                yield from self.texts(part, at, depth + 1, inner=True)
        elif isinstance(value, (*_SEQUENCES, AbstractSet)):
            for number, part in enumerate(value):
                yield from self.texts(part, f"{place}[{number}]", depth + 1, inner=inner)
        else:
            yield from self._of_object(value, place, depth, inner=inner)

    def _of_fields(self, value: Any, place: str, depth: int) -> Iterator[tuple[str, str | bytes]]:
        if id(value) in self._read:
            return
        self._read[id(value)] = value
        # What stands for it may also be computed, as by a property, or be loaded then.
        found = {name: part for name, part in fields(value) if part is not UNREADABLE or name not in _ATTRIBUTES}
        # What has one of these stands for it, and may hold anything beside it, such as an embedding.
        named = [name for name in _ATTRIBUTES if found.get(name) is not None]
        for name in named:
            yield from self._of_field(found[name], place, depth)
        others = [name for name in _ATTRIBUTES if name not in found and _is_computed(type(value), name)]
        is_text = (yield from self._of_attributes(value, others, place, depth)) if others else False
        if named or is_text:
            return
        for number, (name, part) in enumerate(found.items()):
            yield from self._of_field(part, f"{place}{shown_key(name, number)}", depth)
        yield from self.texts(extras(value), place, depth + 1, inner=True)

    def _of_field(self, part: object, place: str, depth: int) -> Iterator[tuple[str, str | bytes]]:
        if part is UNREADABLE:
            raise InvalidInputError("can't be read without running the object's code", param=place)
        yield from self.texts(part, place, depth + 1, inner=True)

    def _of_object(self, value: Any, place: str, depth: int, *, inner: bool) -> Iterator[tuple[str, str | bytes]]:
        if inner and (type(value) in _WRITTEN or issubclass(type(value), _NO_WORDS)):
            if type(value) in _WRITTEN:
                yield place, _written(value)
            return
        if isinstance(value, type):
            raise InvalidInputError("is a class, not a text", param=place)
        if hasattr(type(value), "__next__"):
            raise InvalidInputError("can be read only once; give a list of it", param=place)
        found = yield from self._of_attributes(value, _ATTRIBUTES, place, depth)
        if not found:
            raise InvalidInputError(
                "is no text, and has none in an attribute text, content or page_content", param=place
            )

    def _of_attributes(
        self, value: Any, names: Iterable[str], place: str, depth: int
    ) -> Generator[tuple[str, str | bytes], None, bool]:
        found = False
        for name in names:
            try:
                part = getattr(value, name, None)
            except Exception as error:
                raise InvalidInputError(f"its attribute {name} can't be read", param=place) from error
            if part is not None and not callable(part):
                found = True
                yield from self.texts(part, place, depth + 1, inner=True)
        return found


def _is_computed(kind: type, name: str) -> bool:
    held = next((found for one in mro(kind) if (found := class_dict(one).get(name, MISSING)) is not MISSING), MISSING)
    return held is not MISSING and type(held) is not FunctionType


def _written(value: Any) -> str:
    if type(value) is datetime or type(value) is time:
        # A time zone may be of a class that runs code.
        value = value.replace(tzinfo=None)
    return str(value)
