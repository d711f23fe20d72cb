"""Where OTLP goes and how, from arguments and OpenTelemetry's own variables."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal
from urllib.parse import unquote, urlsplit

from discreet.errors import ConfigurationError

__all__ = ["LOGS", "METRICS", "TRACES", "Batching", "Endpoint", "Signal", "batching", "endpoint", "sdk_disabled"]

# https://opentelemetry.io/docs/specs/otel/protocol/exporter/ and .../configuration/sdk-environment-variables/


@dataclass(frozen=True, slots=True)
class Signal:
    """One kind of telemetry and the variables that are its own.

    Args:
        name: as it stands within ``OTEL_EXPORTER_OTLP_LOGS_ENDPOINT``.
        path: what is put behind a base URL.
        batch: the prefix of the variables of its batches.
        delay: seconds between two batches by default.

    .. versionadded:: 0.1.0
    """

    name: str
    path: str
    batch: str
    delay: float


LOGS: Final = Signal("LOGS", "v1/logs", "OTEL_BLRP", 1.0)
TRACES: Final = Signal("TRACES", "v1/traces", "OTEL_BSP", 5.0)
METRICS: Final = Signal("METRICS", "v1/metrics", "", 60.0)

DEFAULT_BASE: Final = "http://localhost:4318"
DEFAULT_TIMEOUT: Final = 10.0
MOST_SECONDS: Final = 100.0
"""Up to this number a time-out is in seconds, as OpenTelemetry for Python reads it; above in milliseconds, as the
specification has it: nobody waits 100 seconds for an answer, and nothing answers within 10 milliseconds."""

Compression = Literal["none", "gzip", "deflate"]

_COMPRESSIONS: Final = ("none", "gzip", "deflate")
_TOKEN: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", re.ASCII)
_VALUE: Final = re.compile(r"[\t\x20-\x7e]*", re.ASCII)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where the requests of one signal go, and how.

    Args:
        url: the whole URL.
        headers: headers of every request. They hold credentials, so they are not shown.
        compression: of the body.
        timeout: seconds that one request may take.
        certificate: file of the certificates to trust, in PEM.
        client_certificate, client_key: files of the client's own.

    .. versionadded:: 0.1.0
    """

    url: str
    headers: Mapping[str, str] = field(repr=False)
    compression: Compression = "none"
    timeout: float = DEFAULT_TIMEOUT
    certificate: str | None = None
    client_certificate: str | None = None
    client_key: str | None = None


@dataclass(frozen=True, slots=True)
class Batching:
    """How many records wait in memory, and when they are sent.

    Args:
        capacity: records that may wait.
        size: records of one request.
        delay: seconds until what waits is sent, if it is fewer.

    .. versionadded:: 0.1.0
    """

    capacity: int = 8192
    size: int = 512
    delay: float = 1.0


def sdk_disabled() -> bool:
    """Tell whether ``OTEL_SDK_DISABLED`` is true.

    .. versionadded:: 0.1.0
    """
    return (_text("OTEL_SDK_DISABLED") or "").lower() == "true"


def endpoint(
    signal: Signal,
    base: str | None = None,
    *,
    url: str | None = None,
    headers: Mapping[str, str] | None = None,
    compression: str | None = None,
    timeout: float | None = None,
) -> Endpoint:
    """Return where a signal goes. What is not given comes from the variables, the signal's own first.

    Args:
        signal: which.
        base: a URL to which the signal's path is added.
        url: the whole URL.
        headers: as for :class:`Endpoint`.
        compression: the same.
        timeout: the same, in seconds.

    Raises:
        ConfigurationError: a value is wrong; the place is the argument or the variable.

    .. versionadded:: 0.1.0
    """
    _check_protocol(signal)
    return Endpoint(
        _url(signal, base, url),
        _headers(signal, headers),
        _compression(signal, compression),
        _timeout(signal, timeout),
        _of(signal, "CERTIFICATE")[1],
        _of(signal, "CLIENT_CERTIFICATE")[1],
        _of(signal, "CLIENT_KEY")[1],
    )


def batching(signal: Signal) -> Batching:
    """Return how a signal is batched, from ``OTEL_BLRP_*`` or ``OTEL_BSP_*``.

    Args:
        signal: which.

    Raises:
        ConfigurationError: a variable is no number, or too small.

    .. versionadded:: 0.1.0
    """
    default = Batching()
    capacity = _whole(f"{signal.batch}_MAX_QUEUE_SIZE", default.capacity)
    size = _whole(f"{signal.batch}_MAX_EXPORT_BATCH_SIZE", min(default.size, capacity))
    delay = _whole(f"{signal.batch}_SCHEDULE_DELAY", round(signal.delay * 1000)) / 1000
    return Batching(capacity, min(size, capacity), delay)


def metric_interval() -> float:
    """Return the seconds between two exports of metrics, from ``OTEL_METRIC_EXPORT_INTERVAL``.

    Raises:
        ConfigurationError: the variable is no number of milliseconds, or 0.

    .. versionadded:: 0.1.0
    """
    return _whole("OTEL_METRIC_EXPORT_INTERVAL", round(METRICS.delay * 1000)) / 1000


