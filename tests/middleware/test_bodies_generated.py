"""Whatever JSON a client sends and however its body is cut, its strings are found in what the application says."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.instrument.asgi import ContentMiddleware
from discreet.instrument.fields import is_long_id
from discreet.scope import current
from tests.middleware.driving import asgi, chunks, http

WORD = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Zs", "Cf", "Mn", "Cs")), min_size=1, max_size=12)
TEXT = st.lists(WORD, min_size=1, max_size=8).map(" ".join)
VALUE = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(WORD, inner, max_size=4),
    max_leaves=12,
)


def strings(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, list):
        return [text for part in value for text in strings(part)]
    return [text for part in value.values() for text in strings(part)] if isinstance(value, dict) else []


@settings(max_examples=150, deadline=None)
@given(value=VALUE, cuts=st.lists(st.integers(0, 400), max_size=4), ascii_only=st.booleans())
def test_every_string_of_a_body_is_found_when_it_has_come(value: Any, cuts: list[int], ascii_only: bool) -> None:
    """As if it had been registered by itself; looking for something after each piece changes nothing."""
    data = json.dumps(value, ensure_ascii=ascii_only).encode()
    ends = sorted({min(cut, len(data)) for cut in cuts} | {0, len(data)})
    pieces = [data[begin:end] for begin, end in pairwise(ends)]
    missed: list[str] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        more = True
        running = current()
        assert running is not None
        while more:
            more = (await receive())["more_body"]
            running.find("something else")
        from discreet.scope import customer_text

        for text in strings(value):
            with customer_text(alone=text) as alone:
                expected = alone._index.find(text) is not None
            if expected and not is_long_id(text) and running.find(text) is None:
                missed.append(text)

    asgi(ContentMiddleware(app), http(content_type="application/json"), chunks(*pieces))

    assert missed == []
