"""A line that one thread has begun and not finished."""

from __future__ import annotations

from typing import Final

from discreet.doors.lines import Place

__all__ = ["Partial", "overwritten"]

_MAX_PIECES: Final = 64
_MAX_KEPT: Final = 65_536
"""Characters of an unfinished line that are kept; of a longer one only the number is."""


class Partial:
    """The line that one thread has begun and not finished.

    Attributes:
        pieces: the texts, each with the call that wrote it.
        author: the call that is told as the line's author.
        kept: characters of the pieces.
        dropped: characters before them, of which nothing but the number is kept.

    .. versionadded:: 0.1.0
    """

    __slots__ = ("author", "dropped", "kept", "pieces")

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Begin a new line."""
        self.pieces: list[tuple[str, Place | None]] = []
        self.author: Place | None = None
        self.dropped = 0
        self.kept = 0

    def is_full(self, text: str) -> bool:
        """Tell whether the line has to be finished or shortened before a text is added."""
        return len(self.pieces) >= _MAX_PIECES or self.kept + len(text) > _MAX_KEPT

    def add(self, text: str, direct: Place | None, author: Place | None) -> None:
        """Add a text with the call that wrote it, and its author."""
        if self.author is None:
            self.author = author
        self.kept += len(text)
        self.pieces.append((text, None if self.dropped else direct))

    def drop(self) -> None:
        """Keep only the length of what there is: there is no line end in it."""
        self.dropped += self.kept
        self.kept = 0
        self.pieces.clear()


def overwritten(text: str) -> str:
    """Return what a terminal shows of a text with carriage returns, with one before it if it overwrites the line."""
    text = text.replace("\r\n", "\n")
    end = "\r" if text.endswith("\r") else ""
    body = text.removesuffix("\r")
    head, back, tail = body.rpartition("\r")
    if not back:
        return body + end
    lines = head.rpartition("\n")
    return f"{lines[0]}{lines[1]}{tail}{end}" if lines[1] else f"\r{tail}{end}"
