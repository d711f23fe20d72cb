"""What looks on while an application works, and must not disturb it."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

from discreet.export.ledger import LEDGER

__all__ = ["never_raises"]

P = ParamSpec("P")


def never_raises(look: Callable[P, None]) -> Callable[P, None]:
    """Return a function that raises nothing: what fails is counted.

    Args:
        look: A function that looks at what an application or a library does.

    .. versionadded:: 0.1.0
    """

    @wraps(look)
    def looked(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            look(*args, **kwargs)
        except Exception as error:
            # The application goes on to its result or its exception; neither may be lost for a record.
            LEDGER.failure("instrument", error)

    return looked
