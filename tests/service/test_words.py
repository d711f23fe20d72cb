"""The customers' texts: no two alike, and found wherever they come out."""

from __future__ import annotations

import json

import pytest

from tests.service.words import VOCABULARY, Finder, texts_of

ALL = [texts_of(number, 5) for number in range(200)]


def test_no_sentence_comes_twice() -> None:
    """Of 200 requests in eight languages; the texts of a number are always the same."""
    sentences = [text for texts in ALL for text in texts]
    assert len(set(sentences)) == len(sentences) == 1000
    assert [texts_of(number, 5) for number in range(200)] == ALL
    assert sum(len(words["telling"].split()) for words in VOCABULARY.values()) > 170


def test_a_text_that_comes_out_is_found() -> None:
    """The control of the search: as it is, in JSON with escapes or without, cut, and in small letters."""
    finder = Finder(ALL)
    for texts in ALL[:40]:
        question = texts.question
        for told in (
            question,
            json.dumps({"q": question}),
            json.dumps([question])[9:],
            question.upper(),
            question[:25],
        ):
            assert finder.found_in(f"INFO desk: Asked {told} today"), told


def test_three_words_in_a_row_are_found_whatever_they_are() -> None:
    """Also in a language without blanks, where four letters are enough."""
    finder = Finder([["One of us has been at the fair", "红线绿线蓝线"]])
    assert finder.found_in("he is one of us, no") == {"one of us"}
    assert finder.found_in("一条线绿线蓝线") == {"线绿线蓝", "绿线蓝线"}
    assert finder.found_in("us of one, 绿线蓝") == set()


@pytest.mark.parametrize(
    "text", ["INFO desk: Answered query <str 16-63> with 2 quotes", '{"operation": "desk.answer"}']
)
def test_what_a_program_says_is_not_found(text: str) -> None:
    """The words are of a kind that no program has."""
    assert Finder(ALL).found_in(text) == set()
