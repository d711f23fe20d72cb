"""Looks through logs that already exist for customer text, and tells where it is without showing it."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any, BinaryIO, Final

from discreet.errors import ConfigurationError
from discreet.log_files import BLOCK, Source, lines_of
from discreet.matching import Index, Match, Rule
from discreet.matching.folding import as_text, joined_words, letters, weight
from discreet.matching.inside import SHORTEST_TEXT
from discreet.texts import shown_key

__all__ = ["Finding", "Scanner", "Text", "load_texts"]

_STRINGS: Final = re.compile(r""""((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|=([^\s,;&)\]}]+)""")
_TAIL: Final = 2048

_Line = tuple[int, str]


@dataclass(frozen=True, slots=True)
class Text:
    """A text to look for.

    .. versionadded:: 0.1.0
    """

    place: str
    """The file, and the place in it where the file has many texts."""

    text: str
    """The text itself."""

    line: int | None
    """The line of the file that the text begins at; None where lines say nothing."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of a log that holds customer text.

    .. versionadded:: 0.1.0
    """

    file: str
    """The log."""

    line: int
    """The number of the line, from 1."""

    last_line: int
    """The number of the last line, where the text goes over several."""

    place: str
    """Where the text is registered: file, and line or place in it."""

    length: int
    """How much of it was found, in characters without white space; Chinese, Japanese and Korean ones count 2."""

    rule: Rule
    """Whether a long piece was found, a beginning or end, a whole short text, or a value inside a text."""


def load_texts(paths: Iterable[str], *, by_line: bool = False) -> list[Text]:
    """Read the texts to look for.

    Args:
        paths: Files. Each is one text; of a ``.json`` or ``.jsonl`` file every string is one.
        by_line: Whether every line of a text file is a text of its own.

    Raises:
        ConfigurationError: A file can't be read or isn't what its name says, or no text is long enough.

    .. versionadded:: 0.1.0
    """
    found: list[Text] = []
    for path in paths:
        try:
            content = as_text(Path(path).read_bytes()).removeprefix("\ufeff")
        except OSError as error:
            raise ConfigurationError(f"can't be read ({type(error).__name__})", place=path) from error
        if path.endswith((".json", ".jsonl", ".ndjson")):
            found.extend(_from_json(path, content))
        elif by_line:
            found.extend(Text(path, line, number) for number, line in enumerate(content.splitlines(), start=1))
        else:
            found.append(Text(path, content, 1))
    usable = [one for one in found if weight(letters(one.text).decode("utf-8", "surrogatepass")) >= SHORTEST_TEXT]
    if not usable:
        raise ConfigurationError(
            f"no text of {SHORTEST_TEXT} characters or more", place="--texts", remedy="Shorter ones are everywhere."
        )
    return usable


def _from_json(path: str, content: str) -> Iterator[Text]:
    lines = [content] if path.endswith(".json") else content.splitlines()
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        where = path if len(lines) == 1 else f"{path}:{number}"
        try:
            loaded = json.loads(line)
        except (ValueError, RecursionError) as error:
            # The parser's own message quotes the line.
            raise ConfigurationError("isn't JSON", place=where) from error
        yield from (Text(place, text, None) for place, text in _strings(loaded, where))


