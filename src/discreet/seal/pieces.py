"""Values of a running call, and texts put together from constants and slots.

A slot in which only a number can stand is told from one that can hold a text: by the format specification, by the
operator, by the built-in function that made it.
"""

from __future__ import annotations

import builtins
import re
import string
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import CodeType
from typing import Final

from discreet.seal import percent
from discreet.seal.compose import Parts, Slot

NUMBER_BUILTINS: Final[Mapping[str, object]] = {
    name: vars(builtins)[name] for name in ("len", "round", "int", "float", "str")
}
"""Built-in functions of which a log call's code may say that they give a number; ``str`` of a number reads like it."""

_CO_OPTIMIZED: Final = 1
"""As ``inspect.CO_OPTIMIZED``, without its imports: local variables have fixed places, as in a function."""

MAX_PIECES: Final = 200
"""A text of more pieces than this is not looked at."""

_ADD: Final = 0
_FLOOR_DIVIDE: Final = 2
_MULTIPLY: Final = 5
_POWER: Final = 8
_SUBTRACT: Final = 10
_TRUE_DIVIDE: Final = 11
NO_NAMES: Final[frozenset[str]] = frozenset()


@dataclass(frozen=True, slots=True)
class Value:
    """A value on the stack."""


@dataclass(frozen=True, slots=True)
class Unknown(Value):
    """A value of which nothing is known."""


UNKNOWN: Final = Unknown()


@dataclass(frozen=True, slots=True)
class Constant(Value):
    """A constant of the code object: the very object, not one that is equal to it."""

    value: object


@dataclass(frozen=True, slots=True)
class Variable(Value):
    """A variable's value.

    Attributes:
        kind: ``local`` (also of an enclosing function), ``global``, or ``attribute``.
        name: the variable's name, or the attribute's.
        owner: what the attribute is read from.
    """

    kind: str
    name: str
    owner: Value | None = None

    @property
    def dotted(self) -> str:
        """The variable as the source names it, "" if its owner has no name."""
        if self.owner is None:
            return self.name
        head = self.owner.dotted if isinstance(self.owner, Variable) else ""
        return f"{head}.{self.name}" if head else ""


@dataclass(frozen=True, slots=True)
class Number(Value):
    """A number, provided that the built-in functions named here are not shadowed."""

    uses: frozenset[str] = NO_NAMES


@dataclass(frozen=True, slots=True)
class Hole:
    """A slot of a composed text.

    Attributes:
        name: the variable in it, "" when it is another expression.
        uses: the built-in functions on which it depends that only a number can stand here; None when a text can.
        percent: whether its number ends in a percent sign.
    """

    name: str
    uses: frozenset[str] | None = None
    percent: bool = False


@dataclass(frozen=True, slots=True)
class Composed(Value):
    """A text that was put together: literal pieces, which are constants of the code or parts of one, and slots."""

    pieces: tuple[str | Hole, ...]


@dataclass(frozen=True, slots=True)
class Choice(Value):
    """One of several values, depending on a branch."""

    options: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Call:
    """The arguments of a call.

    Attributes:
        positional: the arguments by position, as far as they stand before a starred one.
        keywords: the arguments by name.
    """

    positional: tuple[Value, ...]
    keywords: Mapping[str, Value] = field(default_factory=dict)


def built_in(name: str, call: Call, code: CodeType) -> Value:
    """Return what a call of a built-in function gives, provided that its name is not shadowed."""
    if name not in NUMBER_BUILTINS or not call.positional:
        return UNKNOWN
    if not code.co_flags & _CO_OPTIMIZED and code.co_name != "<module>":
        # In the body of a class the name may stand for something of the class.
        return UNKNOWN
    if name != "str":
        return Number(frozenset({name}))
    inner = number_needs(call.positional[0]) if len(call.positional) == 1 else None
    return UNKNOWN if inner is None else Number(inner | {name})


def number_needs(value: Value) -> frozenset[str] | None:
    """Return the built-in functions that a value needs to be a number, None if it can be something else."""
    if isinstance(value, Constant):
        return NO_NAMES if type(value.value) in (int, float) else None
    if isinstance(value, Number):
        return value.uses
    if isinstance(value, Choice):
        uses: frozenset[str] = NO_NAMES
        for option in value.options:
            needed = number_needs(option)
            if needed is None:
                return None
            uses |= needed
        return uses
    return None


def operation(arg: int, left: Value, right: Value) -> Value:
    """Return what an operator other than ``%`` gives; ``arg`` is the number by which CPython knows it."""
    first, second = number_needs(left), number_needs(right)
    if arg == _ADD:
        pieces = _pieces(left) + _pieces(right)
        if any(isinstance(piece, str) for piece in pieces):
            return Composed(pieces)
    if arg in (_SUBTRACT, _FLOOR_DIVIDE, _POWER):
        # No text takes part in these.
        return Number((first or NO_NAMES) | (second or NO_NAMES))
    if arg in (_ADD, _TRUE_DIVIDE) and (first is not None or second is not None):
        # A path can be divided by a text, but not by a number.
        return Number((first or NO_NAMES) | (second or NO_NAMES))
    if arg == _MULTIPLY and first is not None and second is not None:
        return Number(first | second)
    return UNKNOWN


