"""Streamed replies: a call lasts until its stream ends, is closed or is dropped."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

from discreet.call import Call
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

    for one in (value, *_held(value)):
        if isinstance(one, Stream):
            _Stream(one, _End(call, watch, stretches))
            return True
        if isinstance(one, AsyncStream):
            _AsyncStream(one, _End(call, watch, stretches))
            return True
    return False


def _held(value: Any) -> tuple[Any, ...]:
    """Return what an object holds: another instrumentor's stream has the client's own in it."""
    held = getattr(value, "__dict__", None)
    return tuple(held.values()) if type(held) is dict else ()


class _End:
    """Ends a call once."""

    def __init__(self, call: Call, watch: Watch, stretches: Stretches) -> None:
        self.watch = watch
        self.stretches = stretches
        self._call: Call | None = call

    def end(self, error: BaseException | None = None) -> None:
        call, self._call = self._call, None
        if call is not None:
            with self.stretches:
                self.watch.told()
                call.end(error, None if error is None else inside(error))


class _Stream:
    """Stands in a stream where its iterator stood."""

    def __init__(self, stream: Any, end: _End) -> None:
        self._inner: Iterator[Any] = stream._iterator  # noqa: SLF001 -- both ways to iterate use it
        self._end = end
        close = stream.close

        def closed() -> None:
            try:
                close()
            finally:
                end.end(GeneratorExit())

        stream._iterator = self  # noqa: SLF001 -- the same
        stream.close = closed

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        try:
            with self._end.stretches:
                item = next(self._inner)
        except StopIteration:
            self._end.end()
            raise
        except BaseException as error:
            self._end.end(error)
            raise
        self._end.watch.piece(item)
        return item

    def __del__(self) -> None:
        self._end.end(GeneratorExit())


class _AsyncStream:
    """Stands in an async stream where its iterator stood."""

    def __init__(self, stream: Any, end: _End) -> None:
        self._inner: AsyncIterator[Any] = stream._iterator  # noqa: SLF001 -- both ways to iterate use it
        self._end = end
        close = stream.close

        async def closed() -> None:
            try:
                await close()
            finally:
                end.end(GeneratorExit())

        stream._iterator = self  # noqa: SLF001 -- the same
        stream.close = closed

    def __aiter__(self) -> AsyncIterator[Any]:
        return self

    async def __anext__(self) -> Any:
        try:
            with self._end.stretches:
                item = await anext(self._inner)
        except StopAsyncIteration:
            self._end.end()
            raise
        except BaseException as error:
            self._end.end(error)
            raise
        self._end.watch.piece(item)
        return item

    def __del__(self) -> None:
        self._end.end(GeneratorExit())
