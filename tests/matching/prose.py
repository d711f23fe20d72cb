"""Prose in four languages, composed from a seed: words by rank as in real texts, in sentences people might write."""

from __future__ import annotations

import random
import re
import tomllib
from itertools import accumulate
from pathlib import Path

_SLOT = re.compile(r"\{(\w+)\}")
_WITHOUT_BLANKS = ("chinese", "japanese")
_FULL_WIDTH = str.maketrans({",": "，", "?": "？"})


def texts(size: int, seed: int = 11, chunk: int = 1500) -> list[str]:
    """Return texts of at most `chunk` characters, in turns of the four languages, with `size` characters in all."""
    languages = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    chance = random.Random(seed)
    found: list[str] = []
    left = size
    while left > 0:
        name = list(languages)[len(found) % len(languages)]
        language = languages[name]
        # Paragraphs only at first: a text that says the same again adds nothing.
        parts = [chance.choice(language["paragraphs"])] if len(found) < 2 * len(languages) else []
        while sum(map(len, parts)) < chunk:
            sentence = chance.choice(language["sentences"])
            parts.append(_SLOT.sub(lambda slot: _word(language, slot[1], chance), sentence))  # noqa: B023 -- called at once
        text = ("" if name in _WITHOUT_BLANKS else " ").join(parts)[: min(chunk, left)]
        found.append(text.translate(_FULL_WIDTH) if name in _WITHOUT_BLANKS else text)
        left -= len(text)
    return found


def _word(language: dict[str, str], slot: str, chance: random.Random) -> str:
    words = language[slot.lower()].split("|")
    # The word of rank n is about 1/n as frequent as the first.
    word = chance.choices(words, cum_weights=list(accumulate(1 / rank for rank in range(2, len(words) + 2))))[0]
    return word[0].upper() + word[1:] if slot[0].isupper() else word
