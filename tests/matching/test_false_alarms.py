"""What was made from no customer's text is hardly ever withheld by the matcher."""

from __future__ import annotations

from collections import Counter

import pytest

from discreet.matching import Index
from tests.matching import lines, prose

pytestmark = pytest.mark.long

MOST = 0.002
"""The share of values that may be withheld by mistake."""


VALUES = {"messages": lambda: lines.raised_messages(2000), "ids, paths and numbers": lambda: lines.ids_and_paths(5000)}


@pytest.mark.parametrize(("kind", "count"), [("messages", 2000), ("ids, paths and numbers", 5000)])
def test_hardly_anything_is_withheld_by_mistake(kind: str, count: int) -> None:
    """With 100,000 characters of unrelated English, German, Chinese and Japanese registered."""
    texts, values = prose.texts(100_000), VALUES[kind]()
    index = Index([(f"chunks[{number}]", text) for number, text in enumerate(texts)])

    found = [(match.rule, value) for value in values if (match := index.find(value)) is not None]
    share = len(found) / len(values)

    assert (sum(map(len, texts)), len(values)) == (100_000, count)
    assert share <= MOST, f"{share:.2%} of {kind}: {dict(Counter(rule for rule, _ in found))}, {found}"


def test_the_same_texts_withhold_what_was_made_from_them() -> None:
    """Else nothing would be withheld by mistake, whatever the matcher did."""
    texts = prose.texts(100_000)
    index = Index([(f"chunks[{number}]", text) for number, text in enumerate(texts)])
    pieces = [text[700:740] for text in texts if len(text) > 740]
    values = [f"cannot parse {piece} at 12" for piece in pieces]

    found = [index.find(value) for value in values]

    assert [match.rule for match in found if match is not None] == ["shared"] * len(pieces)
