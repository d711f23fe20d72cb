"""Finding exception classes by identity, without an import and without a call into them.

A contract names a class by a name under which it can be imported. Whoever forges a class of
that name gets nothing: only the object that stands in `sys.modules` under the name counts.
All reading goes through the descriptors of `type` and `ModuleType` themselves, since a
metaclass may give a class any attribute, hash or equality it likes.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable, Mapping
from importlib.machinery import ModuleSpec
from types import MappingProxyType, ModuleType
from typing import Any, Final, Generic, TypeVar

__all__ = ["ClassIndex", "find_class", "find_object", "mro"]

_Row = TypeVar("_Row")

_read_mro: Final[Callable[[type], tuple[type, ...]]] = vars(type)["__mro__"].__get__
_read_class_dict: Final[Callable[[type], Mapping[str, object]]] = vars(type)["__dict__"].__get__
_read_module_dict: Final[Callable[[ModuleType], dict[str, object]]] = vars(ModuleType)["__dict__"].__get__

_MAX_CACHED: Final = 4096
# A value that is asked for may be any text; the cost grows with the square of its dots.
_MAX_NAME: Final = 512
_MAX_DOTS: Final = 31


def mro(cls: type) -> tuple[type, ...]:
    """Return the method resolution order of a class, whatever its metaclass says.

    Args:
        cls: The class.

    .. versionadded:: 0.1.0
    """
    return _read_mro(cls)


def _descends(cls: type, base: type) -> bool:
    return any(entry is base for entry in _read_mro(cls))


def _members(holder: object) -> Mapping[str, object] | None:
    kind = type(holder)
    if _descends(kind, ModuleType):
        return _read_module_dict(holder)  # type: ignore[arg-type]  # just shown to be a module
    if _descends(kind, type):
        return _read_class_dict(holder)  # type: ignore[arg-type]  # just shown to be a class
    return None


def find_object(name: str) -> object | None:
    """Return what a dotted name stands for in the modules that are loaded; None when nothing.

    The longest part of the name that is a loaded module is taken as the module. Nothing is
    imported and no lazy attribute is triggered.

    Args:
        name: A dotted name, such as ``json.decoder.JSONDecodeError``.

    .. versionadded:: 0.1.0
    """
    if len(name) > _MAX_NAME or name.count(".") > _MAX_DOTS:
        return None
    parts = name.split(".")
    for end in range(len(parts), 0, -1):
        found: object = sys.modules.get(".".join(parts[:end]))
        if found is None:
            continue
        for part in parts[end:]:
            members = _members(found)
            found = None if members is None else members.get(part)
            if found is None:
                break
        if found is not None:
            return found
    return None


def find_class(name: str) -> type | None:
    """Return the class of a dotted name in the modules that are loaded; None when none.

    Args:
        name: A dotted name; a name without a dot is one of `builtins`.

    .. versionadded:: 0.1.0
    """
    found = find_object(name if "." in name else f"builtins.{name}")
    return found if found is not None and _descends(type(found), type) else None  # type: ignore[return-value]  # a class by its type's order


def _being_imported(name: str) -> bool:
    """Tell whether the package of a name is loaded but has not run to its end."""
    module = sys.modules.get(name.partition(".")[0])
    members = None if module is None else _members(module)
    spec = None if members is None else members.get("__spec__")
    return type(spec) is ModuleSpec and bool(vars(spec).get("_initializing"))


class ClassIndex(Generic[_Row]):
    """Rows by class: which rows apply to a class, and what was made of them, remembered.

    Args:
        rows: Class name to the row declared under it.
        combine: Makes the answer for a class from the rows of its MRO, nearest first, each
            with a flag that tells whether it is the row of the very class. It is asked only
            when there is at least one.

    .. versionadded:: 0.1.0
    """

    __slots__ = ("_answers", "_combine", "_loaded", "_names", "_resolved", "_rows", "_unfinished")

    def __init__(
        self,
        rows: Mapping[str, Any],
        combine: Callable[[list[tuple[Any, bool]]], _Row],
    ) -> None:
        self._rows = MappingProxyType(dict(rows))
        self._combine = combine
        self._names = tuple(self._rows)
        # Keyed by id and confirmed by identity: hashing a class runs its metaclass's code.
        self._resolved: dict[int, tuple[type, str]] = {}
        self._answers: dict[int, tuple[weakref.ref[type], _Row | None]] = {}
        self._loaded = -1
        self._unfinished = False

    def get(self, cls: type) -> _Row | None:
        """Return what holds for a class, None when neither it nor a base has a row.

        Args:
            cls: The class.
        """
        if len(sys.modules) != self._loaded or self._unfinished:
            self._resolve()
        found = self._answers.get(id(cls))
        if found is not None and found[0]() is cls:
            return found[1]
        # A module may have been reloaded since: a class that was never seen is reason to look.
        self._resolve()
        return self._answer(cls)

    def _resolve(self) -> None:
        loaded = len(sys.modules)
        resolved: dict[int, tuple[type, str]] = {}
        unfinished = False
        for name in self._names:
            cls = find_class(name)
            if cls is not None:
                resolved[id(cls)] = (cls, name)
            elif _being_imported(name):
                unfinished = True
        changed = resolved.keys() != self._resolved.keys()
        self._resolved = resolved
        if changed:
            self._answers = {}
        self._loaded = loaded
        self._unfinished = unfinished

    def _answer(self, cls: type) -> _Row | None:
        rows: list[tuple[Any, bool]] = []
        for entry in _read_mro(cls):
            found = self._resolved.get(id(entry))
            if found is not None and found[0] is entry:
                rows.append((self._rows[found[1]], entry is cls))
        answer = self._combine(rows) if rows else None
        if len(self._answers) >= _MAX_CACHED:
            self._answers = {}
        self._answers[id(cls)] = (weakref.ref(cls), answer)
        return answer
