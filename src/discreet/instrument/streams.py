"""Generators and async generators whose calls are observed: a call lasts until its stream ends."""

from __future__ import annotations

import sys
from collections.abc import AsyncGenerator, Callable, Generator
from functools import wraps
from types import TracebackType
from typing import Any, Final

from opentelemetry import context as otel_context
from opentelemetry.context import Context

from discreet.call import Call
from discreet.scope import _CURRENT, Scope, _chain, going_on
from discreet.seal.peek import traceback_of

__all__ = ["inside", "observed_async_generator", "observed_generator", "pass_over"]

_FILES: Final[set[str]] = {__file__}
"""The files whose frames stand between a program and a library."""

Begin = Callable[[tuple[Any, ...], dict[str, Any]], tuple[Callable[..., Any], Call]]
"""Begins a call; returns what to run in it."""


class Stretches:
    """A context manager for each stretch of a stream's own code: its call is the current one there.

    What was current at the end of one is so again in the next, and between them what was so outside. A stream may go
    on in another task or thread than it began in, and in another call, whose texts its code gets then.
    """

    __slots__ = ("_here", "_inner", "_open", "_outer")

    def __init__(self) -> None:
        self._inner: tuple[Context, Scope | None] | None = None
        self._outer: tuple[Context, Scope | None] = (Context(), None)
        self._here: Scope | None = None
        self._open = False

    @classmethod
    def of(cls, call: Call) -> Stretches:
        """Return those of a call that is current, and make current again what was so before it.

        Args:
            call: The call.

        .. versionadded:: 0.1.0
        """
        found = cls()
        scope = call._scope  # noqa: SLF001 -- of ours
        found._inner = (otel_context.get_current(), _CURRENT.get())
        if scope is not None and call._context is not None:  # noqa: SLF001 -- of ours
            found._set((call._before or Context(), scope._outer))  # noqa: SLF001 -- of ours
        return found

    def go_on(self) -> None:
        """Make current what was so in them, for the stretch of another."""
        if self._inner is not None:
            context, scope = self._inner
            self._set((context, None if scope is None else going_on(scope)))

    def __enter__(self) -> None:
        self._open = True
        self._outer = (otel_context.get_current(), _CURRENT.get())
        if self._inner is None:
            return
        context, scope = self._inner
        self._here = self._outer[1] if scope is None else going_on(scope)
        self._set((context, self._here))

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        scope = _CURRENT.get()
        if self._inner is not None and scope is self._here:
            # As it was before this stretch: the next one may be in another call.
            scope = self._inner[1]
        self._inner = (otel_context.get_current(), scope)
        self._here = None
        self._open = False
        self._set(self._outer)

    def __del__(self) -> None:
        # A dropped stream that awaits before it ends is given up where it stands, in the midst of whatever runs now.
        if self._open and self._here is not None and self._here in _chain(_CURRENT.get()):
            self._set(self._outer)

    @staticmethod
    def _set(state: tuple[Context, Scope | None]) -> None:
        # No token: a stream may be finished in another context than it was begun in, which a token doesn't allow.
        otel_context.attach(state[0])
        _CURRENT.set(state[1])


