"""An exception as attributes of a span."""

from __future__ import annotations

from typing import Final

from discreet.seal.exceptions import ExceptionFacts

__all__ = ["CHAIN", "exception_attributes", "sealed_exceptions"]

CHAIN: Final = " < "
"""What stands between the exceptions of a chain, outermost first.

.. versionadded:: 0.1.0
"""

sealed_exceptions: Final[set[str]] = set()
"""Class names that sealing proved and that no import would: `GuardedSpanExporter` knows them.

.. versionadded:: 0.1.0
"""

_MAX_SEALED: Final = 4096


def exception_attributes(exception: ExceptionFacts) -> dict[str, str]:
    """Return the attributes of a span that say which exception it is about.

    Args:
        exception: What may be shown of it.

    .. versionadded:: 0.1.0
    """
    out = {"exception.type": exception.type}
    if exception.code is not None:
        out["exception_code"] = exception.code
    if len(exception.chain) > 1:
        out["exception_chain"] = CHAIN.join(exception.chain)
    if len(sealed_exceptions) < _MAX_SEALED:
        sealed_exceptions.update((exception.type, *exception.chain))
    return out
