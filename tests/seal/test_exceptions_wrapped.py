"""Exceptions that only stand for what caused them have its code, where a contract says so."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from discreet.contract import Registry, load_text
from discreet.seal.exceptions import CodeFacts, code_of, describe

HERE = __name__
SENTENCE = "the lump under my arm has grown since Easter"


class GivenUp(Exception):
    """Stands for its cause."""

    tries = 3


class GivenUpLater(GivenUp):
    """Of a class that no contract lists."""


class Itself(GivenUp):
    """Of a class below that doesn't."""


class Again(Exception):
    """Stands for its cause, and has no code."""


class Late(Exception):
    """What it comes from."""

    status = 504


TEXT = f"""
[contract]
name = "clinic"
format = 1
summary = "Errors of a clinic."

[[exceptions]]
class = "{HERE}.GivenUp"
code = "given_up"
error_class = "internal"
code_of_cause = true
attributes = {{ tries = "count" }}

[[exceptions]]
class = "{HERE}.Itself"
code_of_cause = false

[[exceptions]]
class = "{HERE}.Again"
code_of_cause = true

[[exceptions]]
class = "{HERE}.Late"
code = "too_late"
error_class = "upstream"
attributes = {{ status = "http_status" }}

[[error_codes]]
code = "too_late"
exception = "{HERE}.Late"
retryable = true
meaning = "Nobody came in time."
"""

OWN = CodeFacts("given_up", "internal", {"tries": 3}, undeclared=False)
LATE = CodeFacts("too_late", "upstream", {"tries": 3, "status": 504, "retryable": True}, undeclared=False)


@pytest.fixture(scope="module")
def registry() -> Registry:
    return Registry([load_text(TEXT, file="clinic.toml")])


def of(error: BaseException, cause: BaseException | None) -> BaseException:
    """Return the exception as `raise ... from` leaves it."""
    error.__cause__ = cause
    return error


def in_handling(error: BaseException, context: BaseException) -> BaseException:
    error.__context__ = context
    return error


def circle() -> BaseException:
    first, second = GivenUp(SENTENCE), Again(SENTENCE)
    return of(first, of(second, first))


CASES: dict[str, tuple[Callable[[], BaseException], CodeFacts]] = {
    "its cause's": (lambda: of(GivenUp(SENTENCE), Late(SENTENCE)), LATE),
    "what was handled then": (lambda: in_handling(GivenUp(SENTENCE), Late(SENTENCE)), LATE),
    "nothing that was put away": (lambda: of(in_handling(GivenUp(SENTENCE), Late(SENTENCE)), None), OWN),
    "nothing behind it": (lambda: GivenUp(SENTENCE), OWN),
    "a cause without a code": (lambda: of(GivenUp(SENTENCE), KeyError(SENTENCE)), OWN),
    "one below": (lambda: of(GivenUpLater(SENTENCE), Late(SENTENCE)), LATE),
    "one below that doesn't": (lambda: of(Itself(SENTENCE), Late(SENTENCE)), OWN),
    "several": (lambda: of(GivenUp(SENTENCE), of(Again(SENTENCE), Late(SENTENCE))), LATE),
    "itself again": (circle, OWN),
}


@pytest.mark.parametrize("case", CASES)
def test_it_has_code_class_and_attributes_of_the_first_that_stands_for_itself(case: str, registry: Registry) -> None:
    """Its own where that has no code."""
    made, wanted = CASES[case]
    assert code_of(made(), registry) == wanted


def test_without_a_code_of_its_own_and_a_cause_it_has_none(registry: Registry) -> None:
    """As any other class."""
    assert code_of(Again(SENTENCE), registry) == CodeFacts(None, None, {}, undeclared=False)


def test_its_type_and_chain_stay_its_own(registry: Registry) -> None:
    """Only what is said about why it was raised comes from behind."""
    facts = describe(of(GivenUp(SENTENCE), Late(SENTENCE)), None, registry)
    assert (facts.type, facts.chain) == (f"{HERE}.GivenUp", (f"{HERE}.GivenUp", f"{HERE}.Late"))
    assert (facts.code, facts.codes) == ("too_late", ("too_late", "too_late"))
    assert SENTENCE not in repr(facts)
