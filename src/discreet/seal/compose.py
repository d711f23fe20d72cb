"""Messages put together by code: proven literals with slots between them, and the numbers that can be read back."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Final, Self

from discreet.seal.percent import slot_key

__all__ = ["Parts", "Slot", "fits", "read", "shown_slots", "slots", "surrounds"]

_NUMBER: Final = (
    r"[-+]?(?:[0-9](?:,[0-9]{3}){2}|[0-9]{1,3},[0-9]{3}|[0-9](?:_[0-9]{3}){2}|[0-9]{1,3}_[0-9]{3}|[0-9]{1,7})"
    r"(?:\.[0-9]{1,20})?(?:[eE][-+]?[0-9]{1,3})?"
)
"""Seven digits before the point at most: a longer number can be a birth date, an account or a whole text."""

_BARE: Final = re.compile(_NUMBER)
_PERCENT: Final = re.compile(_NUMBER + "%?")
_MIN_INNER: Final = 8
_DIGITS: Final = frozenset("0123456789")
_OF_NUMBERS: Final = frozenset("0123456789.,+-_eE%")


class Slot:
    """A place in a message that code filled when it ran.

    Attributes:
        expression: what stands there in the source, on one line and at most 60 characters; "" when it is not known.
        numeric: whether the code proves that only a number can stand there.

    .. versionadded:: 0.1.0
    """

    __slots__ = ("expression", "numeric")

    def __init__(self, expression: str, *, numeric: bool = False) -> None:
        self.expression = expression
        self.numeric = numeric

    def __eq__(self, other: object) -> bool:
        if type(other) is not Slot:
            return NotImplemented
        return self.expression == other.expression and self.numeric == other.numeric

    def __hash__(self) -> int:
        return hash((self.expression, self.numeric))

    def __repr__(self) -> str:
        return f"Slot({self.expression!r}, numeric={self.numeric})"


class Parts(tuple["str | Slot", ...]):  # noqa: SLOT001  # a tuple can't have non-empty slots
    """The parts of a composed message in order, and what follows from them.

    Attributes:
        literals: the texts before, between and after the slots, one more than there are slots; "" where there is none.
        slots: the slots.
        key: the message's template: ``{}`` for each slot, literal braces doubled.
        from_left: how many slots can be read from the message's beginning, as far as the literals alone decide.
        from_right: the same from its end.

    .. versionadded:: 0.1.0
    """

    from_left: int
    from_right: int
    key: str
    literals: tuple[str, ...]
    patterns: tuple[re.Pattern[str], ...]
    slots: tuple[Slot, ...]

    def __new__(cls, parts: Iterable[str | Slot]) -> Self:
        """Join adjacent literals and leave out empty ones."""
        literals = [""]
        found: list[Slot] = []
        for part in parts:
            if isinstance(part, str):
                literals[-1] += part
            else:
                found.append(part)
                literals.append("")
        merged: list[str | Slot] = []
        for index, literal in enumerate(literals):
            if literal:
                merged.append(literal)
            if index < len(found):
                merged.append(found[index])
        self = super().__new__(cls, merged)
        self.literals = tuple(literals)
        self.slots = tuple(found)
        self.key = slot_key(literals)
        self.patterns = tuple(_BARE if literal.startswith("%") else _PERCENT for literal in literals[1:])
        self.from_left = self._count(range(len(found)), self._ends_clearly)
        self.from_right = self._count(reversed(range(len(found))), self._starts_clearly)
        return self

    def _count(self, order: Iterable[int], clear: Callable[[int], bool]) -> int:
        count = 0
        for index in order:
            if not self.slots[index].numeric or not clear(index):
                break
            count += 1
        return count

    def _ends_clearly(self, index: int) -> bool:
        """Tell whether no number can go on into the literal that follows a slot."""
        literal = self.literals[index + 1]
        last = index == len(self.slots) - 1
        if not literal:
            return last
        head, second = literal[0], literal[1:2]
        if head in ".,_":
            # Inside of a number a digit follows these.
            return second not in _DIGITS if second else last
        if head in "eE":
            return second not in _DIGITS and second not in "+-" if second else last
        # A percent sign after the slot is the literal's: a slot with one of its own is not numeric then.
        return head == "%" or head not in _OF_NUMBERS

    def _starts_clearly(self, index: int) -> bool:
        literal = self.literals[index]
        return literal[-1] not in _OF_NUMBERS if literal else index == 0


def _as_parts(parts: Sequence[str | Slot]) -> Parts:
    return parts if type(parts) is Parts else Parts(parts)


def fits(parts: Sequence[str | Slot], message: str) -> bool:
    """Tell whether a message can have been made of these parts: all literals occur in order and nothing else is left.

    Args:
        parts: the parts of a composed message.
        message: the finished message.

    .. versionadded:: 0.1.0
    """
    literals = _as_parts(parts).literals
    head, tail = literals[0], literals[-1]
    if len(literals) == 1:
        return message == head
    end = len(message) - len(tail)
    position = len(head)
    if end < position or not message.startswith(head) or not message.endswith(tail):
        return False
    for index in range(1, len(literals) - 1):
        literal = literals[index]
        if literal:
            found = message.find(literal, position, end)
            if found < 0:
                return False
            position = found + len(literal)
    return True


def surrounds(parts: Sequence[str | Slot], message: str) -> tuple[bool, bool] | None:
    """Tell whether something was added to a text that was made of these parts: by an adapter, a filter or a wrapper.

    Args:
        parts: the parts of the inner text; one literal has to have 8 characters at least.
        message: the finished message.

    Returns:
        Whether there is something before and something after it; None if the message doesn't have this text.

    .. versionadded:: 0.1.0
    """
    literals = _as_parts(parts).literals
    if max(map(len, literals)) < _MIN_INNER:
        return None
    position = start = -1
    for literal in literals:
        if literal:
            found = message.find(literal, max(position, 0))
            if found < 0:
                return None
            start = found if start < 0 else start
            position = found + len(literal)
    return bool(literals[0]) and start > 0, bool(literals[-1]) and position < len(message)


def _numbers(parts: Parts, message: str) -> list[str | None] | None:
    """Return the text of each slot that is a number for certain, None for others; None if the message doesn't fit."""
    if not fits(parts, message):
        return None
    literals, slots, patterns = parts.literals, parts.slots, parts.patterns
    count = len(slots)
    found: list[str | None] = [None] * count
    position = len(literals[0])
    left = 0
    while left < parts.from_left:
        match = patterns[left].match(message, position)
        if match is None:
            break
        end = match.end()
        literal = literals[left + 1]
        if not message.startswith(literal, end) or (left == count - 1 and end + len(literal) != len(message)):
            break
        found[left] = match[0]
        position = end + len(literal)
        left += 1
    if left == count or not parts.from_right:
        return found
    end = len(message) - len(literals[count])
    for index in range(count - 1, max(left, count - parts.from_right) - 1, -1):
        literal = literals[index]
        if index == left:
            start = position
        else:
            start = message.rfind(literal, position, end)
            if start < 0:
                break
            start += len(literal)
        match = _PERCENT.fullmatch(message, start, end)
        if match is None:
            break
        found[index] = match[0]
        end = start - len(literal)
    return found


