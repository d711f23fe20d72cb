"""The matcher: does a value hold text of the registered ones?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from discreet.matching.folding import as_text, letters_and_words, plain_letters, weight_of_bytes, words_of
from discreet.matching.inside import ENDING, SHORTEST_TEXT, Borders, Inside, stands_in
from discreet.matching.pieces import LONGEST_WITHOUT_EDGES, Pieces, edges
from discreet.matching.readings import may_be_encoded, readings

__all__ = ["Index", "Match", "Rule", "Text"]

Rule = Literal["shared", "edge", "inside", "whole"]
"""Why a value matches: it shares a long piece with a text, holds its beginning or end, stands inside it, or holds the
whole of a short one."""

_REMEMBERED: Final = 512
_SHORT: Final = 256
_LONGEST_WORD: Final = 21  # A value that is one word may be base64; if it is longer, so is a value that it stands in.


@dataclass(frozen=True, slots=True)
class Match:
    """Where a value agrees with a registered text; it has no text itself.

    .. versionadded:: 0.1.0
    """

    place: str
    """The place of the registered text, such as ``chunks[3]``."""

    rule: Rule
    """Why the value matches."""

    length: int
    """How much agrees, in characters without white space; Chinese, Japanese and Korean ones count 2."""

    text: int = 0
    """The number of the registered text, from 0 in the order of registration."""

    start: int = 0
    """Where the agreement begins in that text, in bytes of its letters (rule `inside`: of its joined words); -1 if it
    is in a reading of the text, such as its JSON undone."""


Text = tuple[str, str | bytes]
"""A place and the text that stands there."""

_Known = dict[str, Match | None]
_UNKNOWN: Final = Match("", "shared", 0)


class Index:
    """Registered texts, made searchable at the first search.

    Args:
        texts: The place and the text of each; or what returns them, called at the first search.

    Attributes:
        blank: Whether none of the texts says anything; then finding nothing in them says nothing either.
        partial: Whether there are texts that aren't known here, so that finding nothing says nothing.
        later: Texts that came after these, None if there are none: they are searched too, and forgotten with these.

    .. versionadded:: 0.1.0
    """

    __slots__ = ("_found", "_parts", "_texts", "blank", "later", "partial")

    def __init__(self, texts: Iterable[Text] | Callable[[], Iterable[Text]]) -> None:
        self._texts = texts if callable(texts) else list(texts)
        self.blank = self.partial = False
        self.later: Index | None = None
        self._parts: _Parts | None = None
        # What was found for short values: without and with the rule `inside`, and for parts of others.
        self._found: tuple[_Known, _Known, _Known] = ({}, {}, {})

    def find(
        self, value: str | bytes | bytearray | memoryview, *, inside: bool = True, written: bool = True
    ) -> Match | None:
        """Return where a value agrees with a registered text, None if it doesn't.

        Args:
            value: The value as it would go out.
            inside: Whether a value that is itself a part of a text counts, however short.
            written: Whether to undo escapes and encodings too.

        .. versionadded:: 0.1.0
        """
        text = value if type(value) is str else as_text(value)
        if not written:
            found = self._ready().find((text,), inside=inside)
        else:
            known = self._found[inside]
            # Looked up once: another thread may clear it meanwhile.
            found = known.get(text, _UNKNOWN)
            if found is _UNKNOWN:
                found = self._remembered(known, text, self._ready().find(readings(text), inside=inside))
        later = self.later
        return found if found is not None or later is None else later.find(text, inside=inside, written=written)

    def _remembered(self, known: _Known, text: str, match: Match | None) -> Match | None:
        if len(text) <= _SHORT:
            if len(known) >= _REMEMBERED:
                known.clear()
            known[text] = match
        return match

    def find_part(self, value: str) -> Match | None:
        """Return where a value agrees with a registered text, for one that stands as it is in a longer value.

        Whoever looks it up looks the longer one up too, by :meth:`find`, and finds there what the two share. So if the
        value is of ASCII and written plainly, only the rules are followed that ask for where it begins and ends.

        Args:
            value: The value as it would go out.

        .. versionadded:: 0.1.0
        """
        known = self._found[2]
        found = known.get(value, _UNKNOWN)
        if found is _UNKNOWN:
            if not value.isascii() or len(readings(value)) > 1:
                return self.find(value)
            found = self._remembered(known, value, self._ready().find((value,), inside=True, pieces=False))
        later = self.later
        return found if found is not None or later is None else later.find_part(value)

    def lacks(self, value: str, parts: Sequence[str]) -> bool:
        """Tell whether surely nothing is found: not for a value, nor for values in it, alone and put together.

        This is quicker than to look up each, because what isn't in a plain value isn't in a part of it. If it isn't
        plain, or might be the written form of something, the answer is no.

        Args:
            value: The value as it would go out.
            parts: The values in it.

        .. versionadded:: 0.1.0
        """
        later = self.later
        if later is not None and not later.lacks(value, parts):
            return False
        folded = plain_letters(value)
        if folded is None or may_be_encoded(value):
            return False
        ready = self._parts or self._ready()
        if ready.pieces.find(folded) is not None:
            return False
        inside = ready.inside
        end = value[-ENDING:]
        ends_in_none = inside.none_ends(end)
        if not ends_in_none and inside.find(value, words_of(value)) is not None:
            return False
        if ready.shorts and ready.has_short(words_of(value)):
            return False
        for part in parts:
            if value[-len(part) :] != part and part not in value:
                return False
            # Only whether it stands inside a text, and is a written form, depends on where it begins and ends itself.
            if len(part) <= _LONGEST_WORD and " " not in part:
                if self.find_part(part) is not None:
                    return False
            elif not (ends_in_none if (last := part[-ENDING:]) == end else inside.none_ends(last)) and (
                inside.find(part, words_of(part)) is not None
            ):
                return False
        return len(parts) < 2 or self.lacks("".join(parts), ())  # noqa: PLR2004 -- put together is more than one

    def _ready(self) -> _Parts:
        parts = self._parts
        if parts is None:
            # Two threads may both do this. The parts are the same and one of them stays.
            texts = self._texts
            parts = self._parts = _Parts(texts() if callable(texts) else texts)
            if self._texts is not texts:
                # Cleared meanwhile.
                self._parts = _NOTHING
        return parts

    def clear(self) -> None:
        """Forget all texts.

        .. versionadded:: 0.1.0
        """
        # Whoever still looks into it mustn't take it that there was no text.
        self.partial = True
        later, self.later = self.later, None
        if later is not None:
            later.clear()
        self._texts = []
        self._parts = _NOTHING
        self._found = ({}, {}, {})


class _Parts:
    """The searchable forms of all texts and of their readings."""

    __slots__ = ("_owners", "_places", "_views", "inside", "pieces", "shorts")

    def __init__(self, texts: Iterable[tuple[str, str | bytes]]) -> None:
        self._places: list[str] = []
        self._owners: list[int] = []
        self._views: list[str] = []
        for number, (place, text) in enumerate(texts):
            self._places.append(place)
            # A request's body may be registered as it came, and its parts logged as they were read.
            for view in readings(as_text(text), base64=False):
                self._owners.append(number)
                self._views.append(view)
        both = [letters_and_words(view) for view in self._views]
        folded = [letters for letters, _ in both]
        self.pieces = Pieces(folded)
        self.inside = Inside(self._views, [joined for _, joined in both])
        self.shorts = [
            (number, short, Borders(self._views[number]).between_digits)
            for number, one in enumerate(folded)
            if SHORTEST_TEXT <= len(one) < LONGEST_WITHOUT_EDGES
            and edges(one) is None
            and weight_of_bytes(one) >= SHORTEST_TEXT
            and weight_of_bytes(short := both[number][1]) >= SHORTEST_TEXT
        ]

    def find(self, forms: Iterable[str], *, inside: bool, pieces: bool = True) -> Match | None:
        for reading in forms:
            letters, joined = letters_and_words(reading)
            piece = self.pieces.find(letters) if pieces else None
            if piece is not None:
                return self._match(piece.text, "edge" if piece.edge else "shared", piece.weight, piece.start)
            if inside:
                found = self.inside.find(reading, joined)
                if found is not None:
                    text, start, length = found
                    return self._match(text, "inside", length, start)
            for number, short, own in self.shorts:
                if stands_in(reading, joined, short, own):
                    return self._match(number, "whole", weight_of_bytes(short), 0)
        return None

    def has_short(self, joined: bytes) -> bool:
        """Tell whether a value may hold the whole of a short text.

        Args:
            joined: The joined words of the value.
        """
        return any(short in joined for _, short, _ in self.shorts)

    def _match(self, view: int, rule: Rule, length: int, start: int) -> Match:
        owner = self._owners[view]
        first = view == 0 or self._owners[view - 1] != owner
        return Match(self._places[owner], rule, length, owner, start if first else -1)


_NOTHING: Final = _Parts(())
