"""The fields of objects that hold data: of data classes, attrs, models of pydantic and named tuples.

Their storage alone is read, and none of their code runs. A field may hold its text behind a property or another
descriptor; it can't be read then.
"""

from __future__ import annotations

import dataclasses
from collections import deque
from collections.abc import Iterator
from types import MemberDescriptorType
from typing import Any, Final

from discreet.seal.peek import MISSING, ClassCache, attribute, class_dict, instance_dict, items, mro

__all__ = ["UNREADABLE", "extras", "fields", "has_fields"]

UNREADABLE: Final = object()
"""Stands for a field that can't be read without running code of the object.

.. versionadded:: 0.1.0
"""

_FIELD: Final = vars(dataclasses)["_FIELD"]
"""What a field of a data class is, and a class variable isn't, which is listed too."""

_HOLDERS: Final = (str, bytes, bytearray, memoryview, list, dict, set, frozenset, deque)
"""What is read as what it is, whatever else its class is."""

_PYDANTIC: Final = ("__pydantic_fields__", "model_fields", "__fields__")
_EXTRA: Final = "__pydantic_extra__"

_known: Final[ClassCache[tuple[str, ...]]] = ClassCache()


def has_fields(kind: type) -> bool:
    """Tell whether instances of a class are read by their fields.

    Args:
        kind: The class.

    .. versionadded:: 0.1.0
    """
    return bool(_names(kind))


def fields(value: Any) -> Iterator[tuple[str, object]]:
    """Yield names and values of an object's fields, as far as they are set.

    Args:
        value: The object. A value is :data:`UNREADABLE` where there may be one that can't be read.

    .. versionadded:: 0.1.0
    """
    names = _names(type(value))
    if issubclass(type(value), tuple):
        for number, part in enumerate(tuple.__iter__(value)):
            yield names[number] if number < len(names) else str(number), part
        return
    stored = items(instance_dict(value))
    for name in names:
        if name in stored:
            yield name, stored[name]
            continue
        found = attribute(value, name)
        if found is not MISSING:
            yield name, found
        elif _is_hidden(type(value), name):
            yield name, UNREADABLE


def extras(value: Any) -> dict[Any, object] | None:
    """Return what a pydantic model was given beside its fields, None if there is nothing.

    Args:
        value: The object.

    .. versionadded:: 0.1.0
    """
    found = attribute(value, _EXTRA)
    return found if type(found) is dict else None


def _is_hidden(kind: type, name: str) -> bool:
    for entry in mro(kind):
        held = class_dict(entry).get(name, MISSING)
        if held is not MISSING:
            # A slot that nobody has filled holds nothing.
            return type(held) is not MemberDescriptorType
    return False


def _names(kind: type) -> tuple[str, ...]:
    found = _known.get(kind)
    if found is None:
        found = () if issubclass(kind, _HOLDERS) else _read_names(kind)
        _known.set(kind, found)
    return found


def _read_names(kind: type) -> tuple[str, ...]:
    for entry in mro(kind):
        held = class_dict(entry)
        if issubclass(kind, tuple):
            listed: Any = held.get("_fields")
            if type(listed) is tuple:
                return _plain(listed)
            continue
        listed = held.get("__dataclass_fields__")
        if type(listed) is dict:
            return _plain(name for name, one in listed.items() if attribute(one, "_field_type") is _FIELD)
        listed = held.get("__attrs_attrs__")
        if issubclass(type(listed), tuple):
            return _plain(attribute(one, "name") for one in tuple.__iter__(listed))
        for name in _PYDANTIC:
            if type(held.get(name)) is dict:
                return _plain(held[name])
    return ()


def _plain(names: Any) -> tuple[str, ...]:
    return tuple(name for name in names if type(name) is str)
