"""No sentence comes through any type, and no value's own code runs."""

from __future__ import annotations

import base64
import math
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.seal.types import TYPE_NAMES, WITHHELD, register_routes, value_type

pytestmark = pytest.mark.long

OPTIONS: dict[str, dict[str, Any]] = {
    "enum": {"values": ["rising", "falling", 7]},
    "phrase": {"values": ["{int} of {int}", "since {float}s"]},
    "client_address": {"show": True},
    "route": {"templates": ["/notes/{note_id}", "/files/{rest:path}"]},
}
ALL = [value_type({"type": name, **OPTIONS.get(name, {})}) for name in sorted(TYPE_NAMES)]

WORDS = (
    "my left knee has been hurting since the storm in March and nobody at the clinic will tell me whether the dose "
    "of eight tablets a day that doctor Okonkwo wrote down for mother is right or far too high select insert get post "
    "cpu cuda http reason module class code signal model device found not ok 3 12 2026 404 v2 gpt llama"
).split()
# Twelve words and more: names of hosts have up to ten.
SENTENCES = st.lists(st.sampled_from(WORDS), min_size=12, max_size=25, unique=True).filter(
    lambda words: sum(word.isalpha() for word in words) >= 12
)
JOINERS = st.sampled_from([" ", "-", "_", ".", "/", ",", "", ":", "%20", "+", "\n", "\t", "\u2028"])
FRAMES = st.sampled_from(
    [
        "{}",
        "/{}",
        "/notes/{}",
        "/files/{}?{}",
        "https://{}",
        "https://{}/",
        "https://host/{}",
        "https://{}@host/{}",
        "GET /{} HTTP/1.1",
        "GET {} HTTP/1.1",
        "SELECT {}",
        "req_{}",
        "{}.py",
        "{}:0",
        "{}[0]",
        "Org/{}",
        "cuda:{}",
        "since {}s",
        "[{}]",
        "'{}'",
        "HTTP/{}",
        "2026-01-02 {}",
    ]
)


def disguised(words: list[str], joiner: str, frame: str, form: str) -> Any:
    text = frame.replace("{}", joiner.join(words))
    if form == "hex":
        return text.encode().hex()
    if form == "base64":
        return base64.b64encode(text.encode()).decode()
    if form == "title":
        return frame.replace("{}", joiner.join(word.title() for word in words))
    return text.encode() if form == "bytes" else text


def letters(text: str) -> str:
    return "".join(char for char in text.lower() if char.isalnum())


@settings(deadline=None, max_examples=400)
@given(SENTENCES, JOINERS, FRAMES, st.sampled_from(["plain", "plain", "title", "hex", "base64", "bytes"]))
def test_no_sentence_comes_through_any_type(words, joiner, frame, form):
    """Whole or in parts, written as a slug, a path, a host, an identifier or in hexadecimal digits."""
    register_routes([])
    value = disguised(words, joiner, frame, form)
    pairs = ["".join(pair) for pair in pairwise(words)]
    for kind in ALL:
        found = kind.safe(value)
        if not isinstance(found, str):
            continue
        assert found != value, kind.name
        shown = letters(found)
        assert [pair for pair in pairs if len(pair) > 6 and pair.lower() in shown] == [], kind.name


VALUES = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(),
        st.text(max_size=300),
        st.binary(max_size=50),
        st.datetimes(),
        st.dates(),
        st.uuids(),
        st.from_regex(r"[0-9a-fA-F-]{1,40}", fullmatch=True),
        st.from_regex(r"[ -~]{1,200}", fullmatch=True),
        st.complex_numbers(),
        st.decimals(),
        st.fractions(),
        st.timedeltas(),
        st.sampled_from([ValueError, ValueError("x"), object(), type, int, print, math, ...]),
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=3), inner, max_size=3)),
    max_leaves=4,
)


@settings(deadline=None, max_examples=400)
@given(VALUES)
def test_whatever_comes_out_is_a_short_line_or_a_finite_number(value):
    """None of the exact built-in types' values makes a type raise; a text is one short line of ASCII."""
    for kind in ALL:
        found = kind.safe(value)
        if found is WITHHELD or found is None:
            continue
        assert type(found) in (str, int, float, bool)
        if type(found) is str:
            assert len(found) <= 132
            assert found.isprintable()
            assert found.replace("…", "").isascii()
        elif type(found) is float:
            assert math.isfinite(found)
        elif type(found) is int:
            assert -(2**63) <= found < 2**63


@pytest.mark.parametrize("piece", [" ", "a", "a.", ".", "1", "/", "a-", ":", "(", "[0]", "A", "\n", "@", "?", "x://"])
@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.name)
def test_a_value_of_a_megabyte_is_withheld_at_once(kind, piece):
    """With a pattern that tries again from each place this would take hours."""
    found = kind.safe(piece * (2**20 // len(piece)))
    assert found is WITHHELD or found in ("/…", "/…?…")


def hostile(*bases: type) -> Any:
    """Return an instance of a class that fails in every way it can."""

    def fail(self: Any, *args: Any) -> Any:
        raise BaseException("called")

    names = (
        "__str__ __repr__ __format__ __hash__ __eq__ __ne__ __len__ __iter__ __bool__ __int__ __index__ __float__ "
        "__getattribute__ __getattr__ __contains__ __getitem__ __lt__ __gt__ __le__ __ge__ __add__ __mod__ __bytes__ "
        "__complex__ __round__ __call__ __enter__ __fspath__ __class_getitem__ __reduce__ __sizeof__ __dir__"
    )
    members = dict.fromkeys(names.split(), fail)
    cls = type("Hostile", bases, members)
    return object.__new__(cls) if not bases else bases[0].__new__(cls)


@pytest.mark.parametrize(
    "bases", [(), (str,), (list,), (dict,), (tuple,), (set,), (bytes,), (Exception,)], ids=lambda b: b and b[0].__name__
)
@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.name)
def test_no_code_of_an_unknown_class_runs(kind, bases):
    """Also that of a subclass of a built-in one: a str subclass is no str."""
    assert kind.safe(hostile(*bases)) is WITHHELD


@pytest.mark.parametrize("base", [int, float])
@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.name)
def test_the_number_in_a_subclass_is_read_without_its_code(kind, base):
    """`http.HTTPStatus` and `numpy.float64` are such classes; their value is the built-in one's."""
    found = kind.safe(hostile(base))
    assert found is WITHHELD or type(found) in (int, float, str)


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.name)
def test_no_code_of_a_metaclass_runs(kind):
    """A class that is logged may have a metaclass that answers everything."""

    class Meta(type):
        def __getattribute__(cls, name: str) -> Any:
            raise BaseException(name)

        def __hash__(cls) -> int:
            raise BaseException("hashed")

        def __eq__(cls, other: object) -> bool:
            raise BaseException("compared")

    found = kind.safe(Meta("Hostile", (), {}))
    assert found is WITHHELD
