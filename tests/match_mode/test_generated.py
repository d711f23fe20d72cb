"""What match mode lets through holds no text that the matcher's rules find, whatever is logged."""

from __future__ import annotations

import io
import logging
import re
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import discreet
from discreet.export.ledger import LEDGER
from discreet.match_mode import set_match
from tests.match_mode.lines import NAME, logged
from tests.matching import naive
from tests.matching.test_against_naive import ALPHABETS, changed

pytestmark = pytest.mark.long

TIME = re.compile(r'"timestamp":"[^"]+"')
Emit = Callable[[logging.Logger, list[str]], None]


def _percent(log: logging.Logger, v: list[str]) -> None:
    log.info("Read %s", v[0])
    log.info("%s%s|%r", v[0], v[1], v[2])
    log.info("%-5s %.20s %a", v[0], v[1], v[2])


def _keyed(log: logging.Logger, v: list[str]) -> None:
    log.info("Read %(a)s and %(b)s", {"a": v[0], "b": v[1], v[2]: v[2]})


def _f_string(log: logging.Logger, v: list[str]) -> None:
    log.info(f"Read {v[0]}")
    log.info(f"{v[0]} | {v[1]!r} | {len(v[2])} | {v[2]}")
    log.info(f"Read {v[0]}{v[1]} at once")


def _operators(log: logging.Logger, v: list[str]) -> None:
    log.info("Read " + v[0])
    log.info("Read {} and {}".format(v[0], v[1]))
    log.info("Read %s of %s" % (v[0], v[1]))


def _built(log: logging.Logger, v: list[str]) -> None:
    log.info(v[0])
    log.info("".join(v))
    log.info(v[0].replace("%", "") + "%s", v[1])


def _odd(log: logging.Logger, v: list[str]) -> None:
    log.info("Read %s", [v[0]])
    log.info("Read %d", v[0])
    log.info("Read %s and %s", v[0])
    log.info("Read", v[0], v[1])
    log.info("Read %s", v[0], extra={"shelf": v[1]})
    log.error("Failed on %s", ValueError(v[0]), exc_info=ValueError(v[1]))


WAYS: list[Emit] = [_percent, _keyed, _f_string, _operators, _built, _odd]


@st.composite
def calls(draw: st.DrawFn) -> tuple[list[str], list[str]]:
    """Some texts, and three values that are often made of pieces of them."""
    alphabet = ALPHABETS[draw(st.sampled_from(sorted(ALPHABETS)))]
    if draw(st.booleans()):
        alphabet += ALPHABETS[draw(st.sampled_from(sorted(ALPHABETS)))]
    some = st.text(alphabet, max_size=60)
    texts = draw(st.lists(some, min_size=1, max_size=3).filter(lambda it: any(one.strip() for one in it)))
    text = draw(st.sampled_from(texts))
    at = draw(st.integers(0, len(text)))
    values = []
    for _ in range(3):
        length = draw(st.sampled_from([0, 3, 4, 8, 12, 13, 15, 16, 23, 24, 25, 40]))
        piece = changed(text[at : at + length], draw(st.integers(0, 8)))
        at += length
        around = st.sampled_from(["", "", "x", "of ", "|"])
        values.append(draw(around) + piece + draw(around))
    return texts, values


@given(calls(), st.sampled_from(WAYS))
@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_message_that_goes_out_agrees_with_a_text(call: tuple[list[str], list[str]], way: Emit) -> None:
    """By the rules written down plainly: neither a long piece, nor an end, nor a short text, nor as a part of one."""
    texts, values = call
    set_match("install", (NAME,))
    with discreet.customer_text(texts=texts):
        messages = [one["message"] for one in logged(lambda: way(logging.getLogger(NAME), values))]

    assert [(one, naive.matches(texts, one)) for one in messages if naive.matches(texts, one)] == []
    assert LEDGER.failures == {}


def raw(name: str, way: Emit, values: list[str]) -> str:
    stream = io.StringIO()
    handler = discreet.JsonHandler(stream=stream)
    log = logging.getLogger(name)
    log.propagate, log.handlers[:] = False, [handler]
    log.setLevel(logging.INFO)
    way(log, values)
    return TIME.sub("", stream.getvalue())


@given(calls(), st.sampled_from(WAYS), st.sampled_from(["other", f"{NAME}er", "harbour"]))
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_other_loggers_write_the_same_bytes_as_without_match_mode(
    call: tuple[list[str], list[str]], way: Emit, name: str
) -> None:
    """Inside a call that has texts and outside."""
    texts, values = call
    found = []
    for prefixes in ((), (NAME,)):
        set_match("install", prefixes)
        found.append(raw(name, way, values))
        with discreet.customer_text(texts=texts):
            found.append(raw(name, way, values))

    assert found == [found[0]] * 4


@given(calls(), st.sampled_from(WAYS))
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_without_a_text_match_mode_writes_the_same_bytes_as_deny(call: tuple[list[str], list[str]], way: Emit) -> None:
    """Outside any call, and in one whose texts are blank."""
    _, values = call
    found = []
    for prefixes in ((), (NAME,)):
        set_match("install", prefixes)
        found.append(raw(NAME, way, values))
        with discreet.customer_text(question="", chunks=[]):
            found.append(raw(NAME, way, values))

    assert found == [found[0]] * 4


@pytest.mark.parametrize("way", WAYS)
def test_the_generated_calls_let_something_through(way: Emit) -> None:
    """The tests above are tests of something."""
    with discreet.customer_text(question="Who painted the hull of the ferry?"):
        messages = [one["message"] for one in logged(lambda: way(logging.getLogger(NAME), ["shelf", "rack", "pile"]))]

    assert any("shelf" in one for one in messages)
