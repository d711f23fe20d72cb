"""Collects the texts of a request by the places at which they stand."""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Collection
from typing import Any, Final, NamedTuple
from urllib.parse import unquote

from discreet.instrument.request_ids import IdShape
from discreet.seal.types import WITHHELD
from discreet.texts import PROGRAM_KEY, shown_key

__all__ = ["MAX_TEXTS", "Place", "Texts", "pairs", "path_texts"]

MAX_TEXTS: Final = 4096
"""How many texts of one request are looked for: more take longer to be made searchable than a request lasts.

.. versionadded:: 0.1.0
"""

_MOST_PAIRS: Final = 4 * MAX_TEXTS
"""Pairs of a query string or a form that are read: most frameworks refuse a quarter of these."""

_SHORTEST: Final = 2
_BASE64: Final = re.compile(
    r"(?P<mark>data:[^,\s]{0,99};base64,)?(?P<digits>[A-Za-z0-9+/_-]+(?:\r?\n[A-Za-z0-9+/_-]+)*)={0,2}\s*"
)
_STANDARD: Final = str.maketrans("-_", "+/", "\r\n")
_HEXADECIMAL: Final = re.compile(r"[0-9A-Fa-f]+")
_UNPRINTABLE: Final = re.compile("[\0-\x08\x0e-\x1f\x7f]")
_SHORTEST_BASE64: Final = 6
_SHORTEST_FILE: Final = 256

_LONG_ID: Final = 26
"""Characters of the shortest identifier that nobody types: a ULID's."""

_SHORT: Final = 24
"""Characters of a text of which the matcher finds any piece that is as long."""

_HOLD_TEXT: Final = frozenset({str, dict, list})
_ID: Final = IdShape()
_LOST: Final = "\N{REPLACEMENT CHARACTER}"


class Place(NamedTuple):
    """Where a text stands: as it is told, and by the keys themselves, without the numbers of lists."""

    shown: str
    true: str


class Texts:
    """The texts of a request that were found so far.

    Args:
        public: Places whose values aren't customer text, by their keys, such as ``body.model``.

    .. versionadded:: 0.1.0
    """

    __slots__ = ("found", "incomplete", "public")

    def __init__(self, public: Collection[str] = ()) -> None:
        self.found: list[tuple[str, str | bytes]] = []
        self.incomplete = False
        """Whether the request has, or may have, texts that aren't among these."""

        self.public = public

    @property
    def is_full(self) -> bool:
        """Whether there are so many that those to come don't count any more.

        .. versionadded:: 0.1.0
        """
        return self.incomplete and len(self.found) >= MAX_TEXTS

    def take(self, shown: str, text: str) -> None:
        """Take one text.

        Args:
            shown: Its place, as it is told.
            text: The text. One that no rule of the matcher finds, and identifiers that a machine made, are left out.

        .. versionadded:: 0.1.0
        """
        if len(text) < _SHORTEST or text.isspace() or is_long_id(text):
            return
        if len(self.found) >= MAX_TEXTS:
            self.incomplete = True
            return
        self.found.append((shown, text))
        if len(text) >= _SHORTEST_BASE64 and (written := _BASE64.fullmatch(text)) is not None:
            self._take_encoded(shown, written)

    def _take_encoded(self, shown: str, written: re.Match[str]) -> None:
        """Take what an application reads in a value that is all base64, such as a file in a body of JSON."""
        digits = written["digits"].translate(_STANDARD)
        if _HEXADECIMAL.fullmatch(digits):
            return
        data = b64decode(digits[: len(digits) - (len(digits) % 4 == 1)] + "=" * (-len(digits) % 4))
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError:
            text = ""
        if text and not _UNPRINTABLE.search(text):
            self.found.append((shown, text))
        elif written["mark"] or len(digits) >= _SHORTEST_FILE:
            # A token is shorter; this is a picture or a document.
            self.incomplete = True

    def key(self, shown: str, true: str, key: str, number: int = 0) -> Place:
        """Return the place of a key's value, and take the key itself if a customer may have written it.

        Args:
            shown: The place of what has the key, as it is told.
            true: The same by its keys.
            key: The key.
            number: Which of the keys it is, from 0.

        .. versionadded:: 0.1.0
        """
        place = Place(shown + shown_key(key, number), f"{true}.{key}")
        if not PROGRAM_KEY.fullmatch(key):
            self.take(place.shown, key)
        return place

    def walk(self, value: Any, place: str) -> None:
        """Take the strings of a value of JSON, in their order.

        Args:
            value: The value, of Python's own types.
            place: Its place.

        .. versionadded:: 0.1.0
        """
        # No recursion: how deep a body is nested is its sender's choice.
        waiting: list[tuple[Any, Place]] = [(value, Place(place, place))]
        while waiting and not self.is_full:
            one, at = waiting.pop()
            if at.true in self.public:
                continue
            if type(one) is str:
                self.take(at.shown, one)
            elif type(one) is dict:
                inner = [(part, self.key(*at, key, n)) for n, (key, part) in enumerate(one.items())]
                waiting.extend(reversed(inner))
            elif type(one) is list:
                inner = [
                    (part, Place(f"{at.shown}[{n}]", at.true)) for n, part in enumerate(one) if type(part) in _HOLD_TEXT
                ]
                waiting.extend(reversed(inner))
                if len(one) > 1 and all(type(part) is str and len(part) < _SHORT for part in one):
                    # Such as the words of a text, which an application puts together again.
                    self.take(at.shown, " ".join(one))


def is_long_id(text: str) -> bool:
    """Tell whether a text is an identifier that nobody types, such as a UUID or a ULID.

    Args:
        text: A value of a request.

    .. versionadded:: 0.1.0
    """
    return _LONG_ID <= len(text) <= _LONG_ID + 10 and _ID.safe(text) is not WITHHELD


def pairs(text: str, place: str, texts: Texts) -> None:
    """Read names and values of a query string or a form.

    Args:
        text: Pairs as they are written in an address.
        place: What their places begin with.
        texts: Takes the texts.

    .. versionadded:: 0.1.0
    """
    for number, written in enumerate(text.split("&", _MOST_PAIRS)):
        if number == _MOST_PAIRS:
            texts.incomplete = True
            break
        if not written:
            continue
        name, equals, value = written.replace("+", " ").partition("=")
        name, value = unquote(name), unquote(value)
        if _LOST in name or _LOST in value:
            # Of another encoding, which the application may know.
            texts.incomplete = True
        at = texts.key(place, place, name, number)
        if at.true in texts.public:
            continue
        if not equals:
            # All of a query string may be a text, as in /search?boats.
            texts.take(at.shown, name)
        texts.take(at.shown, value)
        if texts.is_full:
            break


def path_texts(path: str, template: str, texts: Texts) -> None:
    """Read the parts of a path that aren't the application's own, and no identifiers.

    Args:
        path: The path, decoded.
        template: The route's template, or anything else if it isn't known.
        texts: Takes the texts.

    .. versionadded:: 0.1.0
    """
    own = frozenset(template.split("/"))
    parts = path.split("/")[1:]
    row: list[str] = []
    taken = 0
    for number, part in enumerate([*parts, ""]):
        if part and part not in own:
            row.append(part)
            if _ID.safe(part) is WITHHELD:
                taken += 1
                texts.take(f"path[{number}]", part)
            continue
        if taken and len(row) > 1:
            # A slot may stand for several.
            texts.take(f"path[{number - len(row)}]", "/".join(row))
        row.clear()
        taken = 0
