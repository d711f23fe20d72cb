"""Functions whose calls have customer texts: the decorator of `discreet.customer_text`."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Generator
from functools import wraps
from inspect import isasyncgenfunction, iscoroutinefunction, isgeneratorfunction
from types import AsyncGeneratorType, CoroutineType, GeneratorType
from typing import Any

from discreet.given import Given
from discreet.scope import Entered, Scope, opened

__all__: list[str] = []

Opener = Callable[[tuple[Any, ...], dict[str, Any]], Scope]


def decorated(
    function: Callable[..., Any], parameters: tuple[str, ...], texts: dict[str, object]
) -> Callable[..., Any]:
    """Return the function with a scope around each of its calls.

    Raises:
        InvalidInputError: A name isn't one of the function's parameters.
    """
    opener = _opener(function, parameters, texts)
    if isasyncgenfunction(function):
        return wraps(function)(_async_driver(function, opener))
    if isgeneratorfunction(function):

        @wraps(function)
        def generator(*args: Any, **kwargs: Any) -> Generator[Any, Any, Any]:
            return (yield from _drive(lambda: function(*args, **kwargs), lambda: opener(args, kwargs)))

        return generator
    if iscoroutinefunction(function):

        @wraps(function)
        async def coroutine(*args: Any, **kwargs: Any) -> Any:
            scope = opener(args, kwargs)
            try:
                with Entered(scope):
                    return await function(*args, **kwargs)
            finally:
                scope.close()

        return coroutine

    from discreet.instrument.hidden import hides_a_stream

    hides = hides_a_stream(function)

    @wraps(function)
    def plain(*args: Any, **kwargs: Any) -> Any:
        scope = opener(args, kwargs)
        later: Any = None
        try:
            with Entered(scope):
                value = function(*args, **kwargs)
            later = _later(value, scope, hides=hides)
        finally:
            if later is None:
                scope.close()
        return value if later is None else later

    return plain


def _later(value: Any, scope: Scope, *, hides: bool) -> Any:
    """Return what stands for a coroutine, or a generator that a decorator hides, in whose own code the scope goes on.

    None for anything else.
    """
    if type(value) is CoroutineType:
        from discreet.instrument.hidden import Begun

        found: Any = _ended(Begun(value), scope)
        found.__name__, found.__qualname__ = value.__name__, value.__qualname__
        return found
    if hides and type(value) is GeneratorType:
        return _drive(lambda: value, lambda: scope)
    if hides and type(value) is AsyncGeneratorType:
        return _async_driver(lambda: value, lambda *_: scope)()
    return None


async def _ended(begun: Callable[[], Any], scope: Scope) -> Any:
    try:
        with Entered(scope):
            return await begun()
    finally:
        scope.close()


def _opener(function: Callable[..., Any], parameters: tuple[str, ...], texts: dict[str, object]) -> Opener:
    given = Given(function, parameters, "parameters", defaults=False)

    def opener(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Scope:
        if not parameters:
            return opened(texts)
        found = given.find(args, kwargs)
        # Of a function whose decorator changes its arguments, what isn't a text may be another argument.
        scope = opened({**texts, **found.texts}, unknown=[] if given.wrapped else None)
        if not found.whole:
            scope._index.partial, scope._look = True, None  # noqa: SLF001 -- of the same part
        return scope

    return opener


def _drive(make: Callable[[], Generator[Any, Any, Any]], opener: Callable[[], Scope]) -> Generator[Any, Any, Any]:
    """Run a generator with the scope current only while its own code runs."""
    scope = opener()
    received: object = None
    thrown: BaseException | None = None
    try:
        generator = make()
        while True:
            try:
                with Entered(scope):
                    item = generator.send(received) if thrown is None else generator.throw(thrown)
            except StopIteration as stop:
                return stop.value
            received = thrown = None
            try:
                received = yield item
            except GeneratorExit:
                with Entered(scope):
                    generator.close()
                raise
            except BaseException as error:
                thrown = error
    finally:
        thrown = None  # Its traceback holds this frame.
        scope.close()


def _async_driver(function: Callable[..., Any], opener: Opener) -> Callable[..., AsyncGenerator[Any, Any]]:
    """Return an async generator function that does as :func:`_drive` does."""

    # Not a function that returns the driver: frameworks ask whether this is an async generator's.
    async def async_generator(*args: Any, **kwargs: Any) -> AsyncGenerator[Any, Any]:
        scope = opener(args, kwargs)
        received: object = None
        thrown: BaseException | None = None
        try:
            generator = function(*args, **kwargs)
            while True:
                try:
                    with Entered(scope):
                        item = await (generator.asend(received) if thrown is None else generator.athrow(thrown))
                except StopAsyncIteration:
                    return
                received = thrown = None
                try:
                    received = yield item
                except GeneratorExit:
                    with Entered(scope):
                        await generator.aclose()
                    raise
                except BaseException as error:
                    thrown = error
        finally:
            thrown = None  # Its traceback holds this frame.
            scope.close()

    return async_generator
