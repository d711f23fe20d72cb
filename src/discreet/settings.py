"""The settings of ``configure()``: arguments, else the environment, else defaults; all checked first."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from discreet.environment import VARIABLES, setting
from discreet.errors import ConfigurationError, ContractError
from discreet.rate_limit import read_rate
from discreet.reporter import EVERY, read_every

__all__ = ["UNSET", "Settings", "read"]


class _Unset:
    """Stands for an argument that was not given, so that the environment decides."""

    def __repr__(self) -> str:
        return "<from the environment>"


UNSET: Final[Any] = _Unset()
"""The default of every argument that has an environment variable.

.. versionadded:: 0.1.0
"""


@dataclass(frozen=True, slots=True)
class Settings:
    """What holds for one call of ``configure()``.

    .. versionadded:: 0.1.0
    """

    contracts: tuple[Any, ...]
    level: int
    json: Any
    spans: Any
    all_spans: bool
    otlp: Any
    metrics: Any
    shutdown_timeout: float
    attributes: Mapping[str, Any] | None
    content_debug: tuple[Any, ...]
    report_every: float
    rate_limit: str | None
    install: bool
    strict: bool
    streams: bool
    service: str | None
    routes: tuple[Any, ...]
    hosts: tuple[Any, ...]
    match: tuple[Any, ...]
    from_environment: frozenset[str]

    @contextmanager
    def places(self) -> Iterator[None]:
        """Let errors name the variable where a value came from the environment."""
        try:
            yield
        except ContractError as error:
            if "contracts" not in self.from_environment:
                raise
            message = f"DISCREET_CONTRACTS: {error.message}"
            raise ContractError(message, file=error.file, key=error.key, remedy=error.remedy) from error
        except ConfigurationError as error:
            name, bracket, rest = (error.place or "").partition("[")
            if name not in self.from_environment:
                raise
            place = f"DISCREET_{name.upper()}{bracket}{rest}"
            raise ConfigurationError(error.message, place=place, remedy=error.remedy) from error


def read(given: Mapping[str, Any]) -> Settings:
    """Return the settings of a call.

    Args:
        given: the arguments by name; :data:`UNSET` for those that were left out.

    Raises:
        ConfigurationError: a value has a wrong type or form; the place is the argument or the variable.

    .. versionadded:: 0.1.0
    """
    values: dict[str, Any] = {}
    from_environment: set[str] = set()
    for name, value in given.items():
        if value is not UNSET:
            values[name] = value
            continue
        values[name] = setting(name, UNSET)
        if values[name] is UNSET:
            values[name] = _DEFAULTS[name]()
        else:
            from_environment.add(name)
    for name, check in _CHECKS.items():
        place = f"DISCREET_{name.upper()}" if name in from_environment else name
        values[name] = check(values[name], place)
    return Settings(**values, from_environment=frozenset(from_environment))


_DEFAULTS: Final[Mapping[str, Callable[[], Any]]] = {
    "contracts": tuple,
    "level": lambda: "INFO",
    "json": lambda: "-",
    "spans": lambda: None,
    "all_spans": lambda: True,
    "otlp": lambda: False,
    "metrics": lambda: None,
    "shutdown_timeout": lambda: 5.0,
    "attributes": lambda: None,
    "content_debug": tuple,
    "report_every": lambda: EVERY,
    "rate_limit": lambda: None,
    "install": lambda: True,
    "strict": lambda: False,
    "streams": lambda: False,
    # OpenTelemetry's own variable: https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/
    "service": lambda: os.environ.get("OTEL_SERVICE_NAME") or None,
    "routes": tuple,
    "hosts": tuple,
    "match": tuple,
}


def _list(value: Any, place: str) -> tuple[Any, ...]:
    if isinstance(value, str | bytes) or not isinstance(value, Iterable):
        raise ConfigurationError("must be a list", place=place, remedy="Put it in square brackets.")
    return tuple(value)


def _level(value: Any, place: str) -> int:
    number = logging.getLevelName(value.upper()) if isinstance(value, str) else value
    if type(number) is int and number >= 0:
        return number
    if isinstance(value, str) and value.isdecimal():
        return int(value)
    raise ConfigurationError(
        "is not a level", place=place, remedy="Use DEBUG, INFO, WARNING, ERROR, CRITICAL or a number."
    )


def _json(value: Any, place: str) -> Any:
    if value is None or isinstance(value, str | os.PathLike) or hasattr(value, "write"):
        return value
    raise ConfigurationError(
        'must be a path, a stream, "-" or None', place=place, remedy='Use "-" for standard output.'
    )


def _spans(value: Any, place: str) -> Any:
    if value is None or isinstance(value, str | os.PathLike) or hasattr(value, "export"):
        return value
    raise ConfigurationError(
        "must be a path, an OpenTelemetry span exporter or None", place=place, remedy="Leave it out for no spans."
    )


def _attributes(value: Any, place: str) -> Mapping[str, Any] | None:
    if value is None or isinstance(value, Mapping):
        return value
    raise ConfigurationError("must be a mapping of names to types", place=place, remedy='Write {"tenant": "id"}.')


def _switch(value: Any, place: str) -> bool:
    if type(value) is bool:
        return value
    raise ConfigurationError("must be True or False", place=place, remedy="Leave it out for the default.")


def _otlp(value: Any, place: str) -> Any:
    if value is None or value is False:
        return False
    if value is True:
        return True
    from discreet.export.otlp.settings import checked_url

    return checked_url(value, place)


def _metrics(value: Any, place: str) -> Any:
    if value is None or type(value) is bool or callable(value) or hasattr(value, "collect"):
        return value
    if isinstance(value, str):
        return _otlp(value, place)
    raise ConfigurationError(
        "must be True, False, a URL, a metric reader or a function that makes one",
        place=place,
        remedy="Leave it out: metrics then go where otlp says.",
    )


def _shutdown(value: Any, place: str) -> float:
    from discreet.export.otlp.setup import checked_shutdown

    return checked_shutdown(value, place)


def _service(value: Any, place: str) -> str | None:
    if value is None or (type(value) is str and value):
        return value
    raise ConfigurationError("must be a text", place=place, remedy="Give the service's name, or leave it out.")


def _rate(value: Any, place: str) -> str | None:
    read_rate(value, place)
    return value  # type: ignore[no-any-return]  # read_rate() knows it is one


_CHECKS: Final[Mapping[str, Callable[[Any, str], Any]]] = {
    "contracts": _list,
    "level": _level,
    "json": _json,
    "spans": _spans,
    "all_spans": _switch,
    "otlp": _otlp,
    "metrics": _metrics,
    "shutdown_timeout": _shutdown,
    "attributes": _attributes,
    "content_debug": _list,
    "report_every": read_every,
    "rate_limit": _rate,
    "install": _switch,
    "strict": _switch,
    "streams": _switch,
    "service": _service,
    "routes": _list,
    "hosts": _list,
    "match": _list,
}
if set(_CHECKS) != set(VARIABLES):
    raise AssertionError("every setting has a variable and a check")
