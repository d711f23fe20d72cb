"""Declared values that are declared public too, and those that their type refuses."""

from __future__ import annotations

from typing import Any, Final

from discreet.contract.model import ArgType
from discreet.declared import Public
from discreet.seal.types import WITHHELD, Scalar, ValueType, Withheld
from discreet.seal.values import Placeholder, note, shown_public

__all__ = ["public_attribute", "refused"]

_NUMBERS: Final = (int, float, bool)


def public_attribute(kind: ValueType, declared: Public[Any], kind_of_value: str = "attribute") -> Scalar | Withheld:
    """Return a public value as an attribute: in the form of its type, else as it is where the type's values are texts.

    Args:
        kind: the attribute's type.
        declared: the value.
        kind_of_value: what the value is of its record.

    .. versionadded:: 0.1.0
    """
    safe = kind.safe(declared.value)
    if safe is not WITHHELD:
        return safe
    if kind.range is not None and type(declared.value) not in _NUMBERS:
        # Stores of logs take an attribute's kind from its first value.
        note("wrong_type", kind_of_value)
        return WITHHELD
    found = shown_public(declared, kind_of_value)
    return found if type(found) is not Placeholder and (type(found) is str or type(found) in _NUMBERS) else WITHHELD


def refused(arg: ArgType | None, value: object, gone: int) -> int:
    """Note for the ledger why an argument is withheld, if its type is what refused it.

    Args:
        arg: what the contract's row says of its slot.
        value: the argument, or its text; None where that isn't known.
        gone: 1 if it is withheld, else 0.

    Returns:
        ``gone``.
    """
    if gone and arg is not None and arg.type is not None and value is not None and type(value) is not Public:
        note(arg.type.refusal(value), "argument")
    return gone
