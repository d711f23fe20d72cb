"""Reads logs of any program: files, folders, standard input, compressed or not, as lines of bounded length."""

from __future__ import annotations

import codecs
import io
import os
import stat
import sys
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import BinaryIO, Final, cast

__all__ = ["BLOCK", "Source", "lines_of", "sources"]

BLOCK: Final = 1 << 16
"""How much is read at once, in bytes."""

_LONGEST: Final = 1 << 18
_OVERLAP: Final = 1 << 13
_MAGIC: Final = ((b"\x1f\x8b", "gzip"), (b"BZh", "bz2"), (b"\xfd7zXZ\x00", "lzma"))
_UTF_16: Final = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True, slots=True)
class Source:
    """A log to be read.

    .. versionadded:: 0.1.0
    """

    name: str
    """What to call it: its path, or ``-`` for standard input."""

    size: int
    """Its size in bytes; 0 if that isn't known."""

    problem: str | None = None
    """Why it can't be read."""

    def open(self) -> BinaryIO:
        """Open it.

        Raises:
            OSError: It can't be opened.
        """
        return sys.stdin.buffer if self.name == "-" else Path(self.name).open("rb")


def sources(paths: list[str]) -> list[Source]:
    """Return the logs that paths name; of folders all files in them, by name.

    Args:
        paths: Files, folders, or ``-`` for standard input. Links inside folders aren't followed.

    .. versionadded:: 0.1.0
    """
    found: list[Source] = []
    for path in paths:
        if path == "-":
            found.append(Source("-", 0))
        elif Path(path).is_dir():
            found.extend(_inside(path))
        else:
            try:
                found.append(Source(path, Path(path).stat().st_size))
            except OSError as error:
                found.append(Source(path, 0, type(error).__name__))
    return found


def _inside(folder: str) -> Iterator[Source]:
    problems: list[Source] = []

    def failed(error: OSError) -> None:
        problems.append(Source(str(error.filename), 0, type(error).__name__))

    for where, folders, names in os.walk(folder, onerror=failed):
        folders.sort()
        for name in sorted(names):
            path = str(Path(where, name))
            try:
                status = Path(path).lstat()
            except OSError as error:
                yield Source(path, 0, type(error).__name__)
                continue
            # A pipe or a device in a folder of logs would never end.
            if stat.S_ISREG(status.st_mode):
                yield Source(path, status.st_size)
    yield from problems


class _Counting(io.RawIOBase):
    """Tells how many bytes were read from a stream."""

    def __init__(self, stream: BinaryIO, read: Callable[[int], None] | None) -> None:
        self._stream = stream
        self._read = read
        self._count = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        target = memoryview(buffer)  # type: ignore[arg-type]  # as RawIOBase says
        # What is there is enough: standard input may be the end of a pipe that stays open.
        part = getattr(self._stream, "read1", self._stream.read)(len(target))
        target[: len(part)] = part
        self._count += len(part)
        if self._read is not None:
            self._read(self._count)
        return len(part)


def _decompressed(module: str, raw: BinaryIO) -> BinaryIO:
    try:
        opener = import_module(module)  # Some builds of Python lack one or the other.
    except ImportError as error:
        raise OSError(f"this Python has no {module}") from error
    return cast("BinaryIO", opener.open(raw, "rb"))


def unreadable() -> tuple[type[Exception], ...]:
    """Return the exceptions that say that a log can't be read to its end."""
    lzma = sys.modules.get("lzma")
    return (OSError, EOFError, zlib.error, *([lzma.LZMAError] if lzma is not None else []))


def _blocks(stream: BinaryIO, read: Callable[[int], None] | None) -> Iterator[bytes]:
    raw = io.BufferedReader(_Counting(stream, read), BLOCK)
    head = raw.peek(8)
    opened: BinaryIO = raw
    for magic, module in _MAGIC:
        if head.startswith(magic):
            opened = _decompressed(module, raw)
            break
    first = opened.read(BLOCK)
    if first[:2] in _UTF_16:
        decoder = codecs.getincrementaldecoder("utf-16")("replace")
        while first:
            yield decoder.decode(first).encode("utf-8", "surrogatepass")
            first = opened.read(BLOCK)
        return
    while first:
        yield first
        first = opened.read(BLOCK)


def lines_of(stream: BinaryIO, read: Callable[[int], None] | None = None) -> Iterator[tuple[int, str]]:
    """Return the lines of a log with their numbers, from 1.

    A line of more than 256 KiB comes in parts that overlap, all with its number. Bytes that are no UTF-8 come as
    surrogates.

    Args:
        stream: The log's bytes, compressed by gzip, bzip2 or xz or not.
        read: Called with the number of bytes read so far, before they are decompressed.

    Raises:
        OSError: The stream can't be read.
        EOFError: It is compressed and ends too early.

    .. versionadded:: 0.1.0
    """
    number = 1
    rest = b""
    for block in _blocks(stream, read):
        *lines, rest = (rest + block).split(b"\n")
        for line in lines:
            yield number, _text(line)
            number += 1
        while len(rest) > _LONGEST:
            yield number, _text(rest[:_LONGEST])
            rest = rest[_LONGEST - _OVERLAP :]
    if rest:
        yield number, _text(rest)


def _text(line: bytes) -> str:
    return line.decode("utf-8", "surrogateescape")
