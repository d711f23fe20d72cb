"""Wraps a function of any kind in one of the same kind, each of whose calls begins and ends an observed call."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import isasyncgenfunction, iscoroutinefunction, isgeneratorfunction
from types import CoroutineType
from typing import Any

from discreet.instrument.hidden import hides_a_stream, read_later, waited_for
from discreet.instrument.streams import Begin, inside, observed_async_generator, observed_generator, pass_over

__all__ = ["wrapped"]

pass_over(__file__)


def wrapped(
    function: Callable[..., Any], begin: Begin, items: Callable[[Any], int | None] | None = None
) -> Callable[..., Any]:
    """Return a function of the same kind whose calls are observed.

    Args:
        function: A function, coroutine function, generator function or async generator function.
        begin: Begins a call; returns what to run in it.
        items: Returns how many items a result is made of. Raises nothing.

    .. versionadded:: 0.1.0
    """
    if isasyncgenfunction(function):
        return observed_async_generator(function, begin)
    if isgeneratorfunction(function):
        return observed_generator(function, begin)
    if iscoroutinefunction(function):

        @wraps(function)
        async def coroutine(*args: Any, **kwargs: Any) -> Any:
            chosen, call = begin(args, kwargs)
            try:
                value = await chosen(*args, **kwargs)
                call.result(value, items=None if items is None else items(value))
            except BaseException as error:
                call.end(error, inside(error))
                raise
            call.end()
            return value

        return coroutine

    hides = hides_a_stream(function)

    @wraps(function)
    def plain(*args: Any, **kwargs: Any) -> Any:
        chosen, call = begin(args, kwargs)
        try:
            value = chosen(*args, **kwargs)
            if type(value) is CoroutineType:
                # Another decorator hides what kind of function it is.
                return waited_for(value, call, items)
            if hides and (stream := read_later(value, call, function)) is not None:
                return stream
            call.result(value, items=None if items is None else items(value))
        except BaseException as error:
            call.end(error, inside(error))
            raise
        call.end()
        return value

    return plain
