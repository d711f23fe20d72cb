"""Finds a value that stands at word borders inside a registered text, and a short text that stands so in a value.

Compared are the words without what is between them, so ``Boat house``, ``boat-house`` and ``boathouse`` agree. Only
between two digits a border counts: ``1 2`` is not ``12``.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import Final

from discreet.matching.folding import weight_of_bytes, words, words_of

__all__ = ["ENDING", "SHORTEST", "SHORTEST_TEXT", "Inside"]

SHORTEST: Final = 4
"""A value of fewer characters than this is never withheld for standing inside a text; wide ones count 2."""

SHORTEST_TEXT: Final = 8
"""A registered text of so many characters, and too short to have edges, is found whole in a value."""

_PAD: Final = b"\xff"  # Stands in no UTF-8.
_SEARCHES: Final = 24
_SHORT: Final = 4
_LONG: Final = 8
ENDING: Final = 14  # Characters that mostly hold eight of words.


class Borders:
    """Where the words of a text begin and end, in bytes of its joined words."""

    __slots__ = ("between_digits", "places")

    def __init__(self, text: str) -> None:
        parts = [word.encode("utf-8", "surrogatepass") for word in words(text)]
        ends = list(accumulate(map(len, parts)))
        self.places = {0, *ends}
        self.between_digits = [
            end
            for end, one, other in zip(ends, parts, parts[1:], strict=False)
            if one[-1:].isdigit() and other[:1].isdigit()
        ]

    def digits_within(self, start: int, end: int) -> list[int]:
        """Return the borders between digits inside a range, counted from its start."""
        places = self.between_digits
        return [place - start for place in places[bisect_right(places, start) : bisect_left(places, end)]]


class Inside:
    """The words of some texts, searched for whole values.

    Args:
        texts: The registered texts as they are.
        joined: The joined words of each.
    """

    __slots__ = ("_borders", "_buffer", "_ends", "_offsets", "_searches", "_texts")

    def __init__(self, texts: Sequence[str], joined: Sequence[bytes]) -> None:
        self._texts = texts
        self._buffer = _PAD.join((b"", *joined, b""))
        self._offsets = [offset + 1 for offset in accumulate((len(one) + 1 for one in joined), initial=0)]
        self._borders: dict[int, Borders] = {}
        self._ends: Ends | None = None
        self._searches = 0

    def find(self, value: str, wanted: bytes) -> tuple[int, int, int] | None:
        """Return text, byte and weight if the value stands at word borders inside a text.

        Args:
            value: The value as it is.
            wanted: Its joined words.
        """
        if len(wanted) < SHORTEST or (not wanted.isascii() and weight_of_bytes(wanted) < SHORTEST):
            return None
        ends = self._ends
        if ends is None:
            # The filter costs as much as a few dozen searches, so a scope with few values goes without.
            self._searches += 1
            if self._searches > _SEARCHES:
                self._ends = Ends(self._texts)
        elif not ends.allow(wanted):
            return None
        at = self._buffer.find(wanted)
        own: list[int] | None = None
        while at >= 0:
            if own is None:
                own = Borders(value).between_digits
            found = self._at_borders(at, len(wanted), own)
            if found is not None:
                return (*found, weight_of_bytes(wanted))
            at = self._buffer.find(wanted, at + 1)
        return None

    def none_ends(self, end: str) -> bool:
        """Tell whether surely no plain value that ends so stands in a text."""
        ends = self._ends
        if ends is None:
            return False
        tail = words_of(end)
        return len(tail) >= _LONG and tail[-_LONG:] not in ends.tails

    def _at_borders(self, at: int, size: int, own: list[int]) -> tuple[int, int] | None:
        text = bisect_right(self._offsets, at) - 1
        borders = self._borders.get(text)
        if borders is None:
            borders = self._borders[text] = Borders(self._texts[text])
        start = at - self._offsets[text]
        if start not in borders.places or start + size not in borders.places:
            return None
        return (text, start) if borders.digits_within(start, start + size) == own else None


def stands_in(value: str, joined: bytes, short: bytes, own: list[int]) -> bool:
    """Tell whether a short text stands at word borders in a value.

    Args:
        value: The value as it is.
        joined: Its joined words.
        short: The joined words of the text.
        own: The text's borders between digits.
    """
    at = joined.find(short)
    if at < 0:
        return False
    borders = Borders(value)
    while at >= 0:
        end = at + len(short)
        if at in borders.places and end in borders.places and borders.digits_within(at, end) == own:
            return True
        at = joined.find(short, at + 1)
    return False


class Ends:
    """What a value can begin and end with if it stands inside one of some texts.

    Args:
        texts: The registered texts as they are.

    Attributes:
        tails: The last eight bytes of one that has so many.
    """

    __slots__ = ("_heads", "_long_heads", "_tails", "tails")

    def __init__(self, texts: Sequence[str]) -> None:
        found: set[bytes] = set()
        self._long_heads: set[bytes] = set()
        self.tails: set[bytes] = set()
        for text in texts:
            parts = [word.encode("utf-8", "surrogatepass") for word in words(text)]
            joined = b"".join(parts)
            ends = list(accumulate(map(len, parts)))
            self._long_heads.update([joined[start : start + _LONG] for start in (0, *ends)])
            self.tails.update([joined[end - _LONG : end] for end in ends if end >= _LONG])
            found.update(parts)
        self._heads = {word[:_SHORT] for word in found}
        self._tails = {word[-_SHORT:] for word in found}

    def allow(self, wanted: bytes) -> bool:
        """Tell whether a value can stand inside a text; if not, there is no need to search.

        Args:
            wanted: The joined words of the value.
        """
        if len(wanted) >= _LONG:
            return wanted[:_LONG] in self._long_heads and wanted[-_LONG:] in self.tails
        heads, tails = self._heads, self._tails
        # A word shorter than the end that is kept stands there whole.
        return (wanted[:4] in heads or wanted[:3] in heads or wanted[:2] in heads or wanted[:1] in heads) and (
            wanted[-4:] in tails or wanted[-3:] in tails or wanted[-2:] in tails or wanted[-1:] in tails
        )
