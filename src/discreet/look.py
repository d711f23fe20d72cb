"""A look into several text scopes at one moment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from discreet.scope import Scope

__all__ = ["Look"]


class Look:
    """A look into the scopes that are open at one moment, for several values of one record.

    Another thread may end a scope meanwhile. Then its texts are gone and nothing is found; and a request's texts may
    turn out, when they are read, not to be all. So what was found counts only while the look is valid.

    .. versionadded:: 0.1.0
    """

    __slots__ = ("_scopes",)

    def __init__(self, scopes: tuple[Scope, ...]) -> None:
        self._scopes = scopes

    def find(self, value: str, *, inside: bool = True) -> str | None:
        """Return the place of the text that a value agrees with, None if there is none.

        Args:
            value: The value as it would go out.
            inside: Whether a value that is itself a part of a text counts, however short.

        .. versionadded:: 0.1.0
        """
        for scope in self._scopes:
            match = scope._index.find(value, inside=inside)  # noqa: SLF001 -- a scope is only looked at
            if match is not None:
                return match.place
        return None

    def find_part(self, value: str) -> str | None:
        """Return the place of a text as :meth:`find` does, for a value that stands in a longer one.

        Of a plain value only what is seen of it alone is found; the rest is found in the longer one.

        Args:
            value: The value.

        .. versionadded:: 0.1.0
        """
        for scope in self._scopes:
            match = scope._index.find_part(value)  # noqa: SLF001 -- a scope is only looked at
            if match is not None:
                return match.place
        return None

    def lacks(self, value: str, parts: Sequence[str]) -> bool:
        """Tell whether surely nothing is found: not for a value, nor for values in it, alone and put together.

        The answer is yes only if the look was valid while the scopes were looked into.

        Args:
            value: The value as it would go out.
            parts: The values in it.

        .. versionadded:: 0.1.0
        """
        blank = True
        for scope in self._scopes:
            index = scope._index  # noqa: SLF001 -- a scope is only looked at
            # In this order: texts that come bit by bit are read by the search, which then says whether that's all.
            if not index.lacks(value, parts) or scope._closed or index.partial:  # noqa: SLF001 -- the same
                return False
            blank = blank and index.blank
        return not blank

    @property
    def valid(self) -> bool:
        """Whether all scopes are still open, have all texts of their calls, and at least one text."""
        blank = True
        for scope in self._scopes:
            index = scope._index  # noqa: SLF001 -- a scope is only looked at
            if scope._closed or index.partial:  # noqa: SLF001 -- the same
                return False
            blank = blank and index.blank
        return not blank
