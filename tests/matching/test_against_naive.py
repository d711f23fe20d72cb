"""The fast matcher and the naive one agree, both ways, in every script."""

from __future__ import annotations

import random
import sys
from unicodedata import category, combining, decomposition, normalize

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.matching import Index, folding
from discreet.matching.readings import readings
from tests.matching import naive

pytestmark = pytest.mark.long

ALPHABETS = {
    "latin": "abAB cdé,.ßſıİIiß̈ÿﬁŉ",
    "two letters": "ab",
    "digits": "12 3,-a",
    "german": "äöüÄÖÜßẞ straße",
    "accents": "eé\u0301\u0300 o\u0308\u0323ọ̈ a",
    "chinese": "钥匙挂在船屋，的。 ",
    "japanese": "カギはドアの後ろにが\u3099 ｶﾞー・鍵",
    "korean": "열쇠는 문 뒤에\u1100\u1161\u11a8",
    "thai": "กุญแจอยู่หลัง ประตู",
    "arabic": "المفتاح خلف\u064e الباب\u0651ﻻ،",
    "hindi": "चाबी दरवाज़े के पीछे।\u093c",
    "greek": "Σίσυφος ΑΣς ᾳᾼΐ\u0345",
    "emoji": "🔑🚪👩\u200d👩\u200d👧❤\ufe0f🏽 ab🎉",
    "hidden": "a\u200bb\u00adc\u200d\ufeff\u2060 d\x00\x1b\u034f",
    "signs": "½…´¨℃①Ⅷ㌔ａＢ１　\u00a0\u2003\u2028\x85'\"-_/",
    "typography": "aÄß“”–’„‚… ½\u2028\u3000，。！（）、Aa①🔑",
    "middle Europe": "čČŁłőŐžİıřŘĳŀŉſ d",
    "surrogates": "\ud83d\udd11\ud800\udc80 a\udcc3\udca4b",
}


def changed(text: str, how: int) -> str:
    """The same text as another program might write it."""
    return (
        text,
        text.upper(),
        text.lower(),
        normalize("NFC", text),
        normalize("NFD", text),
        normalize("NFKD", text),
        "\n ".join(text),
        "\u200b".join(text),
        text.title(),
    )[how]


@st.composite
def cases(draw: st.DrawFn) -> tuple[list[str], str]:
    """Some texts and a value that is often made of a piece of them."""
    alphabet = ALPHABETS[draw(st.sampled_from(sorted(ALPHABETS)))]
    if draw(st.booleans()):
        alphabet += ALPHABETS[draw(st.sampled_from(sorted(ALPHABETS)))]
    some = st.text(alphabet, max_size=60)
    texts = draw(st.lists(some, min_size=1, max_size=3))
    text = draw(st.sampled_from(texts))
    start = draw(st.integers(0, len(text)))
    length = draw(st.sampled_from([2, 4, 8, 11, 12, 13, 15, 16, 17, 23, 24, 25, 40]))
    piece = changed(text[start : start + length], draw(st.integers(0, 8)))
    value = draw(some.filter(lambda it: len(it) < 30)) + piece + draw(some.filter(lambda it: len(it) < 30))
    return texts, draw(st.sampled_from([value, piece]))


@given(cases())
@settings(max_examples=600, deadline=None)
def test_the_fast_matcher_agrees_with_the_naive_one(case: tuple[list[str], str]) -> None:
    """What it finds is there by the rule that it names, and what is there it finds."""
    texts, value = case

    match = Index([(f"texts[{number}]", text) for number, text in enumerate(texts)]).find(value)
    rules = naive.matches(texts, value)

    assert (match is not None) == bool(rules)
    if match is not None:
        assert match.rule in rules
        assert match.rule in naive.matches([texts[match.text]], value)


@given(cases())
@settings(max_examples=300, deadline=None)
def test_short_values_are_left_out_when_the_caller_says_so(case: tuple[list[str], str]) -> None:
    """The other three rules hold as before."""
    texts, value = case

    match = Index([("text", text) for text in texts]).find(value, inside=False)

    assert (match is not None) == bool(naive.matches(texts, value) - {"inside"})


