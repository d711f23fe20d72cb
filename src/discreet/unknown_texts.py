"""What is said of customer texts that can't be read: nothing is withheld for it, but what they are isn't known."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable
from typing import Final

from discreet.errors import InvalidInputError
from discreet.export.ledger import LEDGER
from discreet.seal.types.base import WITHHELD
from discreet.seal.types.names import Param

__all__ = ["forget", "say_unknown", "unread"]

_LOGGER: Final = "discreet"
_MOST: Final = 256
_PARAM: Final = Param()
_NAME: Final = re.compile(r"[.\[]")

_said: Final[set[tuple[str, str]]] = set()


def unread(name: str, error: Exception) -> str:
    """Count that a text of a call can't be read, and return its place.

    Args:
        name: The text's.
        error: What was raised.

    .. versionadded:: 0.1.0
    """
    LEDGER.failure("call text", error)
    return error.param if type(error) is InvalidInputError else name


def say_unknown(operation: str, places: Iterable[str]) -> None:
    """Say that texts of a call can't be read, once for each parameter. Never raises: the call goes on.

    Args:
        operation: The call's, known to be safe.
        places: What :func:`unread` returned.

    .. versionadded:: 0.1.0
    """
    for place in places:
        try:
            _say(operation, place)
        except Exception as error:
            # A handler of somebody else's may raise whatever it likes.
            LEDGER.failure("handler call", error)


def _say(operation: str, place: str) -> None:
    safe = _PARAM.safe(place)
    param = "" if safe is WITHHELD else str(safe)
    # Of a list of a thousand documents, which are of one kind, the first one tells it.
    key = (operation, _NAME.split(param)[0])
    if key in _said or len(_said) >= _MOST or not logging.getLogger(_LOGGER).isEnabledFor(logging.WARNING):
        return
    _said.add(key)
    from discreet.doors.report import send

    attributes = {"operation": operation, **({"param": param} if param else {})}
    what = f"{operation}: text {param} could not be read" if param else f"{operation}: a text could not be read"
    send(_LOGGER, logging.WARNING, what, "text_unknown", attributes=attributes)


def forget() -> None:
    """Be as at the start of the process; for tests."""
    _said.clear()
