"""What ``opentelemetry-instrument`` runs last: discreet's own set-up, for programs that don't call it."""

from __future__ import annotations

import os
from typing import Final

__all__ = ["configure_from_environment"]

_SINKS: Final = ("DISCREET_JSON", "DISCREET_SPANS", "DISCREET_OTLP", "DISCREET_METRICS")


def configure_from_environment() -> None:
    """Call :func:`discreet.configure` if a variable says where something goes: ``DISCREET_JSON`` and so on.

    A program that calls it too, later, replaces what this has set up.

    Raises:
        ConfigurationError: A variable is wrong. OpenTelemetry logs it, and the program runs.

    .. versionadded:: 0.1.0
    """
    if any(os.environ.get(name, "").strip() for name in _SINKS):
        from discreet.config import configure

        configure()
