"""The body of a WSGI request, which is registered while the application reads it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, Self

from discreet.instrument.requests import Request, failed

__all__ = ["Input"]

_OTHER_WAYS: Final = frozenset(
    {"buffer", "detach", "fileno", "getbuffer", "getvalue", "peek", "raw", "read1", "readinto1", "recv", "recv_into"}
)
"""Ways to read that aren't WSGI's: what comes by them isn't seen here."""


class Input:
    """Stands in the place of ``wsgi.input``: reads as it does, and has all its attributes.

    Args:
        source: What the server gave.
        request: Takes what is read.
        length: The body's length as its header has it, None if there is none.

    .. versionadded:: 0.1.0
    """

    __slots__ = ("_left", "_request", "_source")

    def __init__(self, source: Any, request: Request, length: str | None) -> None:
        self._source = source
        self._request = request
        self._left = int(length) if length is not None and length.isascii() and length.isdigit() else None

    def read(self, *size: Any, **named: Any) -> Any:
        """Read bytes, all by default."""
        data = self._source.read(*size, **named)
        asked = _first(size, named)
        self._take(data, last=asked is None or asked < 0 or (not data and asked > 0))
        return data

    def readline(self, *size: Any, **named: Any) -> Any:
        """Read one line, or less."""
        data = self._source.readline(*size, **named)
        self._take(data, last=not data and _first(size, named) != 0)
        return data

    def readlines(self, *hint: Any, **named: Any) -> Any:
        """Read lines, all by default."""
        lines = self._source.readlines(*hint, **named)
        for line in lines:
            self._take(line, last=False)
        self._take(b"", last=_first(hint, named) is None)
        return lines

    def _readinto(self, buffer: Any) -> Any:
        count = self._source.readinto(buffer)
        self._take(bytes(memoryview(buffer).cast("B")[:count]) if count else b"", last=count == 0 and len(buffer) > 0)
        return count

    def __iter__(self) -> Iterator[Any]:
        for line in self._source:
            self._take(line, last=False)
            yield line
        self._take(b"", last=True)

    def __next__(self) -> Any:
        try:
            line = next(self._source)
        except StopIteration:
            self._take(b"", last=True)
            raise
        self._take(line, last=False)
        return line

    def __enter__(self) -> Self:
        self._source.__enter__()
        return self

    def __exit__(self, *raised: object) -> Any:
        return self._source.__exit__(*raised)

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._source, name)
        if name == "readinto":
            # Not every server's input has it, and an application may ask whether this one does.
            return self._readinto
        if name in _OTHER_WAYS:
            self._request.unknown()
        return found

    def _take(self, data: Any, *, last: bool) -> None:
        try:
            if self._left is not None:
                self._left -= len(data)
                last = last or self._left <= 0
            self._request.chunk(data, last=last)
        except Exception as error:
            # The application gets its body all the same.
            failed(error)
            self._request.unknown()


def _first(arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
    # Servers call the one argument what they like.
    return arguments[0] if arguments else next(iter(named.values()), None)