def _pieces(value: Value) -> tuple[str | Hole, ...]:
    if isinstance(value, Composed):
        return value.pieces
    if isinstance(value, Constant) and type(value.value) is str:
        return (value.value,)
    return (hole(value, "", converted=False),)


def joined(values: Sequence[Value]) -> Value:
    """Return the text that an f-string makes of its pieces."""
    pieces: list[str | Hole] = []
    for value in values:
        pieces += _pieces(value)
    return Composed(tuple(pieces)) if len(pieces) <= MAX_PIECES else UNKNOWN


_SPEC: Final = re.compile(
    r"(?:.?[<>=^])?[-+ ]?z?#?0?[0-9]*(?P<group>[,_]?)(?:\.[0-9]+)?(?P<type>[a-zA-Z%]?)", re.DOTALL
)
"""https://docs.python.org/3/library/string.html#format-specification-mini-language"""


def hole(value: Value, spec: object, *, converted: bool) -> Hole:
    """Return the slot that a value makes when it is formatted.

    Args:
        value: the value.
        spec: the format specification if it is a constant, else None.
        converted: whether ``!r``, ``!s`` or ``!a`` makes a text of it first.
    """
    name = value.dotted if isinstance(value, Variable) else ""
    match = _SPEC.fullmatch(spec) if type(spec) is str else None
    if match is None:
        return Hole(name)
    if converted:
        # A number's str() and repr() are the number; with a specification it is one for texts.
        return Hole(name, None if spec else number_needs(value))
    kind = match["type"]
    if kind in "deEfFgGn%" if kind else match["group"]:
        # A text refuses these: ValueError.
        return Hole(name, NO_NAMES, percent=kind == "%")
    return Hole(name, number_needs(value)) if not kind else Hole(name)


def percent_value(text: str, values: tuple[Value, ...] | None, single: Value | None) -> Value:
    """Return the text that ``%`` makes of a template and a tuple's items, or another single value."""
    template = percent.parse(text)
    if not template.valid or not template.directives:
        return UNKNOWN
    if values is not None and (template.keyed or len(values) != template.arity):
        return UNKNOWN
    places = [position for position, (slot, _) in enumerate(template.consumers) if slot is not None]
    pieces: list[str | Hole] = [template.literals[0]]
    for index, directive in enumerate(template.directives):
        value: Value = UNKNOWN
        if values is not None:
            value = values[places[index]]
        elif single is not None and template.arity == 1:
            value = single
        name = directive.key or (value.dotted if isinstance(value, Variable) else "")
        if directive.numeric:
            uses: frozenset[str] | None = NO_NAMES
        else:
            uses = number_needs(value) if directive.conversion in "sr" and values is not None else None
        pieces += (Hole(name, uses), template.literals[index + 1])
    return Composed(tuple(pieces))


def format_value(text: str, call: Call) -> Value:
    """Return the text that ``str.format`` makes of a template."""
    pieces: list[str | Hole] = []
    automatic = 0
    try:
        for literal, name, spec, conversion in string.Formatter().parse(text):
            pieces.append(literal)
            if name is None:
                continue
            head = re.split(r"[.\[]", name, maxsplit=1)[0]
            if not head:
                head = str(automatic)
                automatic += 1
            nested = "{" in (spec or "")
            automatic += sum(1 for _, inner, _, _ in string.Formatter().parse(spec or "") if inner == "")
            value = _argument(call, head) if not re.search(r"[.\[]", name) else UNKNOWN
            slot = hole(value, None if nested else spec, converted=conversion is not None)
            pieces.append(Hole(slot.name or ("" if name.isdigit() else name), slot.uses, slot.percent))
    except ValueError:
        # Not a template at all: the call itself will have raised.
        return UNKNOWN
    return Composed(tuple(pieces)) if len(pieces) <= MAX_PIECES else UNKNOWN


def _argument(call: Call, name: str) -> Value:
    if name.isdigit():
        position = int(name)
        return call.positional[position] if position < len(call.positional) else UNKNOWN
    return call.keywords.get(name, UNKNOWN)


def parts_of(pieces: Iterable[str | Hole], shadowed: Iterable[str] = ()) -> Parts:
    """Return the parts of a composed message.

    Args:
        pieces: the pieces of a composed value.
        shadowed: names of built-in functions that mean something else where the code runs.
    """
    merged: list[str | Hole] = []
    for piece in pieces:
        if isinstance(piece, str) and merged and isinstance(merged[-1], str):
            merged[-1] += piece
        elif piece != "":
            merged.append(piece)
    out: list[str | Slot] = []
    for piece, following in zip(merged, [*merged[1:], ""], strict=True):
        if isinstance(piece, str):
            out.append(piece)
            continue
        # A number's own percent sign can't be told from the literal's that follows it.
        clear = not (piece.percent and isinstance(following, str) and following.startswith("%"))
        numeric = piece.uses is not None and piece.uses.isdisjoint(shadowed) and clear
        out.append(Slot(piece.name, numeric=numeric))
    return Parts(out)
