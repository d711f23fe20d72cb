"""Under which name a class, a function or an enum member may be shown.

A name is shown when it is one of the program and not of its data: importing it gives that
very object and it is written in the code of its module, or it is written in the code of a
function that can be imported. Whoever makes a class out of a customer's text gets the name of
its nearest base that is proven.
"""

from __future__ import annotations

import enum
import sys
from functools import cached_property, partial
from importlib.machinery import ExtensionFileLoader, ModuleSpec
from inspect import CO_OPTIMIZED
from types import CodeType, FunctionType
from typing import Any, Final, NamedTuple

from discreet.seal.peek import (
    MISSING,
    ClassCache,
    attribute,
    class_dict,
    instance_dict,
    is_class,
    item,
    module_dict,
    mro,
)
from discreet.seal.sources import module_names

__all__ = [
    "ClassName",
    "class_name",
    "is_name",
    "member_name",
    "name_of",
    "remember_name",
    "shown_class",
]

MAX_PART: Final = 80
"""Characters that one part of a dotted name may have, so that none holds a sentence.

.. versionadded:: 0.1.0
"""

_LOCALS: Final = "<locals>"
_STANDARD: Final = sys.stdlib_module_names - {"__main__"}
_MAX_PARTS: Final = 16
_MAX_WRAPPERS: Final = 8


class ClassName(NamedTuple):
    """The name of a class as it may be shown.

    Args:
        module: The module's name.
        qualname: The name inside the module.
        exact: Whether it is the class's own name; otherwise it is that of a base.

    .. versionadded:: 0.1.0
    """

    module: str
    qualname: str
    exact: bool

    @property
    def dotted(self) -> str:
        """The name in one piece; a built-in class stands without its module."""
        return self.qualname if self.module == "builtins" else f"{self.module}.{self.qualname}"

    @property
    def shown(self) -> str:
        """The name in one piece, with ``+`` when the class itself is a nameless child."""
        return self.dotted if self.exact else f"{self.dotted}+"


_names: Final[ClassCache[tuple[ClassName, str]]] = ClassCache()
_members: Final[ClassCache[dict[str, str]]] = ClassCache()
_read: Final[dict[str, Any]] = {name: vars(type)[name].__get__ for name in ("__module__", "__qualname__")}


def class_name(cls: type) -> str | None:
    """Return the name of a class if it is proven, else None.

    Args:
        cls: The class. Nothing of it or its metaclass is called.

    .. versionadded:: 0.1.0
    """
    name = name_of(cls)
    return name.dotted if name.exact else None


def shown_class(cls: type) -> str:
    """Return the name of a class, or that of its nearest proven base and ``+``.

    Args:
        cls: The class. Nothing of it or its metaclass is called.

    .. versionadded:: 0.1.0
    """
    found = _names.get(cls)
    return found[1] if found is not None else name_of(cls).shown


def name_of(cls: type) -> ClassName:
    """Return the proven name of a class or of its nearest base that has one.

    Args:
        cls: The class. Nothing of it or its metaclass is called.

    .. versionadded:: 0.1.0
    """
    found = _names.get(cls)
    if found is not None:
        return found[0]
    name = _own_name(cls)
    if name is not None:
        remember_name(cls, name)
        return name
    bases = (_own_name(base) for base in mro(cls)[1:])
    module, qualname, _ = next((one for one in bases if one is not None), _OBJECT)
    name = ClassName(module, qualname, exact=False)
    # What is not proven while a module is being imported may be so when it has run to its end.
    if not _being_imported(_text(cls, "__module__")):
        remember_name(cls, name)
    return name


def remember_name(cls: type, name: ClassName) -> None:
    """Take a name for proven: for the classes that we make ourselves.

    Args:
        cls: The class; it is held weakly.
        name: The name.

    .. versionadded:: 0.1.0
    """
    _names.set(cls, (name, name.shown))


def member_name(value: object) -> str | None:
    """Return ``Class.MEMBER`` of an enum member, None when that is not its name.

    The class must be proven, and the member must stand under its name in the class itself and in its module's code.

    Args:
        value: The member, or anything else. Nothing of it is called.

    .. versionadded:: 0.1.0
    """
    kind = type(value)
    proven = _members.get(kind)
    if proven is None:
        owner = name_of(kind)
        if not owner.exact or _LOCALS in owner.qualname or not any(entry is enum.Enum for entry in mro(kind)):
            return None
        proven = {}
        _members.set(kind, proven)
    name = item(instance_dict(value), "_name_")
    members = class_dict(kind).get("_member_map_")
    if type(name) is not str or type(members) is not dict or members.get(name) is not value:
        return None
    found = proven.get(name)
    if found is None and is_name(name):
        owner = name_of(kind)
        if _is_written(owner.module, name, unknown=False):
            # As many as are written there.
            found = proven[name] = f"{owner.dotted}.{name}"
    return found


