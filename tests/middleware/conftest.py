"""Match mode for one logger, and counts at zero."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from discreet.export.ledger import LEDGER
from discreet.instrument.requests import COUNTS
from discreet.match_mode import set_match
from discreet.seal.types.routes import registered_routes, restore_routes
from tests.middleware.driving import NAME


@pytest.fixture(autouse=True)
def _at_zero() -> Iterator[None]:
    set_match("install", (NAME,))
    LEDGER.clear()
    COUNTS.clear()
    before = registered_routes()
    yield
    restore_routes(before)
    LEDGER.clear()
    COUNTS.clear()