def observed_generator(function: Callable[..., Any], begin: Begin) -> Callable[..., Any]:
    """Return a generator function around another, whose generators do what its own would do.

    The call begins when the generator does, and ends with it: one that is closed, or that nobody has any more, is a
    cancelled call. How many items it gave are the call's items, unless its own code says otherwise.

    Args:
        function: The generator function.
        begin: Begins a call.

    .. versionadded:: 0.1.0
    """

    @wraps(function)
    def generator(*args: Any, **kwargs: Any) -> Generator[Any, Any, Any]:
        stretches = Stretches()
        with stretches:
            chosen, call = begin(args, kwargs)
        received: Any = None
        thrown: BaseException | None = None
        items = 0
        item: list[Any] = []
        try:
            inner = chosen(*args, **kwargs)
            # Its own code may let go of them while it runs.
            del args, kwargs
            while True:
                try:
                    with stretches:
                        item.append(call.result(inner.send(received) if thrown is None else inner.throw(thrown)))
                except StopIteration as stop:
                    with stretches:
                        call.result(stop.value)
                        _end(call, items, _closed(thrown))
                    return stop.value
                items += 1
                received = thrown = None
                try:
                    # It is whoever reads the stream that holds the item.
                    received = yield item.pop()
                except BaseException as error:
                    # Also what closes it: its own code may go on, and whoever closes it is told so.
                    thrown = _as_thrown(error)
        except BaseException as error:
            with stretches:
                _end(call, items, error)
            raise
        finally:
            thrown = None  # Its traceback holds this frame.

    return generator


def observed_async_generator(function: Callable[..., Any], begin: Begin) -> Callable[..., Any]:
    """Return an async generator function around another, as :func:`observed_generator` does.

    Args:
        function: The async generator function.
        begin: Begins a call.

    .. versionadded:: 0.1.0
    """

    @wraps(function)
    async def async_generator(*args: Any, **kwargs: Any) -> AsyncGenerator[Any, Any]:
        stretches = Stretches()
        with stretches:
            chosen, call = begin(args, kwargs)
        received: Any = None
        thrown: BaseException | None = None
        items = 0
        item: list[Any] = []
        try:
            inner = chosen(*args, **kwargs)
            del args, kwargs
            step = _first(inner)
            while True:
                try:
                    with stretches:
                        item.append(call.result(await step))
                except StopAsyncIteration:
                    with stretches:
                        _end(call, items, _closed(thrown))
                    return
                items += 1
                received = thrown = step = None
                try:
                    received = yield item.pop()
                except BaseException as error:
                    thrown = _as_thrown(error)
                step = inner.asend(received) if thrown is None else inner.athrow(thrown)
        except BaseException as error:
            with stretches:
                _end(call, items, error)
            raise
        finally:
            thrown = step = None  # Its traceback holds this frame, and what throws it holds it.

    return async_generator


def _first(inner: Any) -> Any:
    """Return the first step of an async generator that the event loop isn't told of.

    It would close it by itself, before or beside that around it, in no call.
    """
    hooks = sys.get_asyncgen_hooks()
    sys.set_asyncgen_hooks(None, None)
    try:
        return inner.asend(None)
    finally:
        sys.set_asyncgen_hooks(*hooks)


def _as_thrown(error: BaseException) -> BaseException:
    """Return what was thrown into a generator as it was there, without the frame of ours in its traceback."""
    traceback = traceback_of(error)
    return BaseException.with_traceback(error, None if traceback is None else traceback.tb_next)


def _closed(thrown: BaseException | None) -> BaseException | None:
    """Return what a generator that has come to its end was closed by: what else was thrown into it, it has handled."""
    return thrown if thrown is not None and issubclass(type(thrown), GeneratorExit) else None


def _end(call: Call, items: int, error: BaseException | None) -> None:
    call._streamed(items)  # noqa: SLF001 -- of the same part
    call.end(error, None if error is None else inside(error))


def pass_over(file: str) -> None:
    """Leave the frames of a file of ours out of what is said of an exception.

    Args:
        file: Its ``__file__``.

    .. versionadded:: 0.1.0
    """
    _FILES.add(file)


def inside(error: BaseException) -> TracebackType | None:
    """Return where an exception comes from, without the frames of ours that it went through.

    Args:
        error: What was caught in the outermost of them.

    .. versionadded:: 0.1.0
    """
    traceback = traceback_of(error)
    while traceback is not None and traceback.tb_next is not None:
        # By the code's own file: a name among a frame's globals is anybody's.
        if traceback.tb_frame.f_code.co_filename not in _FILES:
            break
        traceback = traceback.tb_next
    return traceback
