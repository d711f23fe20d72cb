"""Declared attributes whose values are declared public."""

from __future__ import annotations

from typing import Any, Final

from discreet.declared import Public
from discreet.seal.types import WITHHELD, Scalar, ValueType, Withheld
from discreet.seal.values import Placeholder, shown_public

__all__ = ["public_attribute"]

_NUMBERS: Final = (int, float, bool)


def public_attribute(kind: ValueType, declared: Public[Any]) -> Scalar | Withheld:
    """Return a public value as an attribute: in the form of its type, else as it is where the type's values are texts.

    Args:
        kind: the attribute's type.
        declared: the value.

    .. versionadded:: 0.1.0
    """
    safe = kind.safe(declared.value)
    if safe is not WITHHELD:
        return safe
    if kind.range is not None and type(declared.value) not in _NUMBERS:
        # Stores of logs take an attribute's kind from its first value.
        return WITHHELD
    found = shown_public(declared)
    return found if type(found) is not Placeholder and (type(found) is str or type(found) in _NUMBERS) else WITHHELD
