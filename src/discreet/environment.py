"""Settings from ``DISCREET_*`` environment variables, for what a call of ``configure()`` leaves out."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from typing import Any, Final

from discreet.errors import ConfigurationError

__all__ = ["VARIABLES", "setting"]


def _names(text: str, variable: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _word(text: str, variable: str) -> str:
    return text.strip()


def _sink(text: str, variable: str) -> str | None:
    text = text.strip()
    return None if text.lower() in ("", "none") else text


def _switch(text: str, variable: str) -> bool:
    word = text.strip().lower()
    if word in ("1", "true", "yes", "on"):
        return True
    if word in ("0", "false", "no", "off"):
        return False
    raise ConfigurationError("must be true or false", place=variable, remedy="Unset it for the default.")


def _otlp(text: str, variable: str) -> bool | str:
    text = text.strip()
    if text.lower() in ("none", "false", "no", "off", "0"):
        return False
    if "://" in text:
        return text
    try:
        return _switch(text, variable)
    except ConfigurationError:
        raise ConfigurationError(
            "is neither true or false nor the base URL of a collector",
            place=variable,
            remedy="Write a URL with http:// or https:// in front, or unset it for the default.",
        ) from None


def _number(text: str, variable: str) -> float:
    try:
        return float(text)
    except ValueError as error:
        raise ConfigurationError("must be a number", place=variable, remedy="Unset it for the default.") from error


def _attributes(text: str, variable: str) -> dict[str, Any]:
    text = text.strip()
    if text.startswith("{"):
        try:
            found = json.loads(text)
        except ValueError as error:
            raise ConfigurationError(
                "is no valid JSON object", place=variable, remedy='Write {"tenant": "id"} or tenant=id.'
            ) from error
        return dict(found)
    pairs = {}
    for part in _names(text, variable):
        name, equals, kind = part.partition("=")
        if not equals:
            raise ConfigurationError(
                "must be a list of name=type", place=variable, remedy="Write, for example, tenant=id,shard=int."
            )
        pairs[name.strip()] = kind.strip()
    return pairs


VARIABLES: Final[Mapping[str, Callable[[str, str], Any]]] = {
    "contracts": _names,
    "level": _word,
    "json": _sink,
    "spans": _sink,
    "all_spans": _switch,
    "otlp": _otlp,
    "metrics": _otlp,
    "shutdown_timeout": _number,
    "attributes": _attributes,
    "content_debug": _names,
    "report_every": _number,
    "rate_limit": _sink,
    "install": _switch,
    "strict": _switch,
    "streams": _switch,
    "service": _word,
    "routes": _names,
    "hosts": _names,
    "match": _names,
}
"""The settings that have a variable each: ``DISCREET_`` and the name in capitals.

.. versionadded:: 0.1.0
"""


def setting(name: str, default: Any) -> Any:
    """Return what the environment says of a setting, or the default.

    Args:
        name: a key of :data:`VARIABLES`.
        default: what holds when the variable is not set.

    Raises:
        ConfigurationError: the variable's text can't be read; the message names the variable.
    """
    variable = f"DISCREET_{name.upper()}"
    text = os.environ.get(variable)
    if text is None or not text.strip():
        # As OpenTelemetry has it: an empty variable is one that is not set.
        return default
    return VARIABLES[name](text, variable)
