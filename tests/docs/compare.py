"""Compares what a page says with what was printed, where times and ids differ each time."""

from __future__ import annotations

import doctest
import json
import re
from typing import Any

VOLATILE = (
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|\+00:00)"), "<time>"),
    (re.compile(r"\b\d\d:\d\d:\d\d\.\d{3}Z"), "<time>"),
    (re.compile(r"(?<!\.)\b[0-9a-f]{32}\b"), "<trace>"),
    (re.compile(r"(?<!\.)\b[0-9a-f]{16}\b"), "<span>"),
    (re.compile(r"\x1b\[[0-9;]*m"), ""),
)
ANYTHING = "..."


def steady(text: str) -> str:
    """The text without what differs from run to run."""
    for pattern, stand_in in VOLATILE:
        text = pattern.sub(stand_in, text)
    return text


def same_text(said: str, printed: str) -> bool:
    """Whether the text is the one said; `...` stands for anything."""
    checker = doctest.OutputChecker()
    return checker.check_output(steady(said).strip() + "\n", steady(printed).strip() + "\n", doctest.ELLIPSIS)


def same_json(said: str, printed: str) -> bool:
    """Whether the JSON values are those said, however the page breaks its lines.

    The string `...` stands for any value.
    """
    wanted, got = _values(steady(said)), _values(steady(printed))
    return len(wanted) == len(got) and all(map(_matches, wanted, got))


def _values(text: str) -> list[Any]:
    decoder = json.JSONDecoder()
    values = []
    position = 0
    while text[position:].strip():
        position += len(text[position:]) - len(text[position:].lstrip())
        value, position = decoder.raw_decode(text, position)
        values.append(value)
    return values


def _matches(said: Any, got: Any) -> bool:
    if said == ANYTHING:
        return True
    if isinstance(said, dict) and isinstance(got, dict):
        return said.keys() == got.keys() and all(_matches(said[key], got[key]) for key in said)
    if isinstance(said, list) and isinstance(got, list):
        return len(said) == len(got) and all(map(_matches, said, got))
    return type(said) is type(got) and bool(said == got)
