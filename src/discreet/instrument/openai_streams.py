"""Streamed replies: a call lasts until its stream ends, is closed or is dropped."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from types import TracebackType
from typing import Any

from discreet.call import Call
from discreet.export.ledger import LEDGER
from discreet.instrument.openai_watch import Watch
from discreet.instrument.streams import Stretches, inside, pass_over

__all__ = ["watch_stream"]

pass_over(__file__)


def watch_stream(value: Any, call: Call, watch: Watch, stretches: Stretches) -> bool:
    """Watch a stream and return True, or return False for anything else.

    Args:
        value: What the client returned.
        call: The call.
        watch: Who looks at its pieces.
        stretches: Makes the call the current one.

    .. versionadded:: 0.1.0
    """
    from openai import AsyncStream, Stream

    try:
        for one in (value, *_held(value)):
            if isinstance(one, Stream):
                _Stream(one, call, watch, stretches)
                return True
            if isinstance(one, AsyncStream):
                _AsyncStream(one, call, watch, stretches)
                return True
    except Exception as error:
        # A stream of another make than those of the releases that this was written for is the application's as it is.
        LEDGER.failure("instrument", error)
    return False


def _held(value: Any) -> tuple[Any, ...]:
    """Return what an object holds: another instrumentor's stream has the client's own in it."""
    held = getattr(value, "__dict__", None)
    return tuple(held.values()) if type(held) is dict else ()


class _Watched:
    """Stands in a stream where its iterator stood, and ends the call once. Entered for each piece that is read."""

    _call: Call | None = None

    def __init__(self, stream: Any, call: Call, watch: Watch, stretches: Stretches) -> None:
        self._inner: Any = stream._iterator  # noqa: SLF001 -- both ways to iterate use it
        self._watch = watch
        self._stretches = stretches
        self._call = call
        stream._iterator = self  # noqa: SLF001 -- the same

    def end(self, error: BaseException | None = None) -> None:
        call, self._call = self._call, None
        if call is not None:
            with self._stretches:
                self._watch.told()
                call.end(error, None if error is None else inside(error))

    def __enter__(self) -> None:
        self._stretches.__enter__()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._stretches.__exit__(kind, error, traceback)
        if error is not None:
            self.end(None if issubclass(type(error), StopIteration | StopAsyncIteration) else error)

    def __del__(self) -> None:
        self.end(GeneratorExit())


class _Stream(_Watched):
    """Watches a stream."""

    def __init__(self, stream: Any, call: Call, watch: Watch, stretches: Stretches) -> None:
        super().__init__(stream, call, watch, stretches)
        close = stream.close

        def closed() -> None:
            try:
                close()
            finally:
                self.end(GeneratorExit())

        stream.close = closed

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        with self:
            item = next(self._inner)
        self._watch.piece(item)
        return item


class _AsyncStream(_Watched):
    """Watches an async stream."""

    def __init__(self, stream: Any, call: Call, watch: Watch, stretches: Stretches) -> None:
        super().__init__(stream, call, watch, stretches)
        close = stream.close

        async def closed() -> None:
            try:
                await close()
            finally:
                self.end(GeneratorExit())

        stream.close = closed

    def __aiter__(self) -> AsyncIterator[Any]:
        return self

    async def __anext__(self) -> Any:
        with self:
            item = await anext(self._inner)
        self._watch.piece(item)
        return item