def metric_timeout() -> float:
    """Return the seconds that one export of metrics may take, from ``OTEL_METRIC_EXPORT_TIMEOUT``.

    Raises:
        ConfigurationError: the variable is no number of milliseconds, or 0.

    .. versionadded:: 0.1.0
    """
    return _whole("OTEL_METRIC_EXPORT_TIMEOUT", 30_000) / 1000


def chosen(variable: str, words: tuple[str, ...]) -> str:
    """Return a variable's word, the first of some if it isn't set; capitals don't matter.

    Args:
        variable: its name.
        words: what it may be, in small letters.

    Raises:
        ConfigurationError: it is something else.

    .. versionadded:: 0.1.0
    """
    found = (_text(variable) or words[0]).lower()
    if found not in words:
        raise ConfigurationError(
            f"must be one of {', '.join(words)}", place=variable, remedy=f"Unset it for {words[0]}."
        )
    return found


def _text(variable: str) -> str | None:
    return os.environ.get(variable, "").strip() or None


def _of(signal: Signal, name: str) -> tuple[str, str | None]:
    """Return the variable that decides and its text: the signal's own, else the one for all signals."""
    own, common = f"OTEL_EXPORTER_OTLP_{signal.name}_{name}", f"OTEL_EXPORTER_OTLP_{name}"
    found = _text(own)
    return (own, found) if found is not None else (common, _text(common))


def _check_protocol(signal: Signal) -> None:
    variable, protocol = _of(signal, "PROTOCOL")
    if protocol not in (None, "http/protobuf"):
        raise ConfigurationError(
            "only http/protobuf is spoken here",
            place=variable,
            remedy="Set it to http/protobuf, and the endpoint to the collector's port for HTTP, mostly 4318.",
        )


def checked_url(text: object, place: str) -> str:
    """Return a URL that requests can be sent to.

    Raises:
        ConfigurationError: it is none.

    .. versionadded:: 0.1.0
    """
    try:
        parts = urlsplit(text) if type(text) is str else None
        good = parts is not None and parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        good = False
    if not good:
        raise ConfigurationError(
            "must be a URL with http:// or https:// and a host", place=place, remedy="Write http://localhost:4318."
        )
    return str(text)


def _url(signal: Signal, base: str | None, url: str | None) -> str:
    if url is not None:
        return checked_url(url, "endpoint")
    if base is None:
        own = f"OTEL_EXPORTER_OTLP_{signal.name}_ENDPOINT"
        whole = _text(own)
        if whole is not None:
            return checked_url(whole, own)
        base = _text("OTEL_EXPORTER_OTLP_ENDPOINT")
        base = DEFAULT_BASE if base is None else checked_url(base, "OTEL_EXPORTER_OTLP_ENDPOINT")
    else:
        checked_url(base, "otlp")
    return f"{base.rstrip('/')}/{signal.path}"


def _headers(signal: Signal, given: Mapping[str, str] | None) -> dict[str, str]:
    if given is not None:
        place = "headers"
        if not isinstance(given, Mapping):
            raise ConfigurationError(
                "must be a mapping of names to texts", place=place, remedy="Leave it out for none."
            )
        pairs: list[tuple[Any, Any]] = list(given.items())
    else:
        place, text = _of(signal, "HEADERS")
        # As W3C baggage has them: https://opentelemetry.io/docs/specs/otel/protocol/exporter/
        parts = [part.partition("=") for part in (text or "").split(",") if part.strip()]
        pairs = [(name.strip(), unquote(value.strip()) if sign else None) for name, sign, value in parts]
    for name, value in pairs:
        if not (type(name) is str and _TOKEN.fullmatch(name) and type(value) is str and _VALUE.fullmatch(value)):
            # Its text may be a key, so it is not shown.
            raise ConfigurationError(
                "a header must be name=value", place=place, remedy="Write, for example, authorization=Bearer%20abc."
            )
    return dict(pairs)


def _compression(signal: Signal, given: str | None) -> Compression:
    place, found = ("compression", given) if given is not None else _of(signal, "COMPRESSION")
    if found is None:
        return "none"
    if found not in _COMPRESSIONS:
        raise ConfigurationError("must be none, gzip or deflate", place=place, remedy="Leave it out for none.")
    return found  # type: ignore[return-value]  # just shown to be one


def _timeout(signal: Signal, given: float | None) -> float:
    if given is not None:
        if (type(given) is not int and type(given) is not float) or not 0 < given <= MOST_SECONDS:
            raise ConfigurationError(
                "must be seconds, more than 0 and up to 100", place="timeout", remedy="10 is usual."
            )
        return float(given)
    variable, text = _of(signal, "TIMEOUT")
    if text is None:
        return DEFAULT_TIMEOUT
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number <= MOST_SECONDS * 1000:
        raise ConfigurationError(
            "must be milliseconds, more than 0 and up to 100000", place=variable, remedy="10000 is usual."
        )
    return number if number <= MOST_SECONDS else number / 1000


def _whole(variable: str, default: int) -> int:
    text = _text(variable)
    if text is None:
        return default
    if not text.isascii() or not text.isdecimal() or not 0 < int(text) <= 1_000_000:  # noqa: PLR2004 - a sane bound
        raise ConfigurationError(
            "must be a whole number from 1 to 1000000", place=variable, remedy=f"Unset it for {default}."
        )
    return int(text)
