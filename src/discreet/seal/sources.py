"""Modules and the code in their files: whether code that runs is a module's own, and which constants that has.

Only a module's own code has literals that its author wrote. Code that was made at run time (``exec``, a notebook's
cell, a template engine) can have a customer's text for a constant.
"""

from __future__ import annotations

import re
import sys
import weakref
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from importlib.machinery import ModuleSpec, SourceFileLoader
from types import CodeType, ModuleType
from typing import Any, Final

from discreet.seal import percent
from discreet.seal.bytecode import flow
from discreet.seal.peek import class_dict, instance_dict, is_class, module_dict, module_file, mro

__all__ = [
    "class_constant",
    "failures",
    "global_constant",
    "is_module_name",
    "module_constant",
    "module_names",
    "module_strings",
    "owner",
    "strings",
]

_MAX_MODULES: Final = 512
_SPAWNED: Final = "__mp_main__"
_MAX_NAME: Final = 256
_NAME: Final = re.compile(r"[^\W\d][\w-]{0,79}(?:\.[^\W\d][\w-]{0,79}){0,31}|<run_path>")
_QUALNAME: Final = re.compile(r"(?:[^\W\d]\w{0,255}|<[a-z]{1,16}>)(?:\.(?:[^\W\d]\w{0,255}|<[a-z]{1,16}>))*")
"""As a compiler names functions. Whoever makes code objects himself can name them after anything."""

_BETWEEN_NAMES: Final = re.compile(r"[\s,]+")
_qualname: Final[Callable[[type], str]] = vars(type)["__qualname__"].__get__

failures: Counter[str] = Counter()
"""How often code or source of a module could not be had or understood, by the class of the error.

.. versionadded:: 0.1.0
"""


class _Constants:
    """String constants of the code in one module's file; the code itself is not kept."""

    def __init__(self, module: ModuleType, code: CodeType | None) -> None:
        self.module = weakref.ref(module)
        self.strings: frozenset[str] = frozenset()
        self.names: frozenset[str] | None = None
        self.assigned: dict[str, Mapping[str, frozenset[str]]] = {}
        if code is None:
            return
        codes = list(_codes(code))
        self.strings = frozenset(text for one in codes for text in strings(one) if len(text) <= _MAX_NAME)
        # Also the words of a text, since it can be a list of names: Enum("Colour", "RED GREEN").
        words = (word for text in self.strings for word in _BETWEEN_NAMES.split(text))
        self.names = frozenset((*words, *(name for one in codes for name in (*one.co_names, one.co_name))))
        for one in codes:
            if one is code:
                self.assigned[""] = _assignments(one)
            elif "__qualname__" in one.co_names:
                self.assigned[one.co_qualname] = _assignments(one)


_known: dict[str, _Constants] = {}


def is_module_name(name: str) -> bool:
    """Tell whether the author of a program can have given a module this name: in words without blanks between them.

    Whoever loads a file by its path calls the module what he likes, and the file may have its name from a customer.

    Args:
        name: the name.

    .. versionadded:: 0.1.0
    """
    return len(name) <= _MAX_NAME and _NAME.fullmatch(name) is not None


def owner(namespace: dict[str, Any], code: CodeType) -> str | None:
    """Return the name of the module whose own code this is, None if it is not the code of an imported module's file.

    Args:
        namespace: the globals with which the code runs.
        code: the code.

    .. versionadded:: 0.1.0
    """
    name = namespace.get("__name__")
    if type(name) is not str or not is_module_name(name) or not _QUALNAME.fullmatch(code.co_qualname):
        return None
    if module_dict(name) is not namespace:
        return name if name == _SPAWNED and _is_spawned_main(code) else None
    file = module_file(namespace)
    if file is None:
        return None
    if file.endswith(".pyc"):
        # Such code has the name of a file that was there when it was compiled.
        tree = _code_of(name)
        return name if tree is not None and _contains(tree, code) else None
    return name if code.co_filename == file else None


def _is_spawned_main(code: CodeType) -> bool:
    """Tell whether this is code of the main script in a spawned worker, whose globals are not its module's.

    multiprocessing runs the script with ``runpy`` and copies what it defines into the module ``__mp_main__``. A
    namespace of that name proves nothing, so the code must be in the script's file.
    """
    file = (module_dict(_SPAWNED) or {}).get("__file__")
    if type(file) is not str or code.co_filename != file:
        return False
    tree = _code_of(_SPAWNED)
    return tree is not None and _contains(tree, code)


def module_strings(name: str) -> frozenset[str]:
    """Return the string constants of at most 256 characters of the code in a loaded module's file.

    There are none if the loader can't give the code.

    Args:
        name: the module's dotted name.

    .. versionadded:: 0.1.0
    """
    found = _constants(name)
    return found.strings if found is not None else frozenset()


