"""Texts that come into being while a call runs, such as a model's reply: they are registered where it runs on."""

from __future__ import annotations

from typing import Final

from discreet.export.ledger import LEDGER
from discreet.matching import Index
from discreet.scope import Look, Scope, current
from discreet.texts import collect

__all__ = ["MOST_REPLIES", "register_reply"]

MOST_REPLIES: Final = 256
"""Replies that a scope keeps: a program that runs in one call for days makes any number."""

_REPLY: Final = "reply"


def register_reply(text: object, *, outside: object = None) -> None:
    """Register a text in the running scope, as long as that lasts. Never raises: what fails is counted.

    Args:
        text: The text, or what has texts.
        outside: Who opened scopes that end too soon for it; the next one outside of them is taken.

    .. versionadded:: 0.1.0
    """
    try:
        scope = current()
        while scope is not None and (scope.closed or (outside is not None and scope._owner is outside)):  # noqa: SLF001
            scope = scope._outer  # noqa: SLF001 -- of the same part
        found = list(collect(text, _REPLY)) if scope is not None and text is not None else []
        if scope is not None and found:
            _add(scope, found)
    except Exception as error:
        # Whoever asked the model has its reply; that its text isn't known is a failure of the guard.
        LEDGER.failure("observe_call", error)


def _add(scope: Scope, found: list[tuple[str, str | bytes]]) -> None:
    before = scope._index._texts  # noqa: SLF001 -- the same
    replies = [text for text in before if text[0].startswith(_REPLY)]
    kept = before if len(replies) + len(found) <= MOST_REPLIES else _without_oldest(before, len(found))
    texts = [*kept, *found]
    scope._index = Index(texts)  # noqa: SLF001 -- the same
    scope._places = tuple(place for place, _ in texts)  # noqa: SLF001 -- the same
    if any(text and not text.isspace() for _, text in found):
        scope._blank = False  # noqa: SLF001 -- the same
        if scope._outer is None:  # noqa: SLF001 -- the same
            scope._look = Look((scope,))  # noqa: SLF001 -- the same
    if scope.closed:
        # Another thread has ended it meanwhile, and its texts end with it.
        scope.close()


def _without_oldest(texts: list[tuple[str, str | bytes]], count: int) -> list[tuple[str, str | bytes]]:
    kept: list[tuple[str, str | bytes]] = []
    for text in texts:
        if count and text[0].startswith(_REPLY):
            count -= 1
        else:
            kept.append(text)
    return kept