def _strings(value: Any, place: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield place, value
    elif isinstance(value, dict):
        for number, (key, part) in enumerate(value.items()):
            yield from _strings(part, f"{place}{shown_key(key, number)}")
    elif isinstance(value, list):
        for number, part in enumerate(value):
            yield from _strings(part, f"{place}[{number}]")


class Scanner:
    """Looks for texts in logs, in memory that doesn't grow with them.

    Args:
        texts: What to look for.
        short: Whether values of a line that are themselves a part of a text count, however short: names, for example,
            but also words that any log has.

    .. versionadded:: 0.1.0
    """

    def __init__(self, texts: Iterable[Text], *, short: bool = False) -> None:
        self._texts = list(texts)
        self._index = Index([(one.place, one.text) for one in self._texts])
        self._short = short
        self._lines_of_texts: dict[tuple[int, Callable[[str], bytes]], list[int]] = {}
        self.lines = 0
        """How many lines were looked at."""
        self.findings = 0
        """How many findings there were."""

    def scan(self, source: Source, stream: BinaryIO, read: Callable[[int], None] | None = None) -> Iterator[Finding]:
        """Look through one log.

        Args:
            source: What to call it.
            stream: Its bytes, compressed or not.
            read: Called with the number of bytes read so far.

        Raises:
            OSError: It can't be read to its end.
            EOFError: It is compressed and ends too early.

        .. versionadded:: 0.1.0
        """
        last = hit = size = 0
        pending: list[_Line] = []
        for number, line in lines_of(stream, read):
            self.lines += number != last
            last = number
            if number == hit:  # Another part of a long line.
                continue
            found = self._in_line(source.name, number, line)
            if found is not None:
                hit = number
                yield from self._across(source.name, pending)
                pending, size = [], 0
                self.findings += 1
                yield found
                continue
            pending.append((number, line))
            size += len(line)
            if size > BLOCK:
                yield from self._across(source.name, pending)
                pending = _tail(pending)
                size = sum(len(one) for _, one in pending)
        yield from self._across(source.name, pending)

    def _in_line(self, file: str, number: int, line: str) -> Finding | None:
        match = self._index.find(line, inside=False)
        if match is None and self._short:
            match = next(filter(None, (self._index.find(value) for value in _values(line))), None)
        if match is None:
            return None
        return Finding(file, number, number, self._place(match), match.length, match.rule)

    def _across(self, file: str, lines: list[_Line]) -> Iterator[Finding]:
        """Look for a text that goes over several lines, none of which has enough of it."""
        while len(lines) > 1 and self._holds(lines):
            part, lines = self._narrowed(lines)
            match = self._across_match(part)
            if match is None:  # A search by halves takes for granted that more lines hold more.
                return
            self.findings += 1
            yield Finding(file, part[0][0], part[-1][0], self._place(match), match.length, match.rule)

    def _narrowed(self, lines: list[_Line]) -> tuple[list[_Line], list[_Line]]:
        """Return the fewest lines that hold a text, and those behind them."""
        end = _least(len(lines), lambda size: self._holds(lines[:size]))
        size = _least(end, lambda size: self._holds(lines[end - size : end]))
        return lines[end - size : end], lines[end:]

    def _across_match(self, lines: list[_Line]) -> Match | None:
        return self._index.find("\n".join(line for _, line in lines), inside=False, written=False)

    def _holds(self, lines: list[_Line]) -> bool:
        return self._across_match(lines) is not None

    def _place(self, match: Match) -> str:
        text = self._texts[match.text]
        if text.line is None or match.start < 0:
            return text.place
        form = joined_words if match.rule == "inside" else letters
        ends = self._lines_of_texts.get((match.text, form))
        if ends is None:
            ends = [0, *accumulate(len(form(line)) for line in text.text.split("\n"))]
            self._lines_of_texts[match.text, form] = ends
        return f"{text.place}:{text.line + min(bisect_right(ends, match.start), len(ends) - 1) - 1}"


def _least(most: int, holds: Callable[[int], bool]) -> int:
    """Return the least number from 1 to `most` of which something holds, given that it holds of `most`."""
    low, high = 1, most
    while low < high:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle + 1
    return low


def _tail(lines: list[_Line]) -> list[_Line]:
    """Return the last lines, which a text may go over together with those that follow."""
    size = 0
    for place in range(len(lines) - 1, -1, -1):
        size += len(lines[place][1])
        if size >= _TAIL:
            number, line = lines[place]
            return [(number, line[size - _TAIL :]), *lines[place + 1 :]]
    return lines


def _values(line: str) -> Iterator[str]:
    """Return the values of a line: all strings if it is JSON, else what is quoted or stands after an equals sign."""
    if line.lstrip().startswith("{"):
        try:
            yield from (text for _, text in _strings(json.loads(line), ""))
            return
        except (ValueError, RecursionError):
            pass  # A line that was cut is read like any other.
    for found in _STRINGS.finditer(line):
        yield next(part for part in found.groups() if part is not None)
