"""The warning codes of a result."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from enum import Enum
from itertools import islice
from typing import Final

from discreet.contract import active
from discreet.export.ledger import LEDGER

__all__ = ["codes_of", "declared_code"]

_MOST: Final = 10_000
"""Warnings of one result that are looked at."""

_UNDECLARED: Final = "undeclared"


def declared_code(code: object) -> str:
    """Return a warning code if an active contract declares it, else ``undeclared``, which is counted.

    Args:
        code: anything; a member of an enum stands for its value.

    .. versionadded:: 0.1.0
    """
    if isinstance(code, Enum):
        code = code.value
    if type(code) is str and active().is_warning_code(code):
        return code
    LEDGER.undeclared("warning_code")
    return _UNDECLARED


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
