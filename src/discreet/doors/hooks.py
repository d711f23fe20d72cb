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

    Attributes:
        layers: our replacements of it, the outermost last.

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
        if self.in_place():
            return
        layer = Layer(self.current())
        layer.ours = self._make(layer)
        setattr(self._owner, self._name, layer.ours)
        self.layers.append(layer)

    def in_place(self) -> bool:
        """Tell whether the attribute is ours; what stood on top of it for a while is forgotten then."""
        current = self.current()
        for index, layer in enumerate(self.layers):
            if layer.ours is current:
                del self.layers[index + 1 :]
                return True
        return False

    def close(self) -> None:
        """Put the attribute back as far as it is ours; what lies below somebody else's hook only hands on."""
        layers = self.layers
        while layers and self.in_place():
            setattr(self._owner, self._name, layers[-1].before)
            layers.pop().active = False
        for layer in layers:
            layer.active = False
        layers.clear()

    def state(self) -> str:
        """Return ``closed``, ``guarded`` or ``patched over``."""
        if not self.layers:
            return "closed"
        return "guarded" if self.in_place() else "patched over"


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
