"""Canaries: sentences such as a customer writes, of which each is made once, so that finding it proves a way out."""

from __future__ import annotations

import hmac
import re
import secrets
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import count
from typing import Final

from discreet.matching import Index
from discreet.matching.folding import letters
from discreet.matching.readings import readings

__all__ = ["Finder", "found_in", "make", "of_id"]

_CONSONANTS: Final = "bdfgklmnprstvz"
_VOWELS: Final = "aeiou"
_SYLLABLES: Final = 5
_KEY: Final = b"discreet canary 1"
_NAME: Final = re.compile(rf"(?:[{_CONSONANTS}][{_VOWELS}]){{{_SYLLABLES}}}", re.IGNORECASE)
_SENTENCES: Final = (
    "My friend {} says the clinic in {} lost her letter to {}",
    "Does {} know why the court in {} refused the appeal of {}",
    "Our son {} hates the school in {} because of {}",
    "Has {} told you who robbed {} and threatened {}",
)
"""Names stand so near to both ends and to each other that no piece which counts is without one."""


def make() -> str:
    """Return a sentence that nobody has written before, with invented names at its beginning, middle and end.

    The names are letters only: a number or an id could be let through for what it is.

    .. versionadded:: 0.1.0
    """
    return _made(secrets.choice)


def of_id(identifier: str) -> str:
    """Return the sentence that belongs to an id: always the same, and nothing of the id can be read from it.

    Args:
        identifier: any text.

    .. versionadded:: 0.1.0
    """
    numbers = _numbers(identifier.encode())

    def choose(options: Sequence[str]) -> str:
        return options[next(numbers) % len(options)]

    return _made(choose)


def _numbers(seed: bytes) -> Iterator[int]:
    for number in count():
        yield int.from_bytes(hmac.digest(_KEY, b"%d %s" % (number, seed), "sha256")[:8], "big")


def _made(choose: Callable[[Sequence[str]], str]) -> str:
    sentence = choose(_SENTENCES)
    return sentence.format(*(_name(choose) for _ in range(sentence.count("{}"))))


def found_in(text: str, canary: str) -> bool:
    """Tell whether a text holds a canary or a piece of it that can be no chance.

    White space, line ends, case, escapes (JSON, percent, HTML and the like) and base64 don't hide it. A piece is one of
    its names, 24 characters in a row, or 16 at its beginning or end.

    Args:
        text: what came out somewhere.
        canary: a sentence from :func:`make`.

    .. versionadded:: 0.1.0
    """
    if _index(canary).find(text, inside=False) is not None:
        return True
    names = [name.lower().encode() for name in _NAME.findall(canary)]
    return any(name in folded for folded in map(letters, readings(text)) for name in names)


class Finder:
    """Finds several canaries at once.

    Args:
        canaries: the sentences by what to call them.

    .. versionadded:: 0.1.0
    """

    def __init__(self, canaries: dict[str, str]) -> None:
        self._called = list(canaries)
        self._index = Index(list(canaries.items()))
        self._names = {
            name.lower().encode(): called for called, text in canaries.items() for name in _NAME.findall(text)
        }

    def find(self, text: str) -> str | None:
        """Return what the canary is called of which a text holds a piece, as :func:`found_in` has it; else None.

        Args:
            text: what came out somewhere.
        """
        match = self._index.find(text, inside=False)
        if match is not None:
            return self._called[match.text]
        for folded in map(letters, readings(text)):
            for name, called in self._names.items():
                if name in folded:
                    return called
        return None


def _name(choose: Callable[[Sequence[str]], str]) -> str:
    return "".join(choose(_CONSONANTS) + choose(_VOWELS) for _ in range(_SYLLABLES)).capitalize()


@lru_cache(64)
def _index(canary: str) -> Index:
    return Index([("canary", canary)])
