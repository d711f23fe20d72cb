"""Reading objects without running any of their code.

A class may override attribute access, equality, hashing or truth, and its metaclass may do
the same for the class itself. So everything is read through the descriptors of the built-in
types, which look at the object's own storage and call nothing.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable, Mapping
from enum import Enum
from importlib.machinery import SourceFileLoader, SourcelessFileLoader
from types import (
    GetSetDescriptorType,
    MemberDescriptorType,
    ModuleType,
    NoneType,
    TracebackType,
)
from typing import Any, Final, Generic, TypeGuard, TypeVar

__all__ = [
    "MISSING",
    "ClassCache",
    "Missing",
    "arguments",
    "attribute",
    "behind",
    "cause",
    "class_dict",
    "class_level",
    "context",
    "instance_dict",
    "is_class",
    "is_exception",
    "item",
    "items",
    "leaves",
    "module_dict",
    "module_file",
    "mro",
    "suppresses_context",
    "traceback_of",
]

_Value = TypeVar("_Value")


class Missing(Enum):
    """The type of `MISSING`.

    .. versionadded:: 0.1.0
    """

    MISSING = "missing"


MISSING: Final = Missing.MISSING
"""What is returned for an attribute that is not there or can't be read without running code.

.. versionadded:: 0.1.0
"""

_SCALARS: Final = (str, int, float, bool, NoneType)
_OF_EXCEPTION: Final = vars(BaseException)

mro: Final[Callable[[type], tuple[type, ...]]] = vars(type)["__mro__"].__get__
"""The method resolution order of a class, whatever its metaclass says.

.. versionadded:: 0.1.0
"""

class_dict: Final[Callable[[type], Mapping[str, Any]]] = vars(type)["__dict__"].__get__
"""The namespace of a class, without its bases'.

.. versionadded:: 0.1.0
"""

cause: Final[Callable[[BaseException], BaseException | None]] = _OF_EXCEPTION["__cause__"].__get__
"""The exception that was named in ``raise ... from``.

.. versionadded:: 0.1.0
"""

context: Final[Callable[[BaseException], BaseException | None]] = _OF_EXCEPTION["__context__"].__get__
"""The exception that was being handled when this one was raised.

.. versionadded:: 0.1.0
"""

suppresses_context: Final[Callable[[BaseException], bool]] = _OF_EXCEPTION["__suppress_context__"].__get__
"""Whether the context is not to be shown.

.. versionadded:: 0.1.0
"""

traceback_of: Final[Callable[[BaseException], TracebackType | None]] = _OF_EXCEPTION["__traceback__"].__get__
"""The traceback that the exception carries itself.

.. versionadded:: 0.1.0
"""

arguments: Final[Callable[[BaseException], tuple[object, ...]]] = _OF_EXCEPTION["args"].__get__
"""What the exception was made with.

.. versionadded:: 0.1.0
"""

leaves: Final[Callable[[BaseExceptionGroup[BaseException]], tuple[BaseException, ...]]] = vars(BaseExceptionGroup)[
    "exceptions"
].__get__
"""The exceptions that stand directly in a group.

