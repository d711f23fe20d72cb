"""Coroutines and generators of functions that don't look like that, since a decorator hides what they are."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from inspect import isasyncgenfunction, isgeneratorfunction, unwrap
from types import AsyncGeneratorType, GeneratorType
from typing import Any

from discreet.call import Call
from discreet.instrument.streams import (
    Stretches,
    inside,
    observed_async_generator,
    observed_generator,
    pass_over,
)

__all__ = ["Begun", "hides_a_stream", "read_later", "waited_for"]

pass_over(__file__)


class Begun:
    """A coroutine that is begun later. If it isn't, that is said of the one around it, and not of both.

    Args:
        coroutine: The coroutine, or another object that can be waited for.

    .. versionadded:: 0.1.0
    """

    __slots__ = ("_coroutine",)

    def __init__(self, coroutine: Any) -> None:
        self._coroutine = coroutine

    def __call__(self) -> Any:
        """Return it, to be waited for."""
        return self._coroutine

    def __del__(self) -> None:
        close = getattr(self._coroutine, "close", None)
        if close is not None:
            close()


def waited_for(
    coroutine: Coroutine[Any, Any, Any], call: Call, items: Callable[[Any], int | None] | None = None
) -> Coroutine[Any, Any, Any]:
    """Return a coroutine in the place of one that a function returned: the function's call lasts until that ends.

    What was current before the call is so again, until somebody waits for the coroutine.

    Args:
        coroutine: What the function returned.
        call: Its call, which is the current one.
        items: Returns how many items a result is made of.

    .. versionadded:: 0.1.0
    """
    found: Any = _ended(Begun(coroutine), call, Stretches.of(call), items)
    found.__name__ = getattr(coroutine, "__name__", found.__name__)
    found.__qualname__ = getattr(coroutine, "__qualname__", found.__qualname__)
    outcome: Coroutine[Any, Any, Any] = found
    return outcome


async def _ended(begun: Begun, call: Call, stretches: Stretches, items: Callable[[Any], int | None] | None) -> Any:
    with stretches:
        try:
            value = await begun()
            call.result(value, items=None if items is None else items(value))
        except BaseException as error:
            call.end(error, inside(error))
            raise
        call.end()
    return value


def hides_a_stream(function: Callable[..., Any]) -> bool:
    """Tell whether a decorator has been put around a generator function or async generator function.

    Args:
        function: What the decorator made of it.

    .. versionadded:: 0.1.0
    """
    try:
        found = unwrap(function)
    except ValueError:
        # It says of itself that it is around itself.
        return False
    return found is not function and (isgeneratorfunction(found) or isasyncgenfunction(found))


def read_later(value: Any, call: Call, function: Callable[..., Any]) -> Any:
    """Return a generator in the place of one that a function returned: the function's call lasts until that ends.

    What was current before the call is so again, until somebody reads it.

    Args:
        value: What the function returned.
        call: Its call, which is the current one.
        function: The function.

    Returns:
        None for a value of another type, which the decorator has made of the generator.

    .. versionadded:: 0.1.0
    """
    if type(value) is GeneratorType:
        observed = observed_generator
    elif type(value) is AsyncGeneratorType:
        observed = observed_async_generator
    else:
        return None
    before = Stretches.of(call)

    def begin(*_: Any) -> tuple[Callable[..., Any], Call]:
        before.go_on()
        return (lambda: value), call

    return observed(function, begin)()
