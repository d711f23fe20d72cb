"""Whose a function or an object is, told without running any of its code."""

from __future__ import annotations

import logging
from functools import partial
from pathlib import Path
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any, Final

import discreet
from discreet.seal.classes import shown_class
from discreet.seal.names import settled_name
from discreet.seal.peek import instance_dict
from discreet.seal.sources import owner

__all__ = ["attributes", "found_on", "holds", "is_of", "is_ours", "named", "place", "shown_logger"]

_DEPTH: Final = 4
_PUBLIC: Final = frozenset(discreet.__all__)


def found_on(value: object, name: str) -> Any:
    """Return the function that stands under a name on an object or in its classes, unbound; None if nothing does.

    Args:
        value: the object.
        name: the attribute.
    """
    found = attributes(value)
    if name in found:
        value = found[name]
        return value.__func__ if type(value) is MethodType else value
    return next((vars(cls)[name] for cls in type(value).__mro__ if name in vars(cls)), None)


def is_of(value: object, module: ModuleType) -> bool:
    """Tell whether a function is written in a module, as Python has it.

    Args:
        value: the function.
        module: the module.
    """
    if type(value) is BuiltinFunctionType:
        return True
    return type(value) is FunctionType and value.__globals__ is vars(module)


def is_ours(value: object) -> bool:
    """Tell whether a function is written in this package, whatever its code object says.

    Args:
        value: the function.
    """
    while type(value) is partial:
        value = value.func
    function = value.__func__ if type(value) is MethodType else value
    module = function.__globals__.get("__name__") if type(function) is FunctionType else type(value).__module__
    return type(module) is str and (module == "discreet" or module.startswith("discreet."))


def holds(function: object, wanted: object) -> bool:
    """Tell whether a function keeps another one that it can hand on to: in its closure, its defaults or as a wrapped.

    Args:
        function: the function.
        wanted: the other one.
    """
    pending: list[tuple[object, int]] = [(function, 0)]
    seen: set[int] = set()
    while pending:
        found, depth = pending.pop()
        if found is wanted:
            return True
        if id(found) in seen or depth > _DEPTH:
            continue
        seen.add(id(found))
        inner: list[object] = []
        if type(found) is FunctionType:
            for cell in found.__closure__ or ():
                try:
                    inner.append(cell.cell_contents)
                except ValueError:
                    # A cell that was not filled yet.
                    continue
            inner += [*(found.__defaults__ or ()), vars(found).get("__wrapped__")]
            if not depth:
                inner += [found.__globals__[name] for name in found.__code__.co_names if name in found.__globals__]
        elif type(found) is MethodType:
            inner += [found.__func__, found.__self__]
        elif type(found) is partial:
            inner += [found.func, *found.args]
        elif depth and type(found).__module__.partition(".")[0] == "wrapt":
            inner += list(attributes(found).values())
        pending += [(one, depth + 1) for one in inner]
    return False


def named(value: object) -> str:
    """Return the dotted name of a function, a class or an object's class, as far as it is written in a program's code.

    Args:
        value: the function, class or object.
    """
    while type(value) is partial:
        value = value.func
    found = value.__func__ if type(value) is MethodType else value
    if type(found) is FunctionType:
        # Whoever wraps a function gives his own the other's names; the code keeps its own.
        module = found.__globals__.get("__name__") if is_ours(found) else owner(found.__globals__, found.__code__)
        return _short(f"{module}.{found.__code__.co_qualname}") if module is not None else "a function made at run time"
    if type(found) is BuiltinFunctionType:
        return f"{found.__module__}.{found.__qualname__}"
    return _short(shown_class(found if isinstance(found, type) else type(found)))


def _short(name: str) -> str:
    """Return a dotted name without what Python puts between nested ones; ours as users write them."""
    last = name.rpartition(".")[2]
    return f"discreet.{last}" if name.startswith("discreet.") and last in _PUBLIC else name.replace(".<locals>.", ".")


def shown_logger(logger: object) -> str:
    """Return a logger's name as far as it is a program's: one that a program makes can be a customer's text.

    Args:
        logger: the logger.
    """
    return settled_name(attributes(logger).get("name"))


def attributes(value: object) -> dict[str, Any]:
    """Return an object's own attributes, read past its class's code; empty where it has none.

    Args:
        value: the object.
    """
    return instance_dict(value) or {}


def place(handler: logging.Handler) -> str:
    """Return where a handler writes, as far as it tells; empty if it doesn't.

    Args:
        handler: the handler.
    """
    import sys

    from discreet.doors.report import raw

    values = attributes(handler)
    for key in ("baseFilename", "_path"):
        path = values.get(key)
        if type(path) is str:
            try:
                return str(Path(path).relative_to(Path.cwd()))
            except (OSError, ValueError):
                return path
    stream = values.get("stream", values.get("_stream"))
    if issubclass(type(handler), logging.StreamHandler) or "_stream" in values:
        for name in ("stdout", "stderr"):
            standard = (getattr(sys, name), raw(name), getattr(sys, f"__{name}__"))
            if stream is not None and any(stream is one for one in standard):
                return f"<{name}>"
        if "_stream" in values and stream is None:
            return "<stdout>"
    return ""
