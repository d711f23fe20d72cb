"""Names of operations: only those that the program's own code says, or that it declares public."""

from __future__ import annotations

import re
import sys
from types import FrameType
from typing import Final, TypeGuard

from discreet.call_counts import CALLS
from discreet.declared import Public
from discreet.export.ledger import LEDGER
from discreet.scoped import place_of

__all__ = ["in_scope", "is_operation", "said"]

_FORM: Final = re.compile(r"[a-z][a-z0-9_]{0,31}(?:\.[a-z][a-z0-9_]{0,31}){0,3}", re.ASCII)
"""As our contract types the attribute `operation`."""

_MOST_FRAMES: Final = 64
"""Callers that are looked at: a program's own wrappers are near."""


def is_operation(name: object) -> TypeGuard[str]:
    """Tell whether a name has the form of an operation's: one to four words with dots, in small letters."""
    return type(name) is str and _FORM.fullmatch(name) is not None


def said(name: object) -> str | Public[str] | None:
    """Return an operation's name as far as it may be one, None if it has a wrong form or nobody's code says it.

    A word in small letters may be a customer's too. A name passes that has passed before, that is a constant of the
    module that calls, or the very constant of a function that led here, through wrappers of the program's own; of one
    word only the very object that code holds, since a text may have the same word.

    Args:
        name: what :func:`discreet.observe_call` was called with.

    .. versionadded:: 0.1.0
    """
    text = name.value if type(name) is Public else name
    if not is_operation(text):
        return None
    if type(name) is Public:
        return name
    try:
        return text if (CALLS.known(text) and _is_of_code(text)) or _is_constant(text, sys._getframe(2)) else None  # noqa: SLF001 -- as logging does
    except Exception as error:
        # A module's loader may do what it likes; the application's call goes on without a name.
        LEDGER.failure("observe_call", error)
        return None


def in_scope(name: str | Public[str] | None) -> str | None:
    """Return the name as it is counted in the running call, None if it was declared public and is a text of the call.

    Args:
        name: what :func:`said` returned.

    .. versionadded:: 0.1.0
    """
    if type(name) is not Public:
        # What the program's code says isn't looked for: that it is missing would tell what the customer wrote.
        return name
    words = [word for word in re.split(r"[._]", name.value) if word]
    return None if any(place_of(one) is not None for one in (name.value, " ".join(words))) else name.value


def _is_of_code(text: str) -> bool:
    """Tell of a name that some code has whether this is the code's, or a word of a text that happens to be the same.

    Python has one object for each name of one word that code holds, and another for what is made when a program runs.
    Nobody's text has a name with dots.
    """
    return "." in text or sys.intern(text) is text


def _is_constant(text: str, frame: FrameType | None) -> bool:
    # Here, since the look into code is not needed by who never observes a call.
    from discreet.seal.sources import module_strings, owner

    nearest = True
    for _ in range(_MOST_FRAMES):
        if frame is None:
            break
        module = owner(frame.f_globals, frame.f_code)
        if module is not None:
            if any(constant is text for constant in frame.f_code.co_consts):
                return True
            if nearest and text in module_strings(module) and _is_of_code(text):
                return True
            nearest = False
        frame = frame.f_back
    return False