def read(parts: Sequence[str | Slot], message: str) -> tuple[str, int]:
    """Return the text of a composed message that may be shown, and how many of its slots were withheld.

    Literals stand as they are, and so do numbers in slots that the code proves to be numeric, as far as they can be
    told apart from what stands beside them: they are read from either end of the message, over literals and numbers,
    never past another slot. Any other slot is shown by its expression: ``Loaded {name} in 12.3 ms``.

    Args:
        parts: the parts that were proven for this message.
        message: the finished message.

    .. versionadded:: 0.1.0
    """
    parts = _as_parts(parts)
    found = _numbers(parts, message)
    literals = parts.literals
    out = [literals[0]]
    withheld = 0
    for index, slot in enumerate(parts.slots):
        number = found[index] if found is not None else None
        if number is None:
            withheld += 1
            out.append(f"{{{slot.expression}}}")
        else:
            out.append(number)
        out.append(literals[index + 1])
    return "".join(out), withheld


def shown_slots(parts: Sequence[str | Slot], message: str) -> list[tuple[str, int]]:
    """Return for each slot what :func:`read` shows in its place, and 1 if that is its expression, else 0.

    Args:
        parts: the parts that were proven for this message.
        message: the finished message.

    .. versionadded:: 0.1.0
    """
    parts = _as_parts(parts)
    found = _numbers(parts, message) or [None] * len(parts.slots)
    return [
        (number, 0) if number is not None else (f"{{{slot.expression}}}", 1)
        for number, slot in zip(found, parts.slots, strict=True)
    ]


def slots(parts: Sequence[str | Slot], message: str) -> list[str | None] | None:
    """Return the text in each slot, for values that a contract types; None for a slot whose borders are not certain.

    The borders are certain when the literals beside the slot can stand in one place only.

    Args:
        parts: the parts that were proven for this message.
        message: the finished message.

    Returns:
        None if the message can't have been made of these parts.

    .. versionadded:: 0.1.0
    """
    parts = _as_parts(parts)
    if not fits(parts, message):
        return None
    literals = parts.literals
    last = len(literals) - 1
    first_end = len(message) - len(literals[last])
    earliest = [0] * (last + 1)
    latest = [0] * (last + 1)
    earliest[last] = latest[last] = first_end
    position = len(literals[0])
    for index in range(1, last):
        position = earliest[index] = message.find(literals[index], position, first_end)
        position += len(literals[index])
    position = first_end
    for index in range(last - 1, 0, -1):
        position = latest[index] = message.rfind(literals[index], len(literals[0]), position)
    out: list[str | None] = []
    for index in range(last):
        certain = earliest[index] == latest[index] and earliest[index + 1] == latest[index + 1]
        start = earliest[index] + len(literals[index])
        out.append(message[start : earliest[index + 1]] if certain else None)
    return out
