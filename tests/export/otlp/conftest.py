"""Waits between attempts are remembered and not waited."""

from __future__ import annotations

import pytest

from discreet.export.otlp import sender


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds that were waited between attempts; none of them really was."""
    found: list[float] = []

    def sleep(pause: sender.Pause, seconds: float) -> bool:
        found.append(seconds)
        return pause.left() > 0

    monkeypatch.setattr(sender.Pause, "sleep", sleep)
    return found


@pytest.fixture(autouse=True)
def _no_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    import os

    for name in [name for name in os.environ if name.startswith("OTEL_")]:
        monkeypatch.delenv(name)
