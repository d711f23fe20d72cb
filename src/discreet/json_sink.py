"""The sink of ``configure()`` for JSON lines."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any

from discreet.errors import ConfigurationError
from discreet.export.json import JsonHandler

__all__ = ["json_handler_of", "new_file_of"]


def new_file_of(json: Any) -> Path | None:
    """Return the file that will be made for JSON lines, None if it is there already or isn't one.

    Args:
        json: what ``configure(json=...)`` was given.
    """
    if json == "-" or not isinstance(json, str | PathLike):
        return None
    try:
        path = Path(json)
        return None if path.exists() else path
    except (OSError, TypeError, ValueError):
        # Whoever opens it says what is wrong with it.
        return None


def json_handler_of(json: Any, service: str | None) -> JsonHandler:
    """Return the handler that writes JSON lines.

    Args:
        json: what ``configure(json=...)`` was given.
        service: value of the field ``service``.

    Raises:
        ConfigurationError: the file can't be opened.
    """
    if json == "-":
        return JsonHandler(stream="-", service=service)
    if isinstance(json, (str, PathLike)):
        try:
            return JsonHandler(filename=json, service=service)
        except ConfigurationError as error:
            raise ConfigurationError(error.message, place="json", remedy=error.remedy) from error
    return JsonHandler(stream=json, service=service)
