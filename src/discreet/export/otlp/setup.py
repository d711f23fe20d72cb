"""Puts the parts of one signal's way together."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from discreet.errors import ConfigurationError
from discreet.export.counts import SinkCounts
from discreet.export.otlp.batches import Batches
from discreet.export.otlp.sender import Sender
from discreet.export.otlp.settings import TRACES, Batching, Endpoint, Signal, batching, checked_url, endpoint
from discreet.export.otlp.telling import Telling

__all__ = ["DEFAULT_SHUTDOWN_S", "checked_shutdown", "endpoint_of", "open_batches", "part"]

DEFAULT_SHUTDOWN_S = 5.0
"""Seconds that the end of a process may take to send what waits.

.. versionadded:: 0.1.0
"""

_LONGEST_S = 600.0


def part(module: str) -> Any:
    """Return a module of this package that needs the libraries of the extra ``otlp``.

    Args:
        module: its name within this package.

    Raises:
        ConfigurationError: they are not installed.

    .. versionadded:: 0.1.0
    """
    try:
        import_module("tenacity")
        return import_module(f"discreet.export.otlp.{module}")
    except ImportError as error:
        raise ConfigurationError(
            "a package is missing that OTLP needs",
            place="otlp",
            remedy='Install it with: pip install "discreet[otlp]"',
            code="missing_dependency",
        ) from error


def checked_shutdown(seconds: object, place: str = "shutdown_timeout") -> float:
    """Return a shutdown's bound in seconds.

    Raises:
        ConfigurationError: it is none.

    .. versionadded:: 0.1.0
    """
    if (type(seconds) is int or type(seconds) is float) and 0 <= seconds <= _LONGEST_S:
        return float(seconds)
    raise ConfigurationError("must be seconds, from 0 to 600", place=place, remedy="Leave it out for 5.")


def endpoint_of(otlp: object, signal: Signal = TRACES) -> Endpoint | None:
    """Return the endpoint that an option ``otlp`` means, None for none.

    Args:
        otlp: an endpoint, True for what the variables say, the base URL of a collector, or False or None.
        signal: whose endpoint it is.

    Raises:
        ConfigurationError: it is none of these, or a variable is wrong.

    .. versionadded:: 0.1.0
    """
    if otlp is None or otlp is False or isinstance(otlp, Endpoint):
        return otlp or None
    return endpoint(signal, None if otlp is True else checked_url(otlp, "otlp"))


def open_batches(
    signal: Signal,
    endpoint: Endpoint,
    encoder: Any,
    counts: SinkCounts,
    shutdown_timeout: float,
    batches: Batching | None = None,
    within: float | None = None,
) -> Batches[Any]:
    """Return the queue of a signal. Nothing is sent and no thread runs until it gets its first record.

    Args:
        signal: which.
        endpoint: where its requests go.
        encoder: makes them.
        counts: of the sink.
        shutdown_timeout: seconds that the end of the process may take.
        batches: how many records wait and how long; the signal's variables say by default.
        within: seconds that all attempts with one request may take; None for as long as they take.

    Raises:
        ConfigurationError: a variable is wrong, or the extra is missing.

    .. versionadded:: 0.1.0
    """
    transport = part("_http").HttpTransport(endpoint)
    return Batches(
        counts,
        Sender(encoder, transport, within=within),
        batching(signal) if batches is None else batches,
        name=f"discreet-otlp-{signal.name.lower()}",
        shutdown_timeout=shutdown_timeout,
        told=Telling(),
    )
