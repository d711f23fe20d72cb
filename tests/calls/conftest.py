"""Each test has counts, a ledger and a tracer provider of its own, and a clock that goes on by 250 ms."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from types import SimpleNamespace

import pytest
from opentelemetry import trace
from opentelemetry.util._once import Once

from discreet import call
from discreet.export import global_spans
from discreet.export.ledger import LEDGER
from tests.calls.seen import Seen, seen


@pytest.fixture(autouse=True)
def _fresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(trace, "_TRACER_PROVIDER", None)
    monkeypatch.setattr(trace, "_TRACER_PROVIDER_SET_ONCE", Once())
    monkeypatch.setattr(global_spans, "_switch", None)
    LEDGER.clear()
    yield
    LEDGER.clear()


@pytest.fixture
def sinks() -> Iterator[Seen]:
    with seen() as found:
        yield found


@pytest.fixture
def _clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """A call that begins looks at the clock twice, one that ends once."""
    ticks = itertools.count()
    monkeypatch.setattr(call, "time", SimpleNamespace(perf_counter=lambda: next(ticks) / 4))
