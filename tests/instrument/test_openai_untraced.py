"""A request to a model whose span nobody gets: nothing is found out for it."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator

import openai
import pytest

import discreet
from discreet.call_counts import CALLS
from discreet.instrument.openai import OpenAIInstrumentor
from discreet.matching import Index
from tests.instrument.models import QUESTION, models

pytestmark = pytest.mark.integration


@pytest.fixture(autouse=True)
def _instrumented() -> Iterator[None]:
    CALLS.begin_anew(forget=True)
    OpenAIInstrumentor().instrument()
    yield
    OpenAIInstrumentor().uninstrument()


def test_without_spans_no_text_is_made_searchable(monkeypatch: pytest.MonkeyPatch) -> None:
    """The model's name, which spans have, is looked for in the texts of the call, which takes milliseconds."""
    searched: list[Index] = []
    ready = Index._ready
    monkeypatch.setattr(Index, "_ready", lambda index: searched.append(index) or ready(index))
    out = io.StringIO()
    with models() as served, discreet.configure(json=out, spans=None):
        with openai.OpenAI(base_url=served.url, api_key="none") as client:
            client.chat.completions.create(model="example-1", messages=[{"role": "user", "content": QUESTION}])

    told = [line for line in map(json.loads, out.getvalue().splitlines()) if line.get("event") == "call_finished"]
    assert [(line["operation"], line["outcome"]) for line in told] == [("openai.chat", "ok")]
    assert searched == []