@pytest.mark.parametrize("apart", [None, 4, 2], ids=["at once", "after many", "after very many"])
@pytest.mark.parametrize("alphabet", ALPHABETS.values(), ids=list(ALPHABETS))
def test_long_texts_agree_too(alphabet: str, apart: int | None) -> None:
    """Texts of several thousand characters and values with one piece of them, long enough by a little or too short."""
    random_ = random.Random(7)
    texts = ["".join(random_.choices(alphabet, k=900)) for _ in range(3)]
    index = Index([("text", text) for text in texts])
    if apart is not None:
        _searched(index, apart)
    views = [view for text in texts for view in readings(text, base64=False)]
    pieces = set().union(*(naive.windows(naive.letters(view), 24) for view in views))
    for _ in range(40):
        text = random_.choice(texts)
        start, length = random_.randrange(len(text)), random_.choice((10, 12, 14, 22, 24, 26, 30, 60))
        value = "".join(random_.choices("xyz 78", k=20)) + text[start : start + length] + "qqq"
        wanted = any(
            not pieces.isdisjoint(naive.windows(naive.letters(reading), 24))
            or any(naive.has_edge(view, reading) for view in views)
            for reading in readings(value)
        )

        assert (index.find(value, inside=False) is not None) == wanted


@given(st.text(max_size=40) | st.sampled_from(sorted(ALPHABETS)).flatmap(lambda it: st.text(ALPHABETS[it])))
@settings(max_examples=1000, deadline=None)
def test_folding_has_one_definition(text: str) -> None:
    """The quick ways of folding give what the plain one gives."""
    assert folding.spaced(text) == naive.spaced(text)
    assert folding.letters(text) == naive.letters(text).encode("utf-8", "surrogatepass")
    assert folding.words(text) == naive.words(text)
    assert folding.joined_words(text) == "".join(naive.words(text)).encode("utf-8", "surrogatepass")
    assert folding.weight(text) == naive.weight(text)


@given(st.sampled_from(sorted(ALPHABETS)).flatmap(lambda it: st.text(ALPHABETS[it])))
@settings(max_examples=1000, deadline=None)
def test_folding_twice_changes_nothing(text: str) -> None:
    """A value that was folded by one program is found by another."""
    assert naive.spaced(naive.spaced(text)) == naive.spaced(text)
    assert folding.spaced(folding.spaced(text)) == folding.spaced(text)


def test_what_is_told_does_not_depend_on_the_letters():
    """The same places for texts and values that differ by a permutation of the letters alone."""
    random_ = random.Random(3)
    table = str.maketrans("abcdefgh", "hgcafbde")
    texts = ["".join(random_.choices("abcdefgh ", k=400)) for _ in range(4)]
    for _ in range(300):
        pieces = [(random_.choice(texts), random_.randrange(370)) for _ in range(3)]
        value = "-".join(text[start : start + random_.choice((8, 20, 30))] for text, start in pieces)
        worlds = [
            Index([("text", text) for text in (it.translate(change) for it in texts)]).find(value.translate(change))
            for change in ({}, table)
        ]

        assert worlds[0] == worlds[1]


def test_what_counts_as_common_needs_nothing_done():
    """The characters that folding passes over are those that NFKC keeps, alone and folded, and no separators."""
    common = [chr(code) for code in range(128, 0x10000) if folding._COMMON.match(chr(code))]
    about = {folding._about(character) for character in common}

    assert len(common) > 30_000
    assert about == {(None, False, "")}


def test_common_characters_and_symbols_compose_with_nothing_before_them():
    """So that a text of nothing else is in its normal form; and symbols have no case."""
    every = [chr(code) for code in range(128, sys.maxunicode + 1)]
    seconds = {parts[1] for it in every if len(parts := [chr(int(p, 16)) for p in _canonical(it)]) == 2}
    alone = [it for it in every if folding._COMMON.match(it) or category(it) == "So"]
    symbols = [it for it in alone if category(it) == "So" and folding._about(it).form is None]

    assert "\u0308" in seconds
    assert seconds.isdisjoint(alone)
    assert {combining(it) for it in alone} == {0, 107}, "Thai tone marks have one class, so they keep their order"
    assert {it for it in symbols if it.casefold() != it or folding._about(it).separators not in {"", it}} == set()


