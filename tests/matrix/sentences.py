"""One sentence for each row, with words that no other row and no program has, and a search for them in bytes."""

from __future__ import annotations

import base64
from functools import lru_cache
from itertools import islice, product
from urllib.parse import quote

ONSETS = ("Brasc", "Dwirn", "Fjald", "Glumb", "Kvost", "Prisk", "Skarn", "Thwol")
ENDS = ("abrook", "ewhin", "illdör", "osmead", "uthorn")
WORDS_EACH = 3


def words(number: int) -> tuple[str, ...]:
    """Return the words that give a row's sentence away; one of them has a letter outside ASCII."""
    pairs = islice(product(ONSETS, ("in", "or", "ul", "est"), ENDS), number * WORDS_EACH, (number + 1) * WORDS_EACH)
    first, second, third = ("".join(parts) for parts in pairs)
    return first, second, f"{third}ö"


def sentence(number: int) -> str:
    """Return what a customer writes in a row."""
    first, second, third = words(number)
    return f"Did {first} hide the deeds from {second} or burn them at {third}"


@lru_cache
def _forms(text: str) -> tuple[bytes, ...]:
    """Return how a text may stand in bytes: plain, escaped, or in another encoding; in lower case."""
    raw = text.encode()
    plain = [
        raw,
        text.encode("utf-16-le"),
        text.encode("utf-16-be"),
        text.encode("latin-1"),
        text.encode("ascii", "backslashreplace"),
        repr(raw)[2:-1].encode(),
        text.encode("ascii", "xmlcharrefreplace"),
        "".join(c if c.isascii() else f"\\u{ord(c):04x}" for c in text).encode(),
        quote(text).encode(),
        quote(text, safe=" ").replace(" ", "+").encode(),
        raw.hex().encode(),
    ]
    return tuple({form.lower() for form in plain})


@lru_cache
def _encoded(text: str) -> tuple[bytes, ...]:
    """Return the base64 of a text at its three alignments, without what its neighbours have a part in."""
    raw = text.encode()
    cut = []
    for before in range(3):
        whole = base64.b64encode(bytes(before) + raw)
        end = (before + len(raw)) * 4 // 3
        cut.append(whole[(before * 4 + 2) // 3 : end])
    return tuple(cut)


@lru_cache(maxsize=1)
def _lowered(output: bytes) -> bytes:
    return output.lower()


def stands_in(number: int, output: bytes) -> list[str]:
    """Return what of a row's sentence stands in an output: its words, its halves, itself."""
    whole = sentence(number)
    middle = whole.index(" from")
    lowered = _lowered(output)
    return [
        text
        for text in (whole, whole[:middle], whole[middle:], *words(number))
        if any(form in lowered for form in _forms(text)) or any(form in output for form in _encoded(text))
    ]
