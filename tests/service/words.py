"""What customers of the steady load write: sentences in eight languages, each one only once, and ways to find them."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

VOCABULARY = tomllib.loads((Path(__file__).parent / "vocabulary.toml").read_text(encoding="utf-8"))
_UNSPACED = frozenset({"zh", "ja"})
_SYLLABLES = "vor lin tas kub rem osh dra fel nim gur pav zeb hol wix jat mul sen yor bic dul".split()
_WORD = re.compile(r"\w+")
_WIDE = re.compile("[\u3040-\u30ff\u4e00-\u9fff]{4,}")
_ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})")
_MIN_TELLING = 5


def name_of(number: int) -> str:
    """Return a name that nobody else has."""
    found, rest = "", number + len(_SYLLABLES) ** 3
    while rest:
        rest, place = divmod(rest, len(_SYLLABLES))
        found += _SYLLABLES[place]
    return found.capitalize()


@dataclass(frozen=True)
class Texts:
    """The texts of one request; the first sentence of each document is what is quoted."""

    question: str
    documents: tuple[str, ...]
    altered: str
    """What the LLM quotes although it stands nowhere."""

    template: str
    """What the LLM writes around the quotes."""

    @property
    def quotes(self) -> tuple[str, ...]:
        return tuple(text.partition(". ")[0] + "." for text in self.documents)

    def __iter__(self) -> Iterator[str]:
        yield from (self.question, *self.documents, self.altered, self.template)


def texts_of(number: int, seed: int, sentences: int = 3) -> Texts:
    """Return the texts of a request, the same ones for the same numbers."""
    chosen = Random(f"{seed} {number}")
    language = chosen.choice(list(VOCABULARY))
    names = (name_of(number * 64 + place) for place in range(64))

    def sentence() -> str:
        return _sentence(chosen, language, next(names))

    documents = tuple(". ".join(sentence() for _ in range(sentences)) + "." for _ in range(2))
    return Texts(f"{sentence()}?", documents, f"{sentence()}.", f"{sentence()}:")


def _sentence(chosen: Random, language: str, name: str) -> str:
    telling, between = (VOCABULARY[language][kind].split() for kind in ("telling", "between"))
    words = [name]
    for word in chosen.sample(telling, 7):
        words.append(word)
        if between and chosen.random() < 0.3:
            words.append(chosen.choice(between))
    return ("" if language in _UNSPACED else " ").join(words)


def _windows(text: str) -> Iterator[str]:
    words = _WORD.findall(text.casefold())
    for place in range(len(words) - 2):
        yield " ".join(words[place : place + 3])
    for run in _WIDE.findall(text):
        for place in range(len(run) - 3):
            yield run[place : place + 4]


class Finder:
    """Finds in outputs what customers wrote: words of theirs, any three in a row, names, and whole sentences.

    Args:
        texts: What they wrote.
    """

    def __init__(self, texts: Iterable[Iterable[str]]) -> None:
        self._words = {word.casefold() for words in VOCABULARY.values() for word in words["telling"].split()}
        self._words = {word for word in self._words if len(word) >= _MIN_TELLING}
        self._windows: set[str] = set()
        for text in (text for one in texts for text in one):
            self._windows.update(_windows(text))
            self._words.update(word.casefold() for word in _WORD.findall(text) if len(word) >= _MIN_TELLING)
        self._words -= {word.casefold() for words in VOCABULARY.values() for word in words["between"].split()}

    def found_in(self, output: str) -> set[str]:
        """Return what an output has of it, as it stands, with escapes undone, and in the strings of lines of JSON."""
        found = self._in_plain(output)
        if "\\u" in output:
            found |= self._in_plain(_ESCAPE.sub(lambda match: chr(int(match[1], 16)), output))
        for line in output.splitlines():
            if line.startswith("{"):
                found |= self._in_plain(" \n ".join(_strings(json.loads(line))))
        return found

    def _in_plain(self, text: str) -> set[str]:
        words = {word.casefold() for word in _WORD.findall(text)}
        return (words & self._words) | (self._windows & set(_windows(text)))


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, member in value.items():
            yield key
            yield from _strings(member)
    elif isinstance(value, list):
        for member in value:
            yield from _strings(member)
