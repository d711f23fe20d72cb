"""What the commands print: names that a terminal must not obey, numbers of things, a progress bar over logs."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Sequence
from typing import BinaryIO, Final, TextIO

from discreet.checkup.table import printable
from discreet.log_files import Source, unreadable

__all__ = ["Bar", "counted", "look", "printable"]

_WIDTH: Final = 30
_OFTEN: Final = 0.1


def counted(number: int, what: str) -> str:
    """Return a number with its noun.

    Args:
        number: how many there are.
        what: what there is, in the singular.
    """
    return f"{number:,} {what}{'' if number == 1 else 's'}"


class Bar:
    """A progress bar on a terminal; nothing elsewhere.

    Args:
        stream: where to draw.
        total: the size of all logs in bytes; 0 if it isn't known.
    """

    def __init__(self, stream: TextIO, total: int) -> None:
        self._stream = stream if stream.isatty() else None
        self._total = total
        self._before = 0
        self._shown = 0.0

    def show(self, source: Source, count: int) -> None:
        """Draw how far it is, a few times a second.

        Args:
            source: the log that is being read.
            count: how many of its bytes were read.
        """
        now = time.monotonic()
        if self._stream is None or now - self._shown < _OFTEN:
            return
        self._shown = now
        read = self._before + count
        share = min(1.0, read / self._total) if self._total else 0.0
        full = round(share * _WIDTH)
        drawn = f"[{'#' * full}{'-' * (_WIDTH - full)}] {share:4.0%}" if self._total else f"{read:,} bytes"
        self._stream.write(f"\r\x1b[K{drawn} {printable(source.name)[-40:]}")
        self._stream.flush()

    def done(self, source: Source) -> None:
        """Count a whole log as read.

        Args:
            source: the log.
        """
        self._before += source.size

    def clear(self) -> None:
        """Take the bar away, so that a line can be printed."""
        if self._stream is not None and self._shown:
            self._stream.write("\r\x1b[K")
            self._stream.flush()


def look(found: Sequence[Source], find: Callable[[Source, BinaryIO, Callable[[int], None]], Iterable[str]]) -> int:
    """Look through logs and print what is found in them; on standard error, which of them can't be read to its end.

    Args:
        found: the logs.
        find: yields the lines to print, given a log, its bytes, and what to call with the number of bytes read.

    Returns:
        How many could not be read.
    """
    bar = Bar(sys.stderr, sum(source.size for source in found))
    not_read = 0
    for source in found:
        problem = source.problem or _look(source, bar, find)
        bar.done(source)
        if problem:
            not_read += 1
            sys.stderr.write(f"{printable(source.name)}: can't be looked at ({problem})\n")
    bar.clear()
    return not_read


def _look(
    source: Source, bar: Bar, find: Callable[[Source, BinaryIO, Callable[[int], None]], Iterable[str]]
) -> str | None:
    try:
        stream = source.open()
    except OSError as error:
        return type(error).__name__
    try:
        for line in find(source, stream, lambda count: bar.show(source, count)):
            bar.clear()
            sys.stdout.write(f"{line}\n")
    except unreadable() as error:
        return type(error).__name__
    finally:
        if source.name != "-":
            stream.close()
    return None
