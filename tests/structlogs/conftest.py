"""What holds for every test of structlog: it is as it was."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.structlogs.events import Keeper, fresh, sealing


@pytest.fixture(autouse=True)
def _restored_structlog() -> Iterator[None]:
    """Undo configuration and bound context variables."""
    with fresh():
        yield


@pytest.fixture
def keeper() -> Keeper:
    """Our processors in structlog's configuration, and what they made."""
    return sealing()
