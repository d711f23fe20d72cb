"""Texts that come into being while a call runs, such as a model's reply: they are registered where it runs on."""

from __future__ import annotations

from typing import Final

from discreet.export.ledger import LEDGER
from discreet.forks import ForkSafeLock
from discreet.matching.growing import Growing
from discreet.scope import REPLY, Scope, current

__all__ = ["MOST_REPLIES", "known_in_part", "register_reply"]

MOST_REPLIES: Final = 256
"""Replies that a scope keeps, at most: a program that runs in one call for days makes any number. Of those that came
last it keeps seven eighths of this number at least."""

_beginning: Final = ForkSafeLock()


def register_reply(text: str | None, *, outside: object = None) -> None:
    """Register a text in the running scope, as long as that lasts. Never raises: what fails is counted.

    It is found from here on. What a customer wrote it doesn't make known: in a scope that has no other text, match
    mode lets nothing through, as before.

    Args:
        text: The text, None if there is none.
        outside: Who opened scopes that end too soon for it; the next one outside of them is taken.

    .. versionadded:: 0.1.0
    """
    try:
        scope = current()
        while scope is not None:
            owner = scope._owner  # noqa: SLF001 -- of the same part
            if not scope.closed and (outside is None or owner is not outside):
                break
            scope = scope._outer  # noqa: SLF001 -- of the same part
        if scope is None or text is None:
            return
        # The methods of a subclass say what they like.
        plain = str.__str__(text)
        if plain and not plain.isspace():
            _add(scope, plain)
    except Exception as error:
        # Whoever asked the model has its reply; that its text isn't known is a failure of the guard.
        LEDGER.failure("observe_call", error)


def known_in_part(owner: object) -> None:
    """Take it that the running scope has texts that nobody registers, if it is somebody's own.

    Match mode lets nothing through then, as long as it lasts.

    Args:
        owner: Who opened it.

    .. versionadded:: 0.1.0
    """
    scope = current()
    if scope is not None and scope._owner is owner:  # noqa: SLF001 -- of the same part
        scope._index.partial, scope._look = True, None  # noqa: SLF001 -- of the same part


def _add(scope: Scope, text: str) -> None:
    # Whoever sees the scope within another one has the same index.
    index = scope._index  # noqa: SLF001 -- of the same part
    with _beginning:
        later = index.later
        if not isinstance(later, Growing):
            later = Growing(MOST_REPLIES)
            index.later = later
    later.add(lambda: [(REPLY, text)], len(text))
    if scope.closed:
        # Another thread has ended it meanwhile, and its texts end with it.
        later.clear()
        index.clear()
