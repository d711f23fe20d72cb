"""The search of the matrix finds a sentence however it is written, and no sentence of another row."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from itertools import combinations
from urllib.parse import quote, quote_plus

import pytest

from tests.matrix.sentences import sentence, stands_in, words

NUMBER = 7
ROWS = range(40)

WRITTEN: dict[str, Callable[[str], bytes]] = {
    "plain": str.encode,
    "upper case": lambda text: text.upper().replace("Ö", "ö").encode(),
    "JSON": lambda text: json.dumps(text).encode(),
    "repr of bytes": lambda text: repr(text.encode()).encode(),
    "ASCII with backslashes": lambda text: text.encode("ascii", "backslashreplace"),
    "character references": lambda text: text.encode("ascii", "xmlcharrefreplace"),
    "latin-1": lambda text: text.encode("latin-1"),
    "UTF-16": lambda text: text.encode("utf-16"),
    "UTF-16, the other end first": lambda text: text.encode("utf-16-be"),
    "percent": lambda text: quote(text).encode(),
    "form": lambda text: quote_plus(text).encode(),
    "hexadecimal": lambda text: text.encode().hex().encode(),
    "base64": lambda text: base64.b64encode(text.encode()),
    "base64, one byte on": lambda text: base64.b64encode(b"x" + text.encode()),
    "base64, two bytes on": lambda text: base64.b64encode(b"xy" + text.encode() + b"z"),
}


@pytest.mark.parametrize("way", WRITTEN)
def test_a_sentence_is_found_however_it_is_written(way: str) -> None:
    """In the midst of other bytes."""
    output = b"\x00 before " + WRITTEN[way](sentence(NUMBER)) + b" after \xff"

    assert set(words(NUMBER)[:2]) <= set(stands_in(NUMBER, output))
    assert [number for number in ROWS if stands_in(number, output)] == [NUMBER]


def test_each_word_and_each_half_is_enough() -> None:
    """Who sees a name knows whom a text is about."""
    whole = sentence(NUMBER)

    for word in words(NUMBER):
        assert stands_in(NUMBER, word.encode()) == [word]
    assert whole[: len(whole) // 2] not in stands_in(NUMBER, b"Did they hide the deeds from us or burn them")
    assert len(stands_in(NUMBER, whole.split(" from")[0].encode())) == 2


def test_no_word_of_a_row_is_in_one_of_another() -> None:
    """Else a leak would be told of the wrong row."""
    every = [word for number in ROWS for word in words(number)]

    assert [pair for pair in combinations(every, 2) if pair[0] in pair[1] or pair[1] in pair[0]] == []
