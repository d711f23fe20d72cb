"""Types whose values are names out of a list: a contract's, the process's or the system's."""

from __future__ import annotations

import enum
import re
import signal
import sys
from collections.abc import Mapping
from types import ModuleType
from typing import Final

from discreet.seal.types.base import (
    MAX_TEXT,
    WITHHELD,
    Scalar,
    ValueType,
    Withheld,
    descends,
    dotted_words,
    few_digits,
    few_words,
    integer,
)

__all__ = [
    "ClassName",
    "Code",
    "ContractName",
    "Distribution",
    "EnumOf",
    "Importable",
    "ModuleName",
    "Param",
    "Release",
    "SignalName",
    "WarningCategory",
]

_MAX_VALUES: Final = 512
_MAX_INT: Final = 9_999_999
_VALUE: Final = re.compile(r"[!-~](?:[ -~]{0,126}[!-~])?", re.ASCII)
# Without the local part, which may be any words.
_RELEASE: Final = re.compile(
    r"(?:[0-9]{1,4}!)?[0-9]{1,8}(?:\.[0-9]{1,8}){0,5}(?:(?:a|b|rc)[0-9]{1,8})?(?:\.post[0-9]{1,8})?(?:\.dev[0-9]{1,8})?",
    re.ASCII,
)
_PARAM: Final = re.compile(
    r"[A-Za-z_][A-Za-z0-9_]{0,31}+(?:\.?\[[0-9]{1,9}\]|\.[A-Za-z_][A-Za-z0-9_]{0,31}+|\.[0-9]{1,9})*", re.ASCII
)
_FIVE_WORDS: Final = re.compile(r"(?:[^A-Za-z]*+[A-Za-z]++){0,5}+[^A-Za-z]*+", re.ASCII)
_MODULE: Final = re.compile(r"[A-Za-z_][\w-]*(?:\.[A-Za-z_][\w-]*)*", re.ASCII)
_DOTTED: Final = re.compile(r"[A-Za-z_]\w{0,63}(?:\.[A-Za-z_]\w{0,63}){1,15}", re.ASCII)


class EnumOf(ValueType):
    """One of the values that the contract lists, also as a member of an `enum.Enum`.

    Args:
        values: The texts and integers that may go out.
    """

    __slots__ = ("_values",)
    name = "enum"

    def __init__(self, values: tuple[str | int, ...]) -> None:
        self._values: Final = frozenset((type(value), value) for value in values)
        self.options = (("values", values),)

    @classmethod
    def make(cls, options: Mapping[str, object]) -> ValueType:
        """Make the type from its one option, `values`."""
        cls.refuse_options(options, "values")
        values = options.get("values")
        if not isinstance(values, (list, tuple)) or not 0 < len(values) <= _MAX_VALUES:
            raise ValueError(f"the type enum needs `values`, a list of 1 to {_MAX_VALUES} values")
        for value in values:
            if type(value) is int and -_MAX_INT <= value <= _MAX_INT:
                continue
            if type(value) is not str or not _VALUE.fullmatch(value):
                raise ValueError(
                    "each of `values` is a text of 1 to 128 printable ASCII characters or an integer of up to 7 digits"
                )
        if len(set(values)) < len(values):
            raise ValueError("the type enum has a value twice")
        return cls(tuple(values))

    def safe(self, value: object) -> Scalar | Withheld:
        """Return the value, or `WITHHELD`; see `ValueType.safe`."""
        if type(value) is str or type(value) is int:
            return value if (type(value), value) in self._values else WITHHELD
        return super().safe(value)

    def _read(self, value: object) -> Scalar | Withheld:
        if descends(value, enum.Enum):
            # The class's own table, so that neither `value` nor `__str__` of a member is run.
            table = vars(type)["__dict__"].__get__(type(value)).get("_value2member_map_")
            if type(table) is dict:
                for key, member in table.items():
                    if member is value and (type(key) is str or type(key) is int):
                        return key if (type(key), key) in self._values else WITHHELD
        return WITHHELD


