"""Which texts a function is called with, by the names of its parameters."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from inspect import signature
from typing import Any, Final, NamedTuple

from discreet.errors import InvalidInputError
from discreet.texts import collect

__all__ = ["Found", "Given"]

_BUILT_IN: Final = (str, bytes, list, tuple, dict)


class Found(NamedTuple):
    """What is known of the arguments of one call.

    .. versionadded:: 0.1.0
    """

    arguments: Mapping[str, Any] | None
    """By parameter; None if they don't fit."""

    texts: dict[str, object]
    """Customer texts by name."""

    whole: bool
    """Whether these are all: not so where arguments don't fit that the function may take nevertheless."""


class Given:
    """Finds the texts among the arguments of a function's calls.

    A decorator that hands on the function's signature, as ``functools.wraps`` does, may put arguments in that its
    callers don't give, or take some away. Which parameter a positional argument is for can't be known then, so each is
    a text.

    Args:
        function: The function.
        names: The parameters that hold customer text.
        option: How a message names these.
        defaults: Whether the defaults of what isn't given count as given.

    Raises:
        InvalidInputError: A name is none of the function's parameters.

    .. versionadded:: 0.1.0
    """

    __slots__ = ("_defaults", "_form", "_names", "wrapped")

    def __init__(
        self, function: Callable[..., Any], names: Collection[str], option: str, *, defaults: bool = True
    ) -> None:
        self._form = signature(function)
        self._defaults = defaults
        self._names = tuple(names)
        self.wrapped = hasattr(function, "__wrapped__") or hasattr(function, "__signature__")
        for number, name in enumerate(self._names):
            if name not in self._form.parameters:
                # The word isn't quoted: somebody may have written a text there.
                raise InvalidInputError("is the name of no parameter of the function", param=f"{option}[{number}]")

    def find(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Found:
        """Return what is known of the arguments of a call. Raises nothing.

        Args:
            args: The positional ones.
            kwargs: The named ones.
        """
        try:
            bound = self._form.bind(*args, **kwargs)
        except TypeError:
            # The function itself will say so, to its caller, or takes them after all.
            return Found(None, _texts((*args, *kwargs.values())) if self.wrapped else {}, not self.wrapped)
        if self._defaults:
            bound.apply_defaults()
        texts: dict[str, object] = {name: bound.arguments.get(name) for name in self._names}
        if self.wrapped:
            named = set(map(id, texts.values()))
            texts |= _texts([value for value in args if id(value) not in named])
        return Found(bound.arguments, texts, whole=True)


def _texts(values: Collection[Any]) -> dict[str, object]:
    found: dict[str, object] = {}
    for number, value in enumerate(values):
        if type(value) not in _BUILT_IN:
            continue
        try:
            found[f"argument_{number}"] = [text for _, text in collect(value, "argument")]
        except Exception:  # noqa: S112 -- nobody has said that it is a text, and lists of numbers are none
            continue
    return found
