"""Texts that come bit by bit are found as if all had been there from the start."""

from __future__ import annotations

import random

import pytest

from discreet.matching import Index
from discreet.matching import index as matching
from discreet.matching.growing import Growing

WORDS = "gooseberry trombone ferryman lighthouse Rosalind Osbert neighbour cellar buried swore garden".split()


def sentence(chance: random.Random) -> str:
    return " ".join(chance.choices(WORDS, k=chance.randint(1, 9)))


@pytest.mark.parametrize("seed", range(20))
def test_a_growing_index_finds_what_a_fresh_one_of_all_texts_finds(seed: int) -> None:
    """After each text that is added, also while another is put in the place of an earlier one."""
    chance = random.Random(seed)
    growing, added, last = Growing(), [], []
    for number in range(30):
        text = ("place", sentence(chance))
        if chance.random() < 0.3:
            last = [text]
            growing.put(lambda texts=last: texts)
        else:
            added.append(text)
            growing.add(lambda one=text: [one], len(text[1]))
        plain = Index([*added, *last])
        for value in (sentence(chance), chance.choice(added or last)[1], f"x {number}", sentence(chance)[3:]):
            assert (growing.find(value) is None) == (plain.find(value) is None)
            assert (growing.find_part(value) is None) == (plain.find_part(value) is None)
            assert growing.lacks(f"Read {value}", [value]) == plain.lacks(f"Read {value}", [value])


def test_each_text_is_made_searchable_few_times(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many come, and though something is looked for after each of them."""
    made = 0

    class Counted(matching._Parts):
        def __init__(self, texts: list[tuple[str, str | bytes]]) -> None:
            nonlocal made
            made += len(texts)
            super().__init__(texts)

    monkeypatch.setattr(matching, "_Parts", Counted)
    growing = Growing()
    for number in range(512):
        growing.add(lambda one=number: [("message", f"the message number {one}")], 24)
        growing.find("something else")

    # Each doubles what it is put together with: at most as often as 512 can be halved.
    assert made <= 512 * 10


def test_texts_that_were_cleared_are_not_found() -> None:
    """Nor those of an index that somebody still holds."""
    growing = Growing()
    growing.add(lambda: [("query", "buried gooseberries")], 20)
    growing.put(lambda: [("body", "the trombone of Rosalind")])
    assert growing.find("gooseberries") is not None
    stages = growing._all()

    growing.clear()

    assert [one.find("gooseberries") for one in (growing, *stages)] == [None, None, None]
