"""Finds a long piece of a registered text in a value, and a text's beginning or end.

The letters of all texts stand in one buffer, each text at a multiple of eight bytes. The buffer read as 64-bit words is
a set. A piece that counts 24 is at least 24 bytes long (a wide character has three bytes or more), so it holds two
neighbouring words of the buffer whole. The value is read at all eight alignments; of two neighbouring words one has an
even place there, so every second one is looked up. A beginning or an end that counts 16 is two neighbouring words too.

The more values are looked up, the more words of the buffer are added between, and the fewer of a value are read.

A hit is confirmed where it stands, from a map of the words' positions.
"""

from __future__ import annotations

import re
import struct
import sys
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from discreet.matching.characters import IS_WIDE, WIDE
from discreet.matching.folding import decoded, weight, weight_of_bytes

__all__ = ["EDGE", "LONGEST_WITHOUT_EDGES", "SHARED", "Pieces"]

SHARED: Final = 24
"""A value that shares so many characters with a registered text is withheld; wide characters count 2."""

EDGE: Final = 16
"""A value that holds so many characters of a text's beginning or end is withheld."""

_WORD: Final = 8
_PAD: Final = b"\xff"  # Stands in no UTF-8.
_PADDING: Final = _PAD * _WORD
_FIRST_WIDE: Final = "\u1100"
_ALL_WIDE: Final = re.compile(f"[{WIDE}]{{{EDGE // 2}}}")
_ALIGNMENTS: Final = tuple(range(_WORD))
_SPARSE: Final = (0, 1, 10, 11)
_SPARSEST: Final = (0, 9)
_READ: Final = tuple(struct.Struct("=" + "8x".join("Q" * count)).unpack_from for count in range(68))
"""Reads every second of so many words, which takes less time than a view of a value's parts."""

_READABLE: Final = 16 * len(_READ) - 9
_STEP: Final = 64
_CHARACTER: Final = 4  # Bytes that one has at most.
_ENDS: Final = 2 * EDGE * _CHARACTER

LONGEST_WITHOUT_EDGES: Final = EDGE * _CHARACTER
"""Bytes of letters; a text of so many counts 16."""

_FEW: Final = 4  # To add the other words costs as much as looking up a quarter of the buffer's length,
_AT_LEAST: Final = 4096  # or next to nothing; to add those between, about its length, and
_MANY: Final = 5  # those between these, so many times its length.
_NEVER: Final = 1 << 62
_WORK: Final = 20_000
_EXTENDING: Final = 5


@dataclass(frozen=True, slots=True)
class Piece:
    """What was found: in which text, from which byte of its letters, how much, and whether only as an edge."""

    text: int
    start: int
    weight: int
    edge: bool


