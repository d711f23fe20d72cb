"""What every type has: a name, options, and one function that lets a value through or not."""

from __future__ import annotations

import enum
import re
from collections.abc import Callable, Mapping
from typing import ClassVar, Final

from discreet import scoped

__all__ = ["WITHHELD", "Scalar", "ValueType", "Withheld", "integer", "number"]

Scalar = str | int | float | bool | None
"""What a sealed record's attributes hold."""

MAX_TEXT: Final = 128
"""The longest text, in characters, that any type lets through."""

INT64: Final = 2**63
"""One more than the largest integer that stores of logs can hold."""

_INT: Final = re.compile(r"-?[0-9]{1,19}", re.ASCII)
_NUMBER: Final = re.compile(r"-?[0-9]{1,15}(?:\.[0-9]{1,17})?(?:[eE][-+]?[0-9]{1,3})?", re.ASCII)

# Runs of letters, each of up to 24: more would be room for a sentence, with or without its blanks.
# Possessive, so that a long run isn't read as several.
_RUN: Final = r"[^A-Za-z]*+[A-Za-z]{1,24}+(?![A-Za-z])"
_EIGHT_WORDS: Final = re.compile(rf"(?:{_RUN}){{0,8}}+[^A-Za-z]*+", re.ASCII | re.DOTALL)
_TEN_WORDS: Final = re.compile(rf"(?:{_RUN}){{0,10}}+[^A-Za-z]*+", re.ASCII | re.DOTALL)


# Eight digits can be a birth date, more of them a telephone number. Names of models and releases have dates of days.
_LONG: Final = re.compile(
    r"(?<![0-9])(?!20[12][0-9](?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])(?![0-9]))[0-9]{8}", re.ASCII
)


class Withheld(enum.Enum):
    """The type of `WITHHELD`, for annotations.

    .. versionadded:: 0.1.0
    """

    WITHHELD = "withheld"


WITHHELD: Final = Withheld.WITHHELD
"""What a type gives for a value that it doesn't let through.

.. versionadded:: 0.1.0
"""


class ValueType:
    """A closed type: lets a value through in one known form, or withholds it.

    Two types are equal if they have the same name and options.

    .. versionadded:: 0.1.0
    """

    __slots__ = ("options",)

    name: ClassVar[str]
    """The type's name in contract files."""

    range: ClassVar[tuple[type[int | float], float, float] | None] = None
    """Class and bounds of values that stand as they are, for whoever seals many; None where `safe` has to be asked."""

    looked_up: ClassVar[bool] = False
    """Whether values have so open a shape that they are withheld when they agree with a text of the running call."""

    wide: bool = False
    """Whether an option of the operator lets more through than the type itself would."""

    options: tuple[tuple[str, object], ...]
    """The options it was made with, sorted by name."""

    def __init__(self) -> None:
        self.options = ()

    @classmethod
    def make(cls, options: Mapping[str, object]) -> ValueType:
        """Make the type from a contract's table.

        Args:
            options: The table without its key `type`.

        Raises:
            ValueError: An option is unknown or wrong; the message is a sentence.
        """
        cls.refuse_options(options)
        return cls()

    @classmethod
    def refuse_options(cls, options: Mapping[str, object], *known: str) -> None:
        """Refuse options that the type doesn't have.

        Args:
            options: The table without its key `type`.
            known: Those that it has.

        Raises:
            ValueError: There is another; the message is a sentence.
        """
        unknown = next((name for name in options if name not in known), None)
        if unknown is not None:
            has = f"; it has {', '.join(known)}" if known else ""
            raise ValueError(f"the type {cls.name} has no option {unknown!a}{has}")

    def safe(self, value: object) -> Scalar | Withheld:
        """Return the value in its safe form, or `WITHHELD`.

        Never raises, and never runs code of the value's class: only values of exactly the
        built-in types, and of a few known classes, are looked into. None stays None.

        Args:
            value: Any object.
        """
        if value is None:
            return None
        try:
            found = self._read(value)
            if scoped.LOOK and self.looked_up and found is not WITHHELD and scoped.place_of(str(found)) is not None:
                return WITHHELD
            return found
        except Exception:
            # Fails closed: whoever asked counts the value as withheld.
            return WITHHELD

    def refusal(self, value: object) -> str:
        """Return why :meth:`safe` gives nothing of a value: ``matched`` or ``wrong_type``, as the ledger has them.

        Args:
            value: one that was refused.
        """
        try:
            found = WITHHELD if not (scoped.LOOK and self.looked_up) else self._read(value)
        except Exception:
            # As for safe(), to which this value was no value of the type.
            found = WITHHELD
        return "wrong_type" if found is WITHHELD else "matched"

    def _read(self, value: object) -> Scalar | Withheld:
        raise NotImplementedError

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ValueType):
            return NotImplemented
        return self.name == other.name and self.options == other.options

    def __hash__(self) -> int:
        return hash((self.name, self.options))

    def __repr__(self) -> str:
        return f"<type {self}>"

    def __str__(self) -> str:
        shown = ", ".join(f"{name}={'|'.join(v) if isinstance(v, tuple) else v}" for name, v in self.options)
        return f"{self.name}({shown})" if shown else self.name


