"""Whether this process has ever had a text scope: most have none, and then no value is looked up.

:mod:`discreet.scope` says so when the first scope is opened; who seals values needn't load it, nor the matcher.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

__all__ = ["LOOK", "place_of"]

LOOK: Final[list[Callable[[str], str | None]]] = []
"""Empty until there is a scope, then the look into the running call's."""


def place_of(value: str) -> str | None:
    """Return the place of the text of the running call that a value agrees with, None if there is none.

    Args:
        value: the value as it would go out.

    .. versionadded:: 0.1.0
    """
    return LOOK[0](value) if LOOK else None