def edges(folded: bytes) -> tuple[bytes, bytes] | None:
    """Return the shortest beginning and end that count 16; None if the text is shorter."""
    if folded.isascii():
        return (folded[:EDGE], folded[-EDGE:]) if len(folded) >= EDGE else None
    if len(folded) > _ENDS:
        begin, end = folded[: _ENDS // 2], folded[-_ENDS // 2 :]
        if begin.isascii() and end.isascii():
            return begin[:EDGE], end[-EDGE:]
        first = decoded(begin[slice(*_cut(begin, 0, len(begin)))])
        last = decoded(end[slice(*_cut(end, 0, len(end)))])
    else:
        first = last = decoded(folded)
        if weight(first) < EDGE:
            return None
    head, tail = first[: _characters(first)], last[-_characters(last[::-1]) :]
    return head.encode("utf-8", "surrogatepass"), tail.encode("utf-8", "surrogatepass")


def _characters(text: str) -> int:
    """Return how many characters from the beginning count 16."""
    if _ALL_WIDE.match(text) is not None:
        return EDGE // 2
    left = EDGE
    for number, character in enumerate(text, start=1):
        left -= 1 if character < _FIRST_WIDE or IS_WIDE.match(character) is None else 2
        if left <= 0:
            return number
    return len(text)


class _TooMuchError(Exception):
    """Following every hit would take too long."""


def _in_order(value: bytes, hits: set[int]) -> list[tuple[int, bytes, int]]:
    """Return the hits by where they first stand in the value, so that what is told doesn't depend on its letters."""
    needles = [(word.to_bytes(_WORD, sys.byteorder), word) for word in hits]
    return sorted((value.find(needle), needle, word) for needle, word in needles)


def _words(part: bytes) -> tuple[int, ...]:
    """Return the nine words that begin in sixteen bytes."""
    return struct.unpack("9Q", b"".join([part[at : at + _WORD] for at in range(_WORD + 1)]))


class Pieces:
    """The words of some texts, ready to be looked up.

    Args:
        texts: The letters of each text.
    """

    __slots__ = ("_buffer", "_edges", "_few", "_held", "_offsets", "_plan", "_positions", "_texts", "_words")

    def __init__(self, texts: Sequence[bytes]) -> None:
        self._texts = texts
        padded = [text + _PAD * (_WORD - len(text) % _WORD) for text in texts]
        self._buffer = b"".join(padded)
        self._offsets = [0, *accumulate(map(len, padded))]
        self._words = set(memoryview(self._buffer).cast("Q")[::2])
        # Alignments at which a value is read, which of its words are looked up, and how many bytes the words in the
        # set are apart, at most a word's length.
        self._plan: tuple[tuple[int, ...], int, int] = (_ALIGNMENTS, 1, _WORD)
        self._few = max(_AT_LEAST, len(self._buffer) // _FEW)
        self._positions: tuple[int, dict[int, list[int]]] | None = None
        self._held: tuple[bool, dict[int, list[tuple[int, int, bytes]]]] | None = None
        # Number of the text, where in it the edge begins, the edge, its sixteen bytes that are looked up.
        self._edges: list[tuple[int, int, bytes, bytes]] = []
        for number, text in enumerate(texts):
            pair = edges(text)
            if pair is not None:
                head, tail = pair
                self._edges.append((number, 0, head, head[: 2 * _WORD]))
                self._edges.append((number, len(text) - len(tail), tail, tail[-2 * _WORD :]))
        self._words.update(memoryview(b"".join([part for *_, part in self._edges])).cast("Q"))

    def find(self, value: bytes) -> Piece | None:
        """Return a piece that the value and a text share, or an edge that it holds.

        Args:
            value: The letters of the value.
        """
        size = len(value)
        if size < EDGE:
            return None
        self._few -= size
        if self._few < 0:
            self._add_words()
        alignments, step, apart = self._plan
        words: Sequence[int]
        if alignments is _SPARSEST and size < _READABLE:
            words = _READ[(size + _WORD) >> 4](value) + _READ[(size - 1) >> 4](value, 9)
        elif apart == _WORD:
            parts = b"".join([value[start : start + ((size - start) & ~7)] for start in alignments])
            words = memoryview(parts).cast("Q")[::step]
        else:
            # At each alignment an even number of words, so that every second one of all is one of each.
            padded = value + _PADDING
            parts = b"".join([padded[start : start + ((size - start + _WORD) & ~15)] for start in alignments])
            words = memoryview(parts).cast("Q")[::step]
        if self._words.isdisjoint(words):
            return None
        return self._confirmed(value, _in_order(value, self._words.intersection(words)), apart)

    def _add_words(self) -> None:
        """Make looking up cheaper. Another thread may look up meanwhile: each step holds before the plan changes."""
        if self._plan[1] == 1:
            self._words.update(memoryview(self._buffer).cast("Q")[1::2])
            self._few = max(_AT_LEAST, len(self._buffer))
            self._plan = (_ALIGNMENTS, 2, _WORD)
        elif self._plan[2] == _WORD:
            self._few = max(_AT_LEAST, _MANY * len(self._buffer))
            self._words.update(self._words_from(_WORD // 2))
            for *_, part in self._edges:
                self._words.update(_words(part))
            self._plan = (_SPARSE, 2, _WORD // 2)
        else:
            # Of seventeen neighbouring places there is one of either kind, odd and even, among every sixteenth and
            # those nine after it; of nine neighbouring places, one of them.
            self._few = _NEVER
            self._words.update(self._words_from(_WORD // 4))
            self._words.update(self._words_from(_WORD - _WORD // 4))
            self._plan = (_SPARSEST, 2, _WORD // 4)

    def _words_from(self, first: int) -> memoryview:
        """Return every word of the buffer that begins so many bytes after a multiple of eight."""
        buffer = memoryview(self._buffer)
        return buffer[first : len(buffer) - -first % _WORD].cast("Q")

    def _confirmed(self, value: bytes, hits: list[tuple[int, bytes, int]], apart: int) -> Piece | None:
        """Return the first piece of the value that is enough, else the first edge in it."""
        if len(value) >= SHARED:
            try:
                piece = self._shared(value, hits, apart)
            except _TooMuchError:
                piece = self._swept(value)
            if piece is not None:
                return piece
        return self._edge(value, hits, every=apart < _WORD)

    def _shared(self, value: bytes, hits: list[tuple[int, bytes, int]], apart: int) -> Piece | None:
        buffer = self._buffer
        work = _WORK + len(buffer) // 4
        positions = self._mapped(apart)
        for first, needle, word in hits:
            places = positions.get(word)
            if places is None:
                continue
            at = first
            while at >= 0:
                before, after = value[max(0, at - _WORD) : at], value[at + _WORD : at + 2 * _WORD]
                for place in places:
                    # Of 24 bytes around these eight, eight more are next to them on one side.
                    if (
                        buffer[place + _WORD : place + 2 * _WORD] == after
                        or buffer[max(0, place - _WORD) : place] == before
                    ):
                        piece = self._whole(*self._common(value, at, place))
                        if piece is not None:
                            return piece
                        work -= _EXTENDING
                work -= len(places)
                if work < 0:
                    raise _TooMuchError
                at = value.find(needle, at + 1)
        return None

    def _mapped(self, apart: int) -> dict[int, list[int]]:
        known = self._positions
        if known is None or known[0] != apart:
            found: dict[int, list[int]] = {}
            for first in range(0, _WORD, apart):
                for number, word in enumerate(self._words_from(first)):
                    if word in found:
                        found[word].append(first + number * _WORD)
                    else:
                        found[word] = [first + number * _WORD]
            known = self._positions = (apart, found)
        return known[1]

    def _common(self, value: bytes, at: int, place: int) -> tuple[int, int]:
        """Return from where to where the buffer agrees with the value around one hit."""
        buffer = self._buffer
        left = 0
        while (size := min(_STEP, at - left, place - left)) > 0:
            ours, theirs = value[at - left - size : at - left], buffer[place - left - size : place - left]
            same = size if ours == theirs else _same(ours[::-1], theirs[::-1])
            left += same
            if same < size:
                break
        right = _WORD
        while (size := min(_STEP, len(value) - at - right, len(buffer) - place - right)) > 0:
            ours, theirs = value[at + right : at + right + size], buffer[place + right : place + right + size]
            same = size if ours == theirs else _same(ours, theirs)
            right += same
            if same < size:
                break
        return place - left, place + right

    def _whole(self, start: int, end: int) -> Piece | None:
        """Return the piece of the buffer between two bytes, cut to whole characters, if it counts enough."""
        if end - start < SHARED:
            return None
        start, end = _cut(self._buffer, start, end)
        counted = weight_of_bytes(self._buffer[start:end])
        if counted < SHARED:
            return None
        text = bisect_right(self._offsets, start) - 1
        return Piece(text, start - self._offsets[text], counted, edge=False)

    def _edge(self, value: bytes, hits: list[tuple[int, bytes, int]], *, every: bool) -> Piece | None:
        """Return the edge that the value holds; `every`: whether all nine words of its sixteen bytes are looked up."""
        known = self._held
        if known is None or known[0] is not every:
            found: dict[int, list[tuple[int, int, bytes]]] = {}
            for text, start, edge, part in self._edges:
                for word in _words(part) if every else struct.unpack("2Q", part):
                    found.setdefault(word, []).append((text, start, edge))
            known = self._held = (every, found)
        for _, _, word in hits:
            for text, start, edge in known[1].get(word, ()):
                if edge in value:
                    return Piece(text, start, weight_of_bytes(edge), edge=True)
        return None

    def _swept(self, value: bytes) -> Piece | None:
        """Do the same in one pass over the texts: the way out for texts that say one thing over and over."""
        wanted = {piece for piece, _ in windows(decoded(value))}
        for number, text in enumerate(self._texts):
            for piece, start in windows(decoded(text)):
                if piece in wanted:
                    before = len(decoded(text)[:start].encode("utf-8", "surrogatepass"))
                    return Piece(number, before, weight(piece), edge=False)
        return None


def _same(ours: bytes, theirs: bytes) -> int:
    """Return how many bytes two byte strings have in common from their beginning."""
    for number, (one, other) in enumerate(zip(ours, theirs, strict=True)):
        if one != other:
            return number
    return len(ours)


def _cut(buffer: bytes, start: int, end: int) -> tuple[int, int]:
    """Leave out bytes at both ends that are parts of characters."""
    while start < end and buffer[start] & 0xC0 == 0x80:  # noqa: PLR2004 -- UTF-8's mark of a following byte
        start += 1
    last = end - 1
    while last > start and buffer[last] & 0xC0 == 0x80:  # noqa: PLR2004 -- the same
        last -= 1
    first = buffer[last]
    needed = 1 if first < 0xC0 else 2 if first < 0xE0 else 3 if first < 0xF0 else 4  # noqa: PLR2004 -- UTF-8's lengths
    return (start, end) if end - last >= needed else (start, last)


def windows(text: str) -> Iterator[tuple[str, int]]:
    """Return for each character the shortest piece from there that counts 24, and the character's number."""
    if text.isascii():
        for start in range(len(text) - SHARED + 1):
            yield text[start : start + SHARED], start
        return
    widths = [weight(character) for character in text]
    end, counted = 0, 0
    for start, width in enumerate(widths):
        while counted < SHARED:
            if end == len(text):
                return
            counted += widths[end]
            end += 1
        yield text[start:end], start
        counted -= width
