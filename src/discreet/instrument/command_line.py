"""What ``opentelemetry-instrument`` runs last: discreet's own set-up, for programs that don't call it."""

from __future__ import annotations

import os
import sys
from typing import Final

from discreet.environment import setting
from discreet.errors import ConfigurationError
from discreet.export.ledger import LEDGER
from discreet.seal.classes import shown_class

__all__ = ["configure_from_environment"]

_SINKS: Final = ("DISCREET_JSON", "DISCREET_SPANS", "DISCREET_OTLP", "DISCREET_METRICS")


def configure_from_environment() -> None:
    """Call :func:`discreet.configure` if a variable says where something goes: ``DISCREET_JSON`` and so on.

    A program that calls it too, later, replaces what this has set up. Where a variable is wrong, that is said on
    standard error, and the program runs: without discreet's sinks, but guarded, so that what its own handlers write
    is sealed. ``DISCREET_INSTALL=false`` holds then too.

    .. versionadded:: 0.1.0
    """
    if not any(os.environ.get(name, "").strip() for name in _SINKS):
        return
    from discreet.config import configure

    try:
        configure()
    except Exception as error:
        # Whatever it is: OpenTelemetry would go on, without the guard.
        guarded = _switch("install", default=True)
        _say(error, guarded=guarded)
        if guarded:
            _guard()


def _guard() -> None:
    from discreet.choke import install

    install(strict=_switch("strict", default=False), streams=_switch("streams", default=False))


def _switch(name: str, *, default: bool) -> bool:
    try:
        found: bool = setting(name, default)
    except ConfigurationError:
        # Said already, unless it isn't the only one that is wrong; whatever was meant, this way nothing goes out.
        return True
    return found


def _say(error: Exception, *, guarded: bool) -> None:
    """Say what is wrong, before the guard takes standard error for another program's output."""
    # Nothing is known of the text of other libraries' errors.
    why = str(error) if isinstance(error, ConfigurationError) else f"configure() failed with {shown_class(type(error))}"
    so = "the guard alone is on" if guarded else "not even the guard is on"
    try:
        sys.stderr.write(f"discreet: {why}\ndiscreet: nothing else was set up by DISCREET_* variables, {so}.\n")
    except Exception as failed:
        # There may be no standard error, which is no reason to have no guard.
        LEDGER.failure("stderr", failed)
