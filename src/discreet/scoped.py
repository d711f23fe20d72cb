"""Whether this process has ever had a text scope: most have none, and then no value is looked up.

:mod:`discreet.scope` says so when the first scope is opened; who seals values needn't load it, nor the matcher.
"""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from discreet.look import Look
    from discreet.seal.sealed import Sealed

__all__ = ["LOOK", "LOOKS", "NOTICES", "REQUESTS", "is_clear", "look", "place_of", "request_id"]

LOOK: Final[list[Callable[[str], str | None]]] = []
"""Empty until there is a scope, then the look into the running call's."""

LOOKS: Final[list[Callable[[], Look | None]]] = []
"""The same for several values of one record."""

REQUESTS: Final[list[Callable[[TracebackType | None], str | None]]] = []
"""Empty until a middleware has had a request, then what gives the id of the running one."""

NOTICES: Final[list[Callable[[Sealed], None]]] = []
"""Empty until a call is observed, then what looks at each record that was sealed, for those that tell of the call."""


def place_of(value: str) -> str | None:
    """Return the place of the text of the running call that a value agrees with, None if there is none.

    Args:
        value: the value as it would go out.

    .. versionadded:: 0.1.0
    """
    return LOOK[0](value) if LOOK else None


def look() -> Look | None:
    """Return a look into the texts of the running call, None if it has none.

    .. versionadded:: 0.1.0
    """
    return LOOKS[0]() if LOOKS else None


def is_clear(text: str) -> bool:
    """Tell whether the running call has texts and a text agrees with none of them.

    Args:
        text: the text as it would go out.

    .. versionadded:: 0.1.0
    """
    into = look()
    return into is not None and into.find(text) is None and into.valid


def request_id(traceback: TracebackType | None = None) -> str | None:
    """Return the id of the running request as it may go out, None if there is no request or it has none.

    Args:
        traceback: of an exception; if no request runs, the one that failed with it counts.

    .. versionadded:: 0.1.0
    """
    return REQUESTS[0](traceback) if REQUESTS else None
