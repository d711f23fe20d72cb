"""Match mode for one logger, and a ledger at zero."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from discreet.export.ledger import LEDGER
from discreet.match_mode import set_match
from tests.match_mode.lines import NAME


@pytest.fixture(autouse=True)
def _match_mode() -> Iterator[None]:
    set_match("install", (NAME,))
    LEDGER.clear()
    yield
    LEDGER.clear()