_mro: Final[Callable[[type], tuple[type, ...]]] = vars(type)["__mro__"].__get__


def descends(value: object, base: type) -> bool:
    """Tell whether a value's class is `base` or below it, whatever the class says of itself."""
    return any(entry is base for entry in _mro(type(value)))


def integer(value: object) -> int | None:
    """Return the integer that a value is, or that a text of digits says; None for any other.

    The value of a subclass (an `http.HTTPStatus`) is read with `int`'s own code.

    Args:
        value: Any object.
    """
    if type(value) is int:
        found = value
    elif type(value) is str:
        found = int(value) if _INT.fullmatch(value) else INT64
    elif type(value) is bool or not descends(value, int):
        return None
    else:
        found = int.__index__(value)  # type: ignore[arg-type]  # just shown to descend from int
    return found if -INT64 <= found < INT64 else None


def number(value: object) -> int | float | None:
    """Return the number that a value is, or that a text says; None for any other.

    Args:
        value: Any object.
    """
    if type(value) is float:
        return value
    if type(value) is str and _NUMBER.fullmatch(value):
        return float(value) if set(value) & set(".eE") else integer(value)
    if descends(value, float):
        # numpy.float64 is a subclass of float.
        return float.__float__(value)  # type: ignore[arg-type]  # just shown to descend from float
    return integer(value)


def regular_expression(text: str) -> re.Pattern[str]:
    """Return a compiled regular expression.

    Args:
        text: The expression, as a contract has it.

    Raises:
        ValueError: It doesn't compile; the message is a sentence without its full stop.
    """
    try:
        return re.compile(text)
    except (re.error, RecursionError, OverflowError, Warning) as error:
        # Warning: a process may have turned those about odd expressions into errors.
        raise ValueError(f"this is no regular expression: {error}") from error


def words(text: str) -> frozenset[str]:
    """Return the words of a list that is written as one text."""
    return frozenset(text.split())


def few_words(text: str) -> bool:
    """Tell whether a text of an open shape is too small for a sentence: at most eight words, and no long number.

    Args:
        text: An ASCII text.
    """
    return len(text) <= MAX_TEXT and _EIGHT_WORDS.fullmatch(text) is not None and few_digits(text)


def dotted_words(text: str) -> bool:
    """Tell the same of a name with dots, which has more parts: at most ten words.

    Args:
        text: An ASCII text.
    """
    return len(text) <= MAX_TEXT and _TEN_WORDS.fullmatch(text) is not None and few_digits(text)


def few_digits(text: str) -> bool:
    """Tell whether a text has no run of more than seven digits, but for dates of days from 2010 to 2029.

    Args:
        text: An ASCII text.
    """
    return _LONG.search(text) is None
