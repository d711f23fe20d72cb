"""A customer may write the names that the program uses: calls are told all the same, the same way everywhere."""

from __future__ import annotations

import json

import pytest

import discreet
from discreet.export.ledger import LEDGER
from discreet.matching import Index
from tests.calls.seen import Seen


def test_an_operation_that_stands_in_a_text_is_on_the_span_as_on_the_record(sinks: Seen) -> None:
    """That it were missing on one of them would tell that the customer wrote it."""
    with discreet.observe_call("boats.find", question="Who wrote boats.find into the log of the regatta?") as call:
        call.warn("quote_not_found")

    (record,) = sinks.records()
    (span,) = sinks.spans()
    assert (record["operation"], span.name, (span.attributes or {})["operation"]) == ("boats.find",) * 3
    lines = [json.loads(line) for line in sinks.out.getvalue().splitlines()]
    told = [line["operation"] for line in lines if line.get("event") == "fallback_used"]
    assert told == [(event.attributes or {})["operation"] for event in span.events] == ["boats.find"]
    assert LEDGER.as_dict()["withheld"] == []


def test_no_text_is_made_searchable_for_what_we_tell_of_a_call(sinks: Seen, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of it is a customer's; to make long texts searchable takes milliseconds."""
    searched: list[Index] = []
    ready = Index._ready
    monkeypatch.setattr(Index, "_ready", lambda index: searched.append(index) or ready(index))
    with discreet.observe_call("boats.find", question="Who is on board?") as call:
        call.warn("quote_not_found")
    with pytest.raises(TimeoutError), discreet.observe_call("boats.find", question="Who is on board?"):
        raise TimeoutError

    assert len(sinks.records()) == len(sinks.spans()) == 2
    assert searched == []


KINDS = ("regatta", "weather")


def test_a_word_of_a_text_is_no_operation_though_the_code_has_it_too(sinks: Seen) -> None:
    """That it passed would tell which word it is; the code's own passes, and makes no word of a text pass later."""
    for text in ("What of the regatta?", "What of the heron?"):
        word = text.split()[-1].strip("?")
        with discreet.observe_call(word):
            pass
    for kind in (*KINDS, "Regatta".lower()):
        with discreet.observe_call(kind):
            pass

    assert [one["operation"] for one in sinks.records()] == ["undeclared"] * 2 + ["regatta", "weather", "undeclared"]
