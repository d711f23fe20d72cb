"""The type of texts that a library puts together from its own words and numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from discreet.seal.types.base import MAX_TEXT, WITHHELD, Scalar, ValueType, Withheld

__all__ = ["Phrase"]

_MAX_VALUES: Final = 128
_FORM: Final = re.compile(rf"[!-~](?:[ -~]{{0,{MAX_TEXT - 2}}}[!-~])?", re.ASCII)
_SLOT: Final = re.compile(r"\{([^{}]*)\}")
_NUMBERS: Final = {
    "int": r"-?[0-9]{1,7}",
    "float": r"-?[0-9]{1,7}(?:\.[0-9]{1,9})?(?:[eE][-+]?[0-9]{1,3})?",
}


class Phrase(ValueType):
    """One of the forms that the contract lists: its words with numbers in their places.

    ``cached since {float}s ago`` lets ``cached since 0.12s ago`` through, and nothing else.

    Args:
        values: The forms, with ``{int}`` and ``{float}`` where numbers stand.
    """

    __slots__ = ("_pattern",)
    name = "phrase"

    def __init__(self, values: tuple[str, ...]) -> None:
        self._pattern: Final = re.compile("|".join(_form(value) for value in values), re.ASCII)
        self.options = (("values", values),)

    @classmethod
    def make(cls, options: Mapping[str, object]) -> ValueType:
        """Make the type from its one option, `values`."""
        cls.refuse_options(options, "values")
        values = options.get("values")
        if not isinstance(values, (list, tuple)) or not 0 < len(values) <= _MAX_VALUES:
            raise ValueError(f"the type phrase needs `values`, a list of 1 to {_MAX_VALUES} texts")
        for value in values:
            if type(value) is not str or not _FORM.fullmatch(value):
                raise ValueError(f"each of `values` is a text of 1 to {MAX_TEXT} printable ASCII characters")
        if len(set(values)) < len(values):
            raise ValueError("the type phrase has a value twice")
        return cls(tuple(values))

    def _read(self, value: object) -> Scalar | Withheld:
        if type(value) is not str or len(value) > MAX_TEXT:
            return WITHHELD
        return value if self._pattern.fullmatch(value) else WITHHELD


def _form(value: str) -> str:
    parts: list[str] = []
    end = 0
    for slot in _SLOT.finditer(value):
        number = _NUMBERS.get(slot[1])
        if number is None:
            raise ValueError("a slot of the type phrase is {int} or {float}")
        parts += (re.escape(value[end : slot.start()]), number)
        end = slot.end()
    return "".join(parts) + re.escape(value[end:])
