"""Canaries: sentences such as a customer writes, of which each is made once, so that finding it proves a way out."""

from __future__ import annotations

import re
import secrets
from functools import lru_cache
from typing import Final

from discreet.matching import Index
from discreet.matching.folding import letters
from discreet.matching.readings import readings

__all__ = ["found_in", "make"]

_CONSONANTS: Final = "bdfgklmnprstvz"
_VOWELS: Final = "aeiou"
_SYLLABLES: Final = 5
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
    sentence = secrets.choice(_SENTENCES)
    return sentence.format(*(_name() for _ in range(sentence.count("{}"))))


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


def _name() -> str:
    return "".join(secrets.choice(_CONSONANTS) + secrets.choice(_VOWELS) for _ in range(_SYLLABLES)).capitalize()


@lru_cache(64)
def _index(canary: str) -> Index:
    return Index([("canary", canary)])
