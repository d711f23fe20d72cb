"""The warning codes of a result, and the records of them."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from enum import Enum
from itertools import islice
from typing import Any, Final

from discreet.contract import active
from discreet.export.ledger import LEDGER
from discreet.undeclared import undeclared

__all__ = ["FALLBACK", "MOST", "codes_of", "declared_code", "log_fallback", "plain"]

FALLBACK: Final = "fallback_used"
"""The event of records that say that a result is degraded.

.. versionadded:: 0.1.0
"""

_LOGGER: Final = "discreet"

MOST: Final = 10**9
"""The largest number of items or warnings that is told, as of the type `count`.

.. versionadded:: 0.1.0
"""

_MOST: Final = 10_000
"""Warnings of one result that are looked at."""


def plain(value: Any) -> Any:
    """Return the value of a member of an enum, and anything else as it is.

    Args:
        value: what a program calls a code or a class by.

    .. versionadded:: 0.1.0
    """
    return value.value if isinstance(value, Enum) else value


def declared_code(code: object) -> str:
    """Return a warning code if an active contract declares it, else ``undeclared``, which is counted.

    Args:
        code: anything; a member of an enum stands for its value.

    .. versionadded:: 0.1.0
    """
    code = plain(code)
    if type(code) is str and active().is_warning_code(code):
        return code
    return undeclared("warning_code")


def codes_of(value: object) -> Iterator[str]:
    """Yield the code of each warning of a result; nothing for a result that has none.

    Args:
        value: an object or mapping that has ``warnings``, or any other.

    Raises:
        Exception: what the result's own code raises.

    .. versionadded:: 0.1.0
    """
    warnings = value.get("warnings") if isinstance(value, Mapping) else getattr(value, "warnings", None)
    if not isinstance(warnings, list | tuple | AbstractSet):
        return
    for warning in islice(warnings, _MOST):
        if isinstance(warning, Mapping):
            yield declared_code(warning.get("code"))
        elif isinstance(warning, str | Enum):
            yield declared_code(warning)
        else:
            yield declared_code(getattr(warning, "code", None))


def log_fallback(operation: str, code: str, count: int) -> None:
    """Log that a call's result is degraded, for a code of which nobody else has logged it. Never raises.

    Args:
        operation: the call's, known to be safe.
        code: a warning code that a contract declares, or ``undeclared``.
        count: how many such warnings the call has.

    .. versionadded:: 0.1.0
    """
    if not logging.getLogger(_LOGGER).isEnabledFor(logging.WARNING):
        return
    from discreet.doors.report import send

    try:
        send(
            _LOGGER,
            logging.WARNING,
            f"{operation}: degraded, {count} x {code}",
            FALLBACK,
            attributes={"operation": operation, "count": count},
            warning_code=code,
        )
    except Exception as error:
        # A handler of somebody else's may raise whatever it likes; the record of the call's end is still to come.
        LEDGER.failure("handler call", error)