def module_names(name: str) -> frozenset[str] | None:
    """Return the names that the code in a loaded module's file uses, and the words of its string constants.

    Args:
        name: the module's dotted name.

    Returns:
        None if the loader can't give the code.

    .. versionadded:: 0.1.0
    """
    found = _constants(name)
    return found.names if found is not None else None


def global_constant(namespace: Mapping[str, Any], name: str, text: str) -> bool:
    """Tell whether a global variable holds this very text, and the module's file assigns it as a constant.

    Args:
        namespace: the globals of a module that :func:`owner` knows.
        name: the variable.
        text: the object that it should hold.

    .. versionadded:: 0.1.0
    """
    return namespace.get(name) is text and text in _assigned(namespace["__name__"], "", name)


def module_constant(namespace: Mapping[str, Any], path: str, name: str, text: str) -> bool:
    """Tell whether a module that a global variable names holds this very text, and its file assigns it so.

    Args:
        namespace: the globals of a module that :func:`owner` knows.
        path: the variable.
        name: the attribute.
        text: the object that it should hold.

    .. versionadded:: 0.1.0
    """
    module = namespace.get(path)
    inside = instance_dict(module) if issubclass(type(module), ModuleType) else None
    own_name = inside.get("__name__") if inside is not None else None
    if inside is None or type(own_name) is not str or module_dict(own_name) is not inside:
        return False
    return global_constant(inside, name, text)


def class_constant(namespace: Mapping[str, Any], path: str, name: str, text: str) -> bool:
    """Tell whether a class or a base of it holds this very text, and the file of that class's module assigns it so.

    Args:
        namespace: the globals of a module that :func:`owner` knows.
        path: the class's qualified name in that module.
        name: the attribute.
        text: the object that it should hold.

    .. versionadded:: 0.1.0
    """
    found: object = None
    inside: Mapping[str, object] = namespace
    for part in path.split("."):
        found = inside.get(part)
        if not is_class(found):
            return False
        inside = class_dict(found)
    if not is_class(found):
        return False
    for base in mro(found):
        members = class_dict(base)
        if name in members:
            module, qualname = members.get("__module__"), _qualname(base)
            return (
                members[name] is text
                and type(module) is str
                and module_dict(module) is not None
                and text in _assigned(module, qualname, name)
            )
    return False


def _constants(name: str) -> _Constants | None:
    module = sys.modules.get(name)
    if not issubclass(type(module), ModuleType):
        return None
    found = _known.get(name)
    if found is None or found.module() is not module:
        if len(_known) >= _MAX_MODULES:
            _known.clear()
        found = _known[name] = _Constants(module, _code_of(name))  # type: ignore[arg-type]  # checked above
    return found


def _code_of(name: str) -> CodeType | None:
    """Return the code of a module's file from its loader, which reads or compiles it and runs none of it."""
    namespace = module_dict(name) or {}
    spec = namespace.get("__spec__")
    loader: Any = spec.loader if type(spec) is ModuleSpec else namespace.get("__loader__")
    real_name = spec.name if type(spec) is ModuleSpec else name
    file = namespace.get("__file__")
    if not hasattr(loader, "get_code") and type(file) is str and file.endswith(".py"):
        # A loader that rewrites the source, such as pytest's.
        loader = SourceFileLoader(real_name, file)
    try:
        code = loader.get_code(real_name)
    except Exception as error:
        # A loader may be anybody's, and the file may be gone: then no constant of the module is proven.
        failures[type(error).__name__] += 1
        return None
    return code if isinstance(code, CodeType) else None


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def strings(code: CodeType) -> Iterator[str]:
    """Yield the string constants of a code object, also those in tuples, but not those of functions within it."""
    todo = list(code.co_consts)
    while todo:
        constant = todo.pop()
        if type(constant) is str:
            yield constant
        elif type(constant) in (tuple, frozenset):
            todo += constant


def _contains(tree: CodeType, code: CodeType) -> bool:
    return any(
        found.co_name == code.co_name and found.co_firstlineno == code.co_firstlineno and found == code
        for found in _codes(tree)
    )


def _assigned(module: str, path: str, name: str) -> frozenset[str]:
    """Return the %-templates that a module's file assigns to a name, at its top level or in the body of a class."""
    found = _constants(module)
    return found.assigned.get(path, {}).get(name, frozenset()) if found is not None else frozenset()


def _assignments(code: CodeType) -> Mapping[str, frozenset[str]]:
    instructions = flow(code)
    if instructions is None:
        return {}
    found: dict[str, frozenset[str]] = {}
    text: str | None = None
    for op, arg in zip(instructions.ops, instructions.args, strict=True):
        if op == "LOAD_CONST":
            constant = code.co_consts[arg]
            text = constant if type(constant) is str and percent.parse_uncached(constant).directives else None
        elif op in ("STORE_NAME", "STORE_GLOBAL"):
            if text is not None:
                name = code.co_names[arg]
                found[name] = found.get(name, frozenset()) | {text}
        elif op != "COPY":
            text = None
    return found
