"""What numbers and the keys of mappings may show: no more than an ordinary measurement needs."""

from __future__ import annotations

import io
import logging
import math
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet
from discreet.contract import active
from discreet.seal.sealing import seal
from discreet.seal.values import shown

PHONE = "4915112345678"
log = logging.getLogger("numbers")


@pytest.fixture
def out() -> Iterator[io.StringIO]:
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    discreet.install()
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    try:
        yield stream
    finally:
        log.removeHandler(handler)
        log.setLevel(logging.NOTSET)
        discreet.uninstall()


@given(st.floats())
def test_a_float_shows_at_most_nine_digits(value: float) -> None:
    """Seven before the point; infinity and NaN are no numbers of anybody."""
    found = shown(value)
    if not math.isfinite(value):
        assert found is value
    elif abs(value) >= 1e7:
        assert found == "<float>"
    else:
        assert (found, shown(found)) == (float(f"{value:.9g}"), found)
        assert repr(found) == repr(float(f"{found:.9g}"))


@pytest.mark.parametrize("value", [0.0, 0.25, -12.5, 1234.567, 0.000123, 9999999.5, 0.8125, 1e-300])
def test_ordinary_measurements_are_exact(value: float) -> None:
    """Durations and scores print as they are."""
    assert shown(value) == value


def test_no_way_of_printing_shows_a_long_number(out: io.StringIO) -> None:
    """A telephone number stays in, as a float and as its fraction, whatever conversion prints it."""
    number, fraction = float(PHONE), float("0." + PHONE)
    log.info("float %s", number)
    log.info("float %d", number)
    log.info("float %.0f", number)
    log.info("float %r of %s", fraction, fraction)
    log.info("float %.16f", fraction)
    log.info(f"float {float(PHONE):.0f}")
    log.info(f"float {float('0.' + PHONE)}")
    log.info("%(a)s|%(a)e|%(b).3f", {"a": number, "b": 0.25})
    log.info("%s took %.3f s", "a job", 0.25)
    assert out.getvalue().splitlines() == [
        "float <float>",
        "float <float>",
        "float <float>",
        "float 0.491511235 of 0.491511235",
        "float 0.4915112350000000",
        "float {float(PHONE)}",
        "float {float('0.' + PHONE)}",
        "<float>|<float>|0.250",
        "<str 1-15> took 0.250 s",
    ]


def test_a_value_that_spells_a_character_is_withheld_at_all_places_of_its_key(out: io.StringIO) -> None:
    """The last place of a key is no licence for the first."""
    log.info("%(a)c%(a)d", {"a": ord("K")})
    log.info("%(a)d%(a)c%(b)d", {"a": ord("K"), "b": 7})
    log.info("%c%d", ord("K"), 7)
    text = out.getvalue()
    assert "K" not in text
    assert "75" not in text
    assert text.count("7") == 2


def test_keys_of_an_unproven_template_stay_in() -> None:
    """A contract knows the words around the slots, not the keys that stand in them."""
    row = next(one for one in active().templates("groundkit.indexer") if len(one.literals) > 2)
    key = "Where is the key"
    template = row.key.replace("{}", f"%({key})s")
    level = row.levelno or logging.WARNING
    record = logging.LogRecord("groundkit.indexer", level, "x.py", 1, template, ({key: "behind the door"},), None)
    sealed = seal(record)
    assert sealed.message.startswith(row.literals[0])
    assert key not in f"{sealed.msg}{sealed.args}{sealed.message}"
