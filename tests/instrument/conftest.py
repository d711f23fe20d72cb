"""Each test has counts, a ledger, a tracer provider and instrumentors of its own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.calls.conftest import _clock, _fresh, sinks  # noqa: F401  # fixtures


@pytest.fixture(autouse=True)
def _nothing_stays() -> Iterator[None]:
    """What a test has left instrumented is put back."""
    yield
    from discreet.instrument.groundkit import GroundkitInstrumentor

    for kind in (GroundkitInstrumentor,):
        if kind().is_instrumented_by_opentelemetry:
            kind().uninstrument()
