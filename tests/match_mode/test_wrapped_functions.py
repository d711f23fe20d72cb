"""Functions whose decorators give them arguments that their callers don't give, or take some: the texts are known."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import pytest

import discreet
from discreet.instrument.observed import Observed, observed
from tests.match_mode.lines import log, logged

NAME = "Tollefsen"


def with_database(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give the function an argument."""

    @wraps(function)
    def given(*args: Any, **kwargs: Any) -> Any:
        return function("database", *args, **kwargs)

    return given


def without_token(function: Callable[..., Any]) -> Callable[..., Any]:
    """Take an argument away."""

    @wraps(function)
    def given(_: str, *args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    return given


@with_database
def search(database: str, question: str) -> str:
    log.info("Told: %s", question)
    return database


@with_database
def search_in(database: str, question: str, language: str = "en") -> str:
    log.info("Told: %s", question)
    return database


@with_database
def search_all(database: str, questions: list[str], question: object = None) -> str:
    log.info("Told: %s", questions[0])
    return database


@without_token
def ask(question: str, language: str = "en") -> str:
    log.info("Told: %s", question)
    return language


def _instrumented(function: Callable[..., Any]) -> Callable[..., Any]:
    return observed(function, Observed(operation="harbour.search", texts=("question",)))


DECORATORS = {
    "observe_call": discreet.observe_call("harbour.search", "question"),
    "customer_text": discreet.customer_text("question"),
    "instrumentor": _instrumented,
}


@pytest.mark.parametrize("how", DECORATORS)
@pytest.mark.parametrize(
    ("function", "args", "kwargs", "result"),
    [
        (search, (NAME,), {}, "database"),
        (search, (), {"question": NAME}, "database"),
        (search_in, (NAME, "nb"), {}, "database"),
        (search_in, (NAME,), {"language": "nb"}, "database"),
        (search_all, ([NAME, "oars"], 7), {}, "database"),
        (ask, ("token", NAME), {}, "en"),
        (ask, ("token", NAME, "nb"), {}, "nb"),
    ],
)
def test_no_text_is_let_through_and_the_function_is_called_as_without_us(
    how: str, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], result: str
) -> None:
    """Within a call whose texts are known, so that match mode lets other strings through."""

    def run() -> None:
        with discreet.customer_text(page="a page of the harbour's rules"):
            decorated = DECORATORS[how](function)
            assert decorated(*args, **kwargs) == result
            log.info("Told: %s", "shelf twelve")

    told = [one["message"] for one in logged(run) if one["message"].startswith("Told")]

    assert len(told) == 2
    assert NAME not in told[0]
    assert told[1] == "Told: shelf twelve"


@pytest.mark.parametrize("how", DECORATORS)
def test_wrong_arguments_are_refused_by_the_function_itself(how: str) -> None:
    """In its own words."""

    def bare(question: str) -> None:
        raise AssertionError(question)

    with pytest.raises(TypeError, match=r"bare\(\) missing 1 required positional argument: 'question'"):
        DECORATORS[how](bare)()
