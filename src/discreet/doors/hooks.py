"""Attributes of other modules that are replaced, and put back unless somebody replaced them again."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["Hook", "Layer", "once"]


class Layer:
    """One replacement of an attribute.

    Attributes:
        before: what the attribute was.
        ours: what it is now.
        active: whether ours does its work; otherwise it hands on to ``before`` as if it weren't there.
    """

    __slots__ = ("active", "before", "ours")

    def __init__(self, before: Any) -> None:
        self.before = before
        self.ours: Any = None
        self.active = True


class Hook:
    """An attribute that is replaced while the doors are open.

    Args:
        owner: a module or a class.
        name: the attribute.
        make: makes the replacement for a layer.
    """

    def __init__(self, owner: Any, name: str, make: Callable[[Layer], Any]) -> None:
        self._owner = owner
        self._name = name
        self._make = make
        self.layers: list[Layer] = []

    def current(self) -> Any:
        """Return what the attribute is now."""
        return getattr(self._owner, self._name, None)

    def open(self) -> None:
        """Replace the attribute, also on top of somebody's replacement of ours."""
        current = self.current()
        if self.layers and current is self.layers[-1].ours:
            return
        layer = Layer(current)
        layer.ours = self._make(layer)
        setattr(self._owner, self._name, layer.ours)
        self.layers.append(layer)

    def close(self) -> None:
        """Put the attribute back as far as it is ours; what lies below somebody else's hook only hands on."""
        while self.layers and self.current() is self.layers[-1].ours:
            layer = self.layers.pop()
            layer.active = False
            setattr(self._owner, self._name, layer.before)
        for layer in self.layers:
            layer.active = False
        self.layers.clear()

    def state(self) -> str:
        """Return ``closed``, ``guarded`` or ``patched over``."""
        if not self.layers:
            return "closed"
        return "guarded" if self.current() is self.layers[-1].ours else "patched over"


class _Entered(threading.local):
    names: tuple[str, ...] = ()


_entered = _Entered()


@contextmanager
def once(name: str) -> Iterator[bool]:
    """Tell whether this is the outermost of our hooks of that name in this thread.

    A hook of another tool that stands between two layers of ours calls the inner one with our own stand-in.
    """
    before = _entered.names
    if name in before:
        yield False
        return
    _entered.names = (*before, name)
    try:
        yield True
    finally:
        _entered.names = before