def is_name(part: str) -> bool:
    """Tell whether a text can be one part of a dotted name that is shown.

    Args:
        part: The text; only ASCII identifiers of up to 80 characters are names.

    .. versionadded:: 0.1.0
    """
    return len(part) <= MAX_PART and part.isascii() and part.isidentifier()


def _own_name(cls: type) -> ClassName | None:
    module, qualname = _text(cls, "__module__"), _text(cls, "__qualname__")
    if module is None or qualname is None:
        return None
    parts = qualname.split(".")
    if len(parts) > _MAX_PARTS or not all(map(is_name, module.split("."))):
        return None
    if not all(part == _LOCALS or is_name(part) for part in parts):
        return None
    proven = _is_local(module, parts) if _LOCALS in parts else _is_global(cls, module, parts)
    return ClassName(module, qualname, exact=True) if proven else None


def _text(cls: type, name: str) -> str | None:
    try:
        found = _read[name](cls)
    except AttributeError:
        # Somebody deleted it from the class; then the class has no name.
        return None
    return found if type(found) is str else None


def _walk(module: str, parts: list[str]) -> object:
    """Return what a dotted name stands for in a loaded module."""
    found: object = (module_dict(module) or {}).get(parts[0], MISSING)
    for part in parts[1:]:
        if not is_class(found):
            return MISSING
        found = class_dict(found).get(part, MISSING)
    return found


def _is_global(cls: type, module: str, parts: list[str]) -> bool:
    if _walk(module, parts) is not cls:
        return False
    found: object = None
    for depth, part in enumerate(parts):
        written = _is_written(module, part, unknown=True)
        if not written and depth:
            # A base or a metaclass made it, as Django's make DoesNotExist.
            makers = (*mro(found), *mro(type(found)))  # type: ignore[arg-type]  # classes all the way
            modules = {_text(maker, "__module__") for maker in makers}
            written = any(part in (module_names(name) or ()) for name in modules if name is not None)
        if not written:
            return False
        found = _walk(module, parts[: depth + 1])
    return True


def _is_written(module: str | None, name: str, *, unknown: bool) -> bool:
    """Tell whether a name is written in a module's code; `unknown` is the answer where that can't be read.

    The standard library makes some of its enums out of what C has, and nothing of a customer's.
    """
    if module is None or module.partition(".")[0] in _STANDARD:
        return True
    names = module_names(module)
    if names is not None:
        return name in names
    spec = (module_dict(module) or {}).get("__spec__")
    # An extension's names are in no code of Python's.
    return unknown or (type(spec) is ModuleSpec and type(spec.loader) is ExtensionFileLoader)


def _is_local(module: str, parts: list[str]) -> bool:
    """Tell whether the code of a function that can be imported makes a class of this name."""
    at = parts.index(_LOCALS)
    if at == 0:
        return False
    code = _code_of(_walk(module, parts[:at]), parts[at - 1])
    for part in parts[at:]:
        if code is None:
            return False
        if part != _LOCALS:
            code = next((one for one in _inner(code) if one.co_name == part), None)
        elif not code.co_flags & CO_OPTIMIZED:
            return False
    return code is not None and not code.co_flags & CO_OPTIMIZED


def _inner(code: CodeType) -> list[CodeType]:
    return [constant for constant in code.co_consts if type(constant) is CodeType]


def _code_of(found: object, name: str) -> CodeType | None:
    """Return the code of a function that may stand behind decorators."""
    for _ in range(_MAX_WRAPPERS):
        if type(found) is FunctionType and found.__code__.co_name == name:
            return found.__code__
        if type(found) is property:
            found = found.fget
        elif type(found) is cached_property or type(found) is partial:
            found = found.func
        elif type(found) is staticmethod or type(found) is classmethod:
            found = found.__func__
        else:
            found = attribute(found, "__wrapped__")
    return None


def _being_imported(module: str | None) -> bool:
    spec = (module_dict(module) or {}).get("__spec__") if module is not None else None
    return type(spec) is ModuleSpec and item(instance_dict(spec), "_initializing") is True


_OBJECT: Final = ClassName("builtins", "object", exact=True)
