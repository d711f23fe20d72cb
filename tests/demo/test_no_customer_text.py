import re

import pytest

from tests.demo import texts
from tests.demo.conftest import Runs

pytestmark = [pytest.mark.integration, pytest.mark.long]


def test_the_demo_ends_well_and_says_nothing_on_stderr(demo: Runs) -> None:
    """All runs end with exit code 0 and an empty stderr: no warning, no logging error."""
    ends = [(run.code, run.stderr) for run in (demo.first, demo.control, demo.other_world)]
    assert ends == [(0, "")] * 3


def test_the_texts_looked_for_are_those_that_the_demo_runs_on() -> None:
    """The search has something to find: known sentences and pieces of them are among the wanted."""
    assert len(texts.texts()) > 40
    assert "Notice given by e-mail is without effect." in texts.sentences()
    assert "noticegivenbye-mailiswit" in texts.pieces(24)
    assert texts.found(["She still wakes"], {"log": "…: She still wakes at four"}) == {"log": ["She still wakes"]}


def test_no_sentence_of_a_document_question_or_reply_was_written(demo: Runs) -> None:
    """Neither the files nor stdout nor stderr hold a sentence, as written or with escapes undone."""
    written = demo.first.everything()
    assert texts.found(texts.sentences(), written) == {}
    assert texts.found(texts.sentences(), _unescaped(written)) == {}


def test_no_piece_of_24_characters_was_written(demo: Runs) -> None:
    """No 24 characters in a row of any text, white space and case apart, were written anywhere."""
    written = {name: texts.fold(text) for name, text in _unescaped(demo.first.everything()).items()}
    assert texts.found(texts.pieces(24), written) == {}


def test_no_telling_word_was_written(demo: Runs) -> None:
    """Names, drugs and diagnoses are nowhere; each is a word of some text."""
    written = {name: text.casefold() for name, text in demo.first.everything().items()}
    telling = [word.casefold() for word in texts.TELLING]
    assert set(telling) <= {word for text in texts.texts() for word in texts.words(text)}
    assert texts.found(telling, written) == {}


def test_words_of_the_texts_that_were_written_are_the_programs_own(demo: Runs) -> None:
    """A word that customers also use is written in the world in which they don't use it, too."""
    wanted = {word for text in texts.texts() for word in texts.words(text)}
    here = texts.words("\n".join(demo.first.everything().values()))
    there = texts.words("\n".join(demo.other_world.everything().values()))
    assert wanted & here - there == set()


def test_the_demo_counts_what_it_finds_and_finds_nothing(demo: Runs) -> None:
    """The demo searches its files itself and says so in its last section."""
    assert re.search(r"\b0 of the customers' \d+ sentences", demo.first.stdout)


def test_without_the_guard_an_ordinary_handler_leaks_and_the_search_sees_it(demo: Runs) -> None:
    """The control: our sinks seal by themselves, the others need the guard, and the search works."""
    found = texts.found(texts.sentences(), demo.unguarded.everything())
    assert list(found) == ["ordinary.log"]
    assert "Lindqvist strongly recommends removing three lymph nodes next month" in found["ordinary.log"]
    assert demo.unguarded.code == 0


def _unescaped(written: dict[str, str]) -> dict[str, str]:
    return {name: text.replace('\\"', '"').replace("\\n", "\n") for name, text in written.items()}
