"""A service around verbatim-core under steady load, with an LLM that fails: all is counted, and nothing is told."""

from __future__ import annotations

import pytest

from tests.service.checks import (
    leaks,
    leftovers,
    wrong_calls,
    wrong_counts,
    wrong_customers,
    wrong_ledgers,
    wrong_requests_to_the_llm,
    wrong_spans,
    wrong_spans_of_records,
    wrong_totals,
)
from tests.service.running import SERVERS, Left, load

pytestmark = [pytest.mark.integration, pytest.mark.servers]

RATE = {"asgi": 12.0, "wsgi": 10.0}


@pytest.fixture(scope="module", params=SERVERS)
def left(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Left:
    seconds = request.config.getoption("--load-seconds")
    return load(tmp_path_factory.mktemp("load"), request.param, RATE[request.param], seconds)


def test_every_request_has_the_calls_that_were_made_for_it(left: Left) -> None:
    """By operation, outcome and code, with the attempts that the client repeated: by the id of the request."""
    assert list(wrong_calls(left)) == []


def test_there_are_as_many_records_as_calls(left: Left) -> None:
    """By operation, outcome and code, over all; each outcome occurs."""
    assert list(wrong_totals(left)) == []


def test_counts_and_metrics_are_those_of_the_records(left: Left) -> None:
    """Those of all processes together; nothing is open and nothing is missing."""
    assert list(wrong_counts(left)) == []


def test_the_llm_heard_what_the_records_tell_of(left: Left) -> None:
    """Each HTTP request is a call's first attempt or one that was told of."""
    assert list(wrong_requests_to_the_llm(left)) == []


def test_the_spans_of_a_request_are_one_tree(left: Left) -> None:
    """One root, no orphan, every child within the time of its parent and at its place."""
    assert list(wrong_spans(left)) == []


def test_each_record_of_a_call_has_its_span(left: Left) -> None:
    """And the span says the same."""
    assert list(wrong_spans_of_records(left)) == []


def test_no_output_has_a_word_of_a_customer(left: Left) -> None:
    """Neither a sentence, nor three words in a row, nor one that no program says: lines, spans, metrics, streams."""
    assert list(leaks(left)) == []


def test_the_ledger_adds_up(left: Left) -> None:
    """And what it counts is what stands in the files."""
    assert list(wrong_ledgers(left)) == []


def test_the_customers_saw_what_the_calls_say(left: Left) -> None:
    """An answer, a failure, or nothing because they had left."""
    assert list(wrong_customers(left)) == []


def test_nothing_is_left_of_requests_that_have_ended(left: Left) -> None:
    """No call, request or scope, but for what the last ones may still hold."""
    assert list(leftovers(left)) == []


def test_the_service_ended_by_itself(left: Left) -> None:
    """uvicorn ends by the signal that it got, gunicorn with 0."""
    assert left.status == (0 if left.server == "wsgi" else -15)
