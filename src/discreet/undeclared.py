"""Names in observed calls that no contract declares: counted, and complained of once for each kind."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Final

from discreet.export.ledger import LEDGER

__all__ = ["UNDECLARED", "undeclared"]

UNDECLARED: Final = "undeclared"
"""Stands for such a name.

.. versionadded:: 0.1.0
"""

_LOGGER: Final = "discreet"
_WHAT: Final[Mapping[str, str]] = {
    "warning_code": "A call has a warning code that no active contract declares",
    "error_code": "A call failed with an error code that no active contract declares",
    "error_class": "A call failed with an error class that is none",
    "operation": "The name of an operation has a wrong form, is said by nobody's code, or is a customer's text",
}


def undeclared(kind: str) -> str:
    """Count a name that no contract declares and say so the first time. Never raises: the call goes on.

    Args:
        kind: What it should have been: ``warning_code``, ``error_code``, ``error_class`` or ``operation``.

    Returns:
        The word that stands for it.

    .. versionadded:: 0.1.0
    """
    if LEDGER.undeclared(kind):
        try:
            _say(kind)
        except Exception as error:
            # A handler of somebody else's may raise whatever it likes.
            LEDGER.failure("handler call", error)
    return UNDECLARED


def _say(kind: str) -> None:
    if not logging.getLogger(_LOGGER).isEnabledFor(logging.WARNING):
        return
    from discreet.doors.report import send

    what = f"{_WHAT[kind]}: it was replaced by undeclared"
    send(_LOGGER, logging.WARNING, what, "undeclared_name", attributes={"kind": kind})
