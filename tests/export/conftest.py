"""Each test of a sink starts with an empty ledger and without a global tracer provider."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from opentelemetry import trace
from opentelemetry.util._once import Once

from discreet.export.ledger import LEDGER


@pytest.fixture(autouse=True)
def _fresh_ledger() -> Iterator[None]:
    LEDGER.clear()
    yield
    LEDGER.clear()


@pytest.fixture
def _no_global_provider(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a test set the global tracer provider, which a process may do only once."""
    monkeypatch.setattr(trace, "_TRACER_PROVIDER", None)
    monkeypatch.setattr(trace, "_TRACER_PROVIDER_SET_ONCE", Once())
