"""A service around verbatim-core under steady load, with an LLM that fails: all is counted, and nothing is told."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from tests.service.checks import (
    CHECKS,
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


def drop_a_call(left: Left) -> Left:
    place = next(place for place, line in enumerate(left.lines) if line.get("event") == "call_finished")
    return replace(left, lines=left.lines[:place] + left.lines[place + 1 :])


def change_an_outcome(left: Left) -> Left:
    lines = [dict(line) for line in left.lines]
    next(line for line in lines if line.get("outcome") == "degraded")["outcome"] = "ok"
    return replace(left, lines=lines)


def give_a_call_to_another_request(left: Left) -> Left:
    lines = [dict(line) for line in left.lines]
    next(line for line in lines if line.get("operation") == "openai.chat")["request_id"] = left.sent[-1].id
    return replace(left, lines=lines)


def drop_a_span(left: Left) -> Left:
    place = next(place for place, span in enumerate(left.spans) if span["name"] == "verbatim.extract")
    return replace(left, spans=left.spans[:place] + left.spans[place + 1 :])


def end_a_parent_early(left: Left) -> Left:
    spans = [dict(span) for span in left.spans]
    span = next(span for span in spans if span["name"] == "verbatim.transform")
    span["end_time_unix_nano"] = span["start_time_unix_nano"]
    return replace(left, spans=spans)


def say_a_word(left: Left) -> Left:
    word = left.sent[0].texts.question.split()[0]
    return replace(left, outputs={**left.outputs, "stderr.txt": f"Found {word} somewhere"})


def lose_a_line(left: Left) -> Left:
    counts = json.loads(json.dumps(left.counts))
    counts[0]["ledger"]["sinks"]["json"]["observed"] -= 1
    return replace(left, counts=counts)


@pytest.mark.parametrize(
    ("spoil", "checks"),
    [
        (drop_a_call, {wrong_calls, wrong_totals, wrong_counts, wrong_spans_of_records}),
        (change_an_outcome, {wrong_calls, wrong_totals, wrong_counts, wrong_spans_of_records}),
        (give_a_call_to_another_request, {wrong_calls}),
        (drop_a_span, {wrong_spans, wrong_spans_of_records, wrong_ledgers}),
        (end_a_parent_early, {wrong_spans}),
        (say_a_word, {leaks}),
        (lose_a_line, {wrong_ledgers}),
    ],
)
def test_what_is_wrong_is_found(
    spoil: Callable[[Left], Left], checks: set[Callable[[Left], Iterator[str]]], left: Left
) -> None:
    """The control of the checks: of a run that is spoilt at one place, those that should complain do."""
    spoilt = spoil(left)
    assert checks <= {check for check in CHECKS if list(check(spoilt))}