def _canonical(character: str) -> list[str]:
    parts = decomposition(character).split()
    return [] if parts and parts[0].startswith("<") else parts


def test_every_character_is_folded_as_the_plain_way_does():
    """Beside letters, beside its like, and in a text that Latin-1 can't write."""
    codes = [*range(128, 0x3400), *range(0xA000, 0xAC00), *range(0xF900, 0x11000), *range(0x1D400, 0x1FC00)]
    for character in map(chr, codes):
        for text in (f"a{character}B {character}{character}", f"”Ä{character}ß"):
            wanted = naive.letters(text), "".join(naive.words(text))

            assert folding.letters_and_words(text) == tuple(it.encode("utf-8", "surrogatepass") for it in wanted)


def _searched(index: Index, apart: int) -> None:
    """Search for so much that words so many bytes apart are in the set."""
    for number in range(400):
        index.find(f"other{number} " * 60)
        if number > 25 and index._parts is not None and index._parts.pieces._plan[2] == apart:
            return
    raise AssertionError


@given(cases(), st.sampled_from([4, 2]))
@settings(max_examples=400, deadline=None)
def test_many_values_are_found_as_one_is(case: tuple[list[str], str], apart: int) -> None:
    """After some searches a filter and the rest of the set are made; nothing that is there is left out."""
    texts, value = case
    index = Index([("text", text) for text in texts])
    _searched(index, apart)

    assert (index.find(value) is not None) == bool(naive.matches(texts, value))


@given(cases(), st.sampled_from(["", "x", " ", "of "]), st.sampled_from(["", "x", ".", " of"]))
@settings(max_examples=400, deadline=None)
def test_a_part_and_the_whole_find_what_both_would_alone(case: tuple[list[str], str], before: str, after: str) -> None:
    """Looked up as a part of a longer value, a value is found if it would be alone or the longer one is."""
    texts, value = case
    index = Index([("text", text) for text in texts])
    whole = before + value + after

    found = index.find_part(value) is not None or index.find(whole) is not None

    assert found == bool(naive.matches(texts, value) | naive.matches(texts, whole))


@given(cases(), st.lists(st.sampled_from(["", "x", " ", "of ", "%", "Read "]), min_size=3, max_size=3), st.data())
@settings(max_examples=600, deadline=None)
def test_nothing_is_found_where_the_quick_look_says_so(
    case: tuple[list[str], str], between: list[str], data: st.DataObject
) -> None:
    """Neither in the whole, nor in a part alone, nor in the parts put together; however much was looked up before."""
    texts, first = case
    index = Index([("text", text) for text in texts])
    if data.draw(st.booleans()):
        _searched(index, 2)
    cut = data.draw(st.integers(0, len(first)))
    parts = data.draw(
        st.sampled_from([[first], [first[:cut], first[cut:]], [first[:cut]], [first[cut:], texts[0][:9]]])
    )
    whole = between[0] + between[1].join(parts) + between[2]

    if index.lacks(whole, parts):
        assert [naive.matches(texts, it) for it in (whole, *parts, "".join(parts))] == [set()] * (len(parts) + 2)


@pytest.mark.parametrize("searched", [False, True])
def test_the_quick_look_sees_that_plain_values_agree_with_nothing(searched: bool) -> None:
    """So that most records need no other."""
    index = Index([("question", "Where is the key of the boat house? It hung behind the door until May.")])
    if searched:
        _searched(index, 2)
    parts = ["index harbour-12 of 2,048 pages", "3f0c8b1e-7e0a-4d6f-9a51-5a0c2f0d7b11", "a", "tariff q3"]

    assert index.lacks("; ".join(parts), parts)
    assert not index.lacks("; ".join([*parts, "the boat house"]), [*parts, "the boat house"])