class Code(ValueType):
    """A code or event that an active contract declares."""

    __slots__ = ()
    name = "code"

    def _read(self, value: object) -> Scalar | Withheld:
        if type(value) is not str:
            return WITHHELD
        from discreet.contract import active

        known = active()
        if known.is_error_code(value) or known.is_warning_code(value) or known.is_event(value):
            return value
        return WITHHELD


class ContractName(ValueType):
    """The name of an active contract."""

    __slots__ = ()
    name = "contract"

    def _read(self, value: object) -> Scalar | Withheld:
        from discreet.contract import active

        return value if type(value) is str and any(value == one.name for one in active().contracts) else WITHHELD


class Distribution(ValueType):
    """The name of a distribution whose releases an active contract covers."""

    __slots__ = ()
    name = "distribution"

    def _read(self, value: object) -> Scalar | Withheld:
        from discreet.contract import active

        return value if type(value) is str and any(value in one.covers for one in active().contracts) else WITHHELD


class Release(ValueType):
    """The release of a distribution, as PEP 440 writes it."""

    __slots__ = ()
    name = "release"

    def _read(self, value: object) -> Scalar | Withheld:
        return value if type(value) is str and _RELEASE.fullmatch(value) and few_digits(value) else WITHHELD


class Param(ValueType):
    """The place of a value in a call, such as ``chunks[3].id``."""

    __slots__ = ()
    name = "param"

    def _read(self, value: object) -> Scalar | Withheld:
        if type(value) is not str or len(value) > 64 or not _PARAM.fullmatch(value):  # noqa: PLR2004 -- a path, no text
            return WITHHELD
        return value if _FIVE_WORDS.fullmatch(value) and few_words(value) else WITHHELD


class ModuleName(ValueType):
    """The name of a module that is loaded, from the name, the module or the path of its file."""

    __slots__ = ()
    name = "module"

    def _read(self, value: object) -> Scalar | Withheld:
        if descends(value, ModuleType):
            value = vars(ModuleType)["__dict__"].__get__(value).get("__name__")
        if type(value) is str and value in sys.modules and _can_be_told(value):
            return value
        return _loaded_from(value) if type(value) is str and value.endswith(".py") else WITHHELD


def _loaded_from(path: str) -> str | Withheld:
    for name, module in list(sys.modules.items()):
        file = vars(module).get("__file__") if type(module) is ModuleType else None
        if type(file) is str and file == path and _can_be_told(name):
            return name
    return WITHHELD


def _can_be_told(name: str) -> bool:
    return _MODULE.fullmatch(name) is not None and dotted_words(name)


class ClassName(ValueType):
    """A class that can be imported under its qualified name, or that name."""

    __slots__ = ()
    name = "class"

    def _read(self, value: object) -> Scalar | Withheld:
        return _named_class(value, object)


class Importable(ValueType):
    """The dotted name of a function, class or other object of a module that is loaded."""

    __slots__ = ()
    name = "importable"

    def _read(self, value: object) -> Scalar | Withheld:
        from discreet.contract.classes import find_object

        if type(value) is not str or not dotted_words(value) or not _DOTTED.fullmatch(value):
            return WITHHELD
        return WITHHELD if find_object(value) is None else value


class WarningCategory(ValueType):
    """A class of warnings that can be imported under its qualified name, or that name."""

    __slots__ = ()
    name = "warning_category"

    def _read(self, value: object) -> Scalar | Withheld:
        return _named_class(value, Warning)


def _named_class(value: object, base: type) -> str | Withheld:
    from discreet.contract.classes import find_class, mro
    from discreet.seal.classes import class_name

    if type(value) is str:
        found = find_class(value)
    elif descends(value, type):
        found = value  # type: ignore[assignment]  # just shown to be a class
    else:
        return WITHHELD
    if found is None or not any(entry is base for entry in mro(found)):
        return WITHHELD
    name = class_name(found)
    return WITHHELD if name is None or len(name) > MAX_TEXT else name


class SignalName(ValueType):
    """The name of a signal, from its number, its name or its member of `signal.Signals`."""

    __slots__ = ()
    name = "signal"

    def _read(self, value: object) -> Scalar | Withheld:
        if type(value) is str and value in signal.Signals.__members__:
            return value
        found = integer(value)
        return WITHHELD if found is None else signal.Signals(found).name