.. versionadded:: 0.1.0
"""

_exception_dict: Final[Callable[[object], dict[str, object] | None]] = _OF_EXCEPTION["__dict__"].__get__
_module_dict: Final[Callable[[object], dict[str, object]]] = vars(ModuleType)["__dict__"].__get__


def behind(exc: BaseException) -> BaseException | None:
    """Return what a traceback would show as the reason of an exception.

    .. versionadded:: 0.1.0
    """
    found = cause(exc)
    if found is None and not suppresses_context(exc):
        return context(exc)
    return found


def is_class(value: object) -> TypeGuard[type]:
    """Tell whether a value is a class, without looking at its `__class__`.

    .. versionadded:: 0.1.0
    """
    return issubclass(type(value), type)


def is_exception(value: object) -> TypeGuard[BaseException]:
    """Tell whether a value is an exception, without looking at its `__class__`.

    .. versionadded:: 0.1.0
    """
    return issubclass(type(value), BaseException)


def instance_dict(value: object) -> dict[str, object] | None:
    """Return the dict in which an instance stores its attributes; None when it has none.

    A class that calls a property `__dict__` doesn't hide the real one.

    .. versionadded:: 0.1.0
    """
    kind = type(value)
    if issubclass(kind, BaseException):
        return _exception_dict(value)
    if issubclass(kind, ModuleType):
        return _module_dict(value)
    read = _storages.get(kind)
    if read is None:
        read = _storage(kind)
        _storages.set(kind, read)
    try:
        found = read(value)
    except TypeError:
        # The descriptor was taken from another class's namespace.
        return None
    return found if issubclass(type(found), dict) else None


def items(found: dict[Any, object] | None) -> dict[str, object]:
    """Return what an instance's dict holds under strings, in a dict that is safe to look up in.

    Args:
        found: The dict; only what is stored in it is looked at.

    .. versionadded:: 0.1.0
    """
    if found is None:
        return {}
    # In the original, a key of a class derived from str would be asked whether it is equal.
    return {key: value for key, value in list(dict.items(found)) if type(key) is str}


def item(found: dict[Any, object] | None, name: str) -> object:
    """Return what stands in an instance's dict under a name; `MISSING` when nothing.

    Args:
        found: The dict; only what is stored in it is looked at.
        name: The key.

    .. versionadded:: 0.1.0
    """
    if found is not None:
        for key, value in list(dict.items(found)):
            if type(key) is str and key == name:
                return value
    return MISSING


def class_level(
    cls: type, name: str, trusted: Callable[[type], bool] | None = None
) -> Callable[[object], object] | None:
    """Return a reader of an attribute that the class of an instance gives it.

    Slots and other C-level members, and plain numbers and strings of a class, need no code of
    the class. A property is one of its functions.

    Args:
        cls: The instance's class.
        name: The attribute.
        trusted: Tells whether the property of a class may be called; none is by default.

    Returns:
        The reader; None when there is nothing to read or it may not be read.

    .. versionadded:: 0.1.0
    """
    for at, entry in enumerate(mro(cls)):
        found = class_dict(entry).get(name, MISSING)
        if found is MISSING:
            continue
        kind = type(found)
        if any(kind is scalar for scalar in _SCALARS):
            return lambda _instance: found
        runs_code = kind is property or kind is GetSetDescriptorType
        if kind is MemberDescriptorType or (runs_code and trusted is not None and trusted(entry)):
            return _Reader(name, at, kind)
        return None
    return None


def _storage(cls: type) -> _Reader:
    for at, entry in enumerate(mro(cls)):
        kind: type = type(class_dict(entry).get("__dict__"))
        if kind is GetSetDescriptorType or kind is MemberDescriptorType:
            return _Reader("__dict__", at, kind)
    return _NOT_STORED


class _Reader:
    """Reads through the descriptor at a place in the order of an instance's class.

    The descriptor itself is not kept: it keeps its class, which then would never go away.
    """

    __slots__ = ("at", "kind", "name")

    def __init__(self, name: str, at: int, kind: type) -> None:
        self.name = name
        self.at = at
        self.kind = kind

    def __call__(self, instance: object) -> Any:
        order = mro(type(instance))
        # The class may have been given other bases or another attribute since.
        if self.at >= len(order):
            return MISSING
        found: Any = class_dict(order[self.at]).get(self.name)
        kind: type = type(found)
        return found.__get__(instance) if kind is self.kind else MISSING


def attribute(value: object, name: str) -> object:
    """Return an attribute of any object as far as that runs none of its code, else `MISSING`.

    Args:
        value: The object.
        name: The attribute.

    .. versionadded:: 0.1.0
    """
    found = item(instance_dict(value), name)
    if found is not MISSING:
        return found
    read = class_level(type(value), name)
    if read is None:
        return MISSING
    try:
        return read(value)
    except (AttributeError, TypeError):
        # A slot that was never filled, or one that a class took from another class's namespace.
        return MISSING


def module_dict(name: str) -> dict[str, object] | None:
    """Return the namespace of a loaded module; None when there is no such module.

    Nothing is imported, and no `__getattr__` of a module is called.

    Args:
        name: The module's dotted name.

    .. versionadded:: 0.1.0
    """
    module = sys.modules.get(name)
    return _module_dict(module) if issubclass(type(module), ModuleType) else None


def module_file(namespace: Mapping[str, object]) -> str | None:
    """Return the file of a module; None when it has none.

    Python takes ``__file__`` away from the main script when that has run to its end, though functions of it still run:
    in threads, and at the end of the process.

    Args:
        namespace: The module's, as :func:`module_dict` returns it.

    .. versionadded:: 0.1.0
    """
    file = namespace.get("__file__")
    if type(file) is str:
        return file
    loader = namespace.get("__loader__")
    if "__file__" in namespace or namespace.get("__name__") != "__main__":
        return None
    if type(loader) is not SourceFileLoader and type(loader) is not SourcelessFileLoader:
        return None
    path = vars(loader).get("path")
    return path if type(path) is str else None


class ClassCache(Generic[_Value]):
    """Values by class. The classes are held weakly, and none is hashed or compared.

    A `WeakKeyDictionary` would call `__hash__` and `__eq__` of the class's metaclass.

    .. versionadded:: 0.1.0
    """

    __slots__ = ("_entries",)

    def __init__(self) -> None:
        self._entries: dict[int, tuple[weakref.ref[type], _Value]] = {}

    def get(self, cls: type) -> _Value | None:
        """Return what was stored for a class, None when nothing was."""
        entry = self._entries.get(id(cls))
        return entry[1] if entry is not None and entry[0]() is cls else None

    def set(self, cls: type, value: _Value) -> None:
        """Store a value for as long as the class lives."""
        key = id(cls)
        entries = self._entries

        def forget(gone: weakref.ref[type]) -> None:
            entry = entries.get(key)
            if entry is not None and entry[0] is gone:
                del entries[key]

        entries[key] = (weakref.ref(cls, forget), value)

    def clear(self) -> None:
        """Forget all."""
        self._entries.clear()

    def __len__(self) -> int:
        return len(self._entries)


_storages: Final[ClassCache[_Reader]] = ClassCache()
_NOT_STORED: Final = _Reader("__dict__", sys.maxsize, type)
