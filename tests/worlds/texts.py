"""Customer texts, and the other worlds: the same texts with other letters, or wholly other ones."""

from __future__ import annotations

import random
import string
from collections.abc import Callable, Sequence
from typing import Final

TEXTS: Final = (
    "Does the clinic at Harbour Lane take patients without a referral on Fridays?",
    "My tenant, Mr. Oyelaran, owes 1450 for March and 725 for half of April.",
    "The letter of 12 June says that the claim 88-3301 was refused.",
    "Agnes",
    "Room 4711 took 88 ms",
    "She sleeps badly; works nights; is allergic to penicillin (see note 7).",
    "Wie hoch ist die Miete für die Wohnung am Jägerweg 9, Größe 62 m²?",
    "ul. Łąkowa 3, mieszkanie 14",
    '{"answer": "The rash on the left arm was seen on 3 May", "n": 3}',
    "line one of the letter\nline two of the letter\tand a tab",
    "4711",
    "100% of it, %s and %(name)s, {0} and {name}, $name",
    "user@example.org",
    "https://clinic.example/find?q=rash+left+arm&page=2",
    "",
    "What?",
)
"""Whole sentences, names, numbers, addresses, texts with the marks that templates use."""

SENTENCES: Final = tuple(index for index, text in enumerate(TEXTS) if text.count(" ") >= 4)
"""Those that no closed type can take for a name or an id."""


def turned(texts: Sequence[str]) -> list[str]:
    """Return the texts in other places, sentences in those of sentences: for a call site's second record."""
    places = [index for index in range(len(texts)) if index not in SENTENCES]
    out = list(texts)
    for among in (SENTENCES, places):
        for here, there in zip(among, [*among[1:], among[0]], strict=True):
            out[here] = texts[there]
    return out


World = Callable[[str], str]


def same(text: str) -> str:
    """Return the text: the first world, and its control."""
    return text


def permuted(seed: int) -> World:
    """Return a world in which every letter is another letter and every digit another digit."""
    source = random.Random(seed)
    table: dict[int, str] = {}
    for alphabet in (string.ascii_lowercase, string.digits):
        shuffled = source.sample(alphabet, len(alphabet))
        table |= dict(zip(map(ord, alphabet), shuffled, strict=True))
        table |= dict(zip(map(ord, alphabet.upper()), "".join(shuffled).upper(), strict=True))
    return lambda text: text.translate(table)


_FILLER = "Noon 31: a ~ b {c} of %d; et al. "
_OTHERS = {"\n": "\t", "\t": "\n", "ü": "é", "ö": "à", "ä": "ñ", "ß": "ß", "Ł": "Ж", "ą": "ж", "²": "³"}
_KEPT = "'\"\\"


def unrelated(text: str) -> str:
    """Return another text, with other words, signs and numbers.

    Its length is the same, and so are those of its repr, its capitals and its bytes: what a program makes
    of a text by such means is as long as well.
    """
    filler = _FILLER * (len(text) // len(_FILLER) + 1)
    return "".join(
        letter if letter in _KEPT else _OTHERS[letter] if letter in _OTHERS else filler[index]
        for index, letter in enumerate(text)
    )


WORLDS: Final[dict[str, World]] = {
    "first": same,
    "control": same,
    "permuted": permuted(1),
    "unrelated": unrelated,
}
