"""The one rendering of an exception: types, codes, safe attributes and frames, and no text.

Nothing of the exception is called: not its `__str__`, not its properties (but those that a
contract's own package defines, see `code_of`), not even its comparison.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Final, NamedTuple

from discreet.export.ledger import LEDGER
from discreet.scoped import is_clear
from discreet.seal.classes import shown_class
from discreet.seal.codes import ClassFacts, CodeFacts, Rows, code_of, facts_of, read_codes
from discreet.seal.frames import frames
from discreet.seal.peek import (
    arguments,
    behind,
    is_exception,
    leaves,
    traceback_of,
)
from discreet.seal.types import Scalar

__all__ = [
    "CodeFacts",
    "ExceptionFacts",
    "code_of",
    "describe",
    "from_exc_info",
    "message_allowed",
    "set_message_check",
]

MAX_LINKS: Final = 20
"""Exceptions of a chain that are shown; more are counted.

.. versionadded:: 0.1.0
"""

MAX_LEAF_TYPES: Final = 5
"""Types that are shown of the exceptions in a group, the most frequent first.

.. versionadded:: 0.1.0
"""

_MAX_COUNTED: Final = 1_000
_MAX_NODES: Final = 100_000
_MAX_MESSAGE: Final = 1_000
_TRACEBACK_AT: Final = 2


@dataclass(slots=True)
class ExceptionFacts:
    """What may be shown of an exception. Not changed after it is made.

    Args:
        type: The qualified name of its class: ``openai.RateLimitError``; ``ValueError+`` for a
            class whose own name isn't proven.
        code: Its code by contract; ``undeclared`` for one of its own that no contract has.
        error_class: Who can do something about it.
        attributes: The values that its contract types.
        chain: The types of the exception and of what caused it, outermost first. A group says
            what is in it: ``ExceptionGroup(3: ValueError x2, TypeError)``.
        codes: The code of each link of `chain`.
        frames: ``package/module.py:function:line``, innermost last.
        message: Its text, when the contract calls it safe in this release and the check of
            `set_message_check` lets it through.
        undeclared: Whether `code` stands for one that no contract declares.

    .. versionadded:: 0.1.0
    """

    type: str
    code: str | None = None
    error_class: str | None = None
    attributes: dict[str, Scalar] = field(default_factory=dict)
    chain: tuple[str, ...] = ()
    codes: tuple[str | None, ...] = ()
    frames: tuple[str, ...] = ()
    message: str | None = None
    undeclared: bool = False


class _Check(NamedTuple):
    allows: Callable[[str], bool]


_check = _Check(is_clear)


def set_message_check(check: Callable[[str], bool] | None) -> None:
    """Say who decides whether the text of an exception with a safe message is shown.

    That a library promises to keep customer text out of its messages is not enough: by default
    the running call has to have texts, and the matcher must find none of them.

    Args:
        check: Takes the text and returns True if it holds no customer text; None for the default.

    .. versionadded:: 0.1.0
    """
    global _check
    _check = _Check(is_clear if check is None else check)


def message_allowed(text: str) -> bool:
    """Tell whether the text of an exception with a safe message may be shown.

    Args:
        text: The text.

    Returns:
        False also when the check fails; that is counted.

    .. versionadded:: 0.1.0
    """
    try:
        return _check.allows(text) is True
    except Exception as error:
        # A check that fails has not found the text harmless.
        LEDGER.failure("message check", error)
        return False


def from_exc_info(value: object) -> tuple[BaseException | None, TracebackType | None]:
    """Return exception and traceback out of whatever a record has as `exc_info`.

    Args:
        value: An exception, a tuple or list as `sys.exc_info()` gives it, True for the
            exception that is being handled, or anything else. Nothing of it is called.

    Returns:
        The exception, None when there is none; and the traceback that came with it, else the
        exception's own.

    .. versionadded:: 0.1.0
    """
    if is_exception(value):
        return value, traceback_of(value)
    given: Any = value
    parts: Sequence[object]
    if value is True:
        parts = sys.exc_info()
    elif issubclass(type(value), tuple):
        parts = tuple.__getitem__(given, slice(0, 3))
    elif issubclass(type(value), list):
        parts = list.__getitem__(given, slice(0, 3))
    else:
        return None, None
    found = next((part for part in parts if is_exception(part)), None)
    if found is None:
        return None, None
    last = parts[_TRACEBACK_AT] if len(parts) > _TRACEBACK_AT else None
    return found, last if type(last) is TracebackType else traceback_of(found)


def describe(exc: BaseException, traceback: TracebackType | None, registry: Rows) -> ExceptionFacts:
    """Return what may be shown of an exception. Never raises.

    Args:
        exc: The exception.
        traceback: Its traceback; None for no frames.
        registry: The active contracts.

    .. versionadded:: 0.1.0
    """
    try:
        return _describe(exc, traceback, registry)
    except Exception as error:
        # A record with the bare type is worth more than one that is withheld whole.
        LEDGER.failure("describe", error)
    try:
        shown = shown_class(type(exc))
    except Exception as error:
        # Out of memory or out of stack, most likely: no name is proven then.
        LEDGER.failure("describe", error)
        shown = "BaseException+"
    return ExceptionFacts(shown, chain=(shown,), codes=(None,))


def _describe(exc: BaseException, traceback: TracebackType | None, registry: Rows) -> ExceptionFacts:
    facts = facts_of(type(exc), registry)
    found = read_codes(exc, facts, registry)
    chain: tuple[str, ...] = (_group(exc, facts.shown) if facts.group else facts.shown,)
    codes: tuple[str | None, ...] = (found.code,)
    if behind(exc) is not None:
        chain, codes = _links(exc, chain, codes, registry)
    return ExceptionFacts(
        facts.shown,
        found.code,
        found.error_class,
        dict(found.attributes),
        chain,
        codes,
        frames(traceback) if traceback is not None else (),
        _message(exc, facts),
        found.undeclared,
    )


def _links(
    exc: BaseException, chain: tuple[str, ...], codes: tuple[str | None, ...], registry: Rows
) -> tuple[tuple[str, ...], tuple[str | None, ...]]:
    types, found = list(chain), list(codes)
    seen = {id(exc)}
    more = 0
    link = behind(exc)
    while link is not None and id(link) not in seen and more < _MAX_COUNTED:
        seen.add(id(link))
        if len(types) < MAX_LINKS:
            facts = facts_of(type(link), registry)
            types.append(_group(link, facts.shown) if facts.group else facts.shown)
            found.append(read_codes(link, facts, registry).code)
        else:
            more += 1
        link = behind(link)
    if more:
        types.append(f"... {more}{'+' if more >= _MAX_COUNTED else ''} more")
        found.append(None)
    return tuple(types), tuple(found)


def _group(group: BaseException, shown: str) -> str:
    """Return the types of the exceptions in a group, at any depth, with their numbers."""
    counts: Counter[int] = Counter()
    types: dict[int, type] = {}
    waiting: list[BaseException] = [group]
    seen = {id(group)}
    nodes = 0
    while waiting and nodes < _MAX_NODES:
        members = leaves(waiting.pop())  # type: ignore[arg-type]  # only groups wait
        nodes += len(members)
        # By id, at the speed of C: ten thousand leaves are nothing rare, and a class can
        # have a hash of its own.
        kinds = list(map(type, members))
        ids = list(map(id, kinds))
        types.update(zip(ids, kinds, strict=True))
        counts.update(ids)
        if any(issubclass(types[key], BaseExceptionGroup) for key in set(ids)):
            for member in members:
                if issubclass(type(member), BaseExceptionGroup):
                    counts[id(type(member))] -= 1
                    if id(member) not in seen:
                        seen.add(id(member))
                        waiting.append(member)
    names: Counter[str] = Counter()
    for key, count in counts.items():
        if count > 0:
            names[shown_class(types[key])] += count
    parts = [name if count == 1 else f"{name} x{count}" for name, count in names.most_common(MAX_LEAF_TYPES)]
    if len(names) > MAX_LEAF_TYPES:
        parts.append(f"{len(names) - MAX_LEAF_TYPES} types more")
    total = f"{names.total()}{'+' if waiting else ''}"
    return f"{shown}({total}: {', '.join(parts)})"


def _message(exc: BaseException, facts: ClassFacts) -> str | None:
    if facts.row is None or not facts.row.safe_message:
        return None
    args = arguments(exc)
    text = args[0] if args else None
    if type(text) is not str or not message_allowed(text):
        return None
    return text if len(text) <= _MAX_MESSAGE else f"{text[:_MAX_MESSAGE]}..."
