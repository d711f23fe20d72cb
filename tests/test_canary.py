"""Canaries: each is one of a kind, and found however it is written."""

from __future__ import annotations

import base64
import html
import json
import textwrap
from urllib.parse import quote

import pytest

from discreet.canary import found_in, make


def test_no_two_canaries_are_the_same() -> None:
    """Each sentence is new, and has neither digits nor signs that a log could let through as an id."""
    made = {make() for _ in range(200)}
    assert len(made) == 200
    assert all(part.isalpha() for one in made for part in one.split())


@pytest.mark.parametrize(
    "written",
    [
        str,
        str.upper,
        repr,
        lambda text: json.dumps({"message": text}),
        lambda text: json.dumps(json.dumps(text)),
        quote,
        html.escape,
        lambda text: base64.b64encode(text.encode()).decode(),
        lambda text: "\n".join(textwrap.wrap(text, 7)),
        lambda text: json.dumps("\n".join(textwrap.wrap(text, 9))),
        lambda text: text[: len(text) // 2],
        lambda text: text[len(text) // 2 :],
        lambda text: text[:24],
        lambda text: next(word for word in text.split() if len(word) == 10 and word[1:2] in "aeiou"),
    ],
)
def test_a_canary_is_found_however_it_is_written(written: object) -> None:
    """Upper case, escapes, encodings, broken lines and halves don't hide it."""
    canary = make()
    assert callable(written)
    assert found_in(f"level=info {written(canary)} end", canary)


def test_other_text_holds_no_canary() -> None:
    """Neither another canary's words nor the words around its names are taken for it."""
    made = [make() for _ in range(40)]
    assert not any(found_in(one, other) for one in made for other in made if one is not other)
    assert not found_in(json.dumps({"message": "<str 64-255>", "question": "Does anybody know"}), made[0])
