"""Messages put together by code: proven literals with slots between them, and the numbers that can be read back."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Final, Self

from discreet.seal.percent import slot_key

__all__ = ["Parts", "Slot", "fill", "fits", "read", "shown_slots", "slots", "surrounds"]

_NUMBER: Final = (
    r"[-+]?(?:[0-9]{1,7}+(?![0-9,_])|[0-9](?:,[0-9]{3}){2}|[0-9]{1,3},[0-9]{3}|[0-9](?:_[0-9]{3}){2}|[0-9]{1,3}_[0-9]{3}"
    r"|[0-9]{1,7})(?:\.[0-9]{1,9}+)?+(?:[eE][-+]?[0-9]{1,3}+)?+"
)
"""Seven digits before the point at most, and nine after it: a longer number can be an account or a whole text."""

_BARE: Final = re.compile(_NUMBER)
_PERCENT: Final = re.compile(_NUMBER + "%?")
_WHOLE: Final = _PERCENT.fullmatch
_USES_BEFORE_PATTERN: Final = 8
"""A pattern costs a few hundred microseconds to compile and saves one in each use."""

MAX_FOR_PATTERN: Final = 4096
"""In longer messages plain searches are quicker."""

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
        shown: literals and expressions in turn; what is shown when no number can be read.
        hidden: the same as one text.
        middle: the literals that stand between slots.
        least: characters of all literals.
        matchers: for each slot, what finds a number at a position.
        quick: matches messages in which every number can be read; None before the parts have been used a few times.
        filled: what is shown then, with ``%s`` for each number.
        uses: how often the parts were used without it.
        from_left: how many slots can be read from the message's beginning, as far as the literals alone decide.
        from_right: the same from its end.

    .. versionadded:: 0.1.0
    """

    filled: str
    from_left: int
    from_right: int
    hidden: str
    key: str
    least: int
    literals: tuple[str, ...]
    matchers: tuple[Callable[[str, int], re.Match[str] | None], ...]
    middle: tuple[str, ...]
    quick: Callable[[str], re.Match[str] | None] | None
    shown: tuple[str, ...]
    slots: tuple[Slot, ...]
    uses: int

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
        shown: list[str] = []
        for index, literal in enumerate(literals):
            shown.append(literal)
            if literal:
                merged.append(literal)
            if index < len(found):
                merged.append(found[index])
                shown.append(f"{{{found[index].expression}}}")
        self = super().__new__(cls, merged)
        self.literals = tuple(literals)
        self.middle = tuple(literal for literal in literals[1:-1] if literal)
        self.least = sum(map(len, literals))
        self.slots = tuple(found)
        self.shown = tuple(shown)
        self.hidden = "".join(shown)
        self.key = slot_key(literals)
        self.matchers = tuple((_BARE if literal.startswith("%") else _PERCENT).match for literal in literals[1:])
        self.quick = None
        self.filled = ""
        self.uses = 0
        self.from_left = self._count(range(len(found)), self._ends_clearly)
        self.from_right = self._count(reversed(range(len(found))), self._starts_clearly)
        return self

    def prepare(self) -> None:
        """Make one pattern of the literals and of the numbers that can be read.

        A number that isn't followed and preceded by its literals at their places fails the pattern; then, and for a
        number that can't be read, :func:`fits` and :func:`read` go step by step.
        """
        literals = [re.escape(literal) for literal in self.literals]
        count = len(self.slots)
        first = self.from_left
        last = max(first, count - self.from_right)
        pattern = literals[0]
        filled = list(self.shown)
        for index in range(count):
            following = literals[index + 1]
            if index < first or index >= last:
                bare = index < first and self.literals[index + 1].startswith("%")
                pattern += f"({_NUMBER}{'' if bare else '%?'}){following}"
                filled[2 * index + 1] = "%s"
            elif index < last - 1:
                # The first place of a literal is as good as any other: no need to come back to it.
                pattern += f"(?>.*?{following})"
            else:
                # The last place of a literal, after which a number or nothing must follow, is found from the end.
                pattern += f".*{following}"
        self.filled = "".join(
            text if text == "%s" and place % 2 else text.replace("%", "%%") for place, text in enumerate(filled)
        )
        self.quick = re.compile(pattern + r"\Z", re.DOTALL).match

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


def fits(parts: Sequence[str | Slot], message: str) -> bool:
    """Tell whether a message can have been made of these parts: all literals occur in order and nothing else is left.

    Args:
        parts: the parts of a composed message.
        message: the finished message.

    .. versionadded:: 0.1.0
    """
    if type(parts) is not Parts:
        parts = Parts(parts)
    quick = parts.quick
    if quick is not None:
        if len(message) <= MAX_FOR_PATTERN and quick(message) is not None:
            return True
    elif parts.uses < _USES_BEFORE_PATTERN:
        parts.uses += 1
    else:
        parts.prepare()
    literals = parts.literals
    tail = literals[-1]
    if len(message) < parts.least or not message.startswith(literals[0]) or not message.endswith(tail):
        return False
    if len(literals) == 1:
        return len(message) == len(tail)
    if parts.middle:
        position = len(literals[0])
        end = len(message) - len(tail)
        for literal in parts.middle:
            position = message.find(literal, position, end)
            if position < 0:
                return False
            position += len(literal)
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
    literals = (parts if type(parts) is Parts else Parts(parts)).literals
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


def _numbers(parts: Parts, message: str, out: list[str]) -> int:
    """Put the numbers that can be read into their places among literals and expressions; return how many there are."""
    literals = parts.literals
    count = len(parts.slots)
    end = len(message) - len(literals[count])
    position = len(literals[0])
    if len(message) < parts.least or not message.startswith(literals[0]) or not message.endswith(literals[count]):
        return 0
    left = 0
    while left < parts.from_left:
        match = parts.matchers[left](message, position)
        if match is None:
            break
        literal = literals[left + 1]
        stop = match.end()
        if not message.startswith(literal, stop) or (left == count - 1 and stop != end):
            break
        out[2 * left + 1] = match[0]
        position = stop + len(literal)
        left += 1
    if left == count:
        return left
    right = count
    last = max(left, count - parts.from_right)
    while right > last:
        literal = literals[right - 1]
        if right - 1 == left:
            start = position
        else:
            start = message.rfind(literal, position, end)
            if start < 0:
                break
            start += len(literal)
        match = _WHOLE(message, start, end)
        if match is None:
            break
        right -= 1
        out[2 * right + 1] = match[0]
        end = start - len(literal)
    return left + count - right


def fill(parts: Parts, match: re.Match[str]) -> tuple[str, int]:
    """Return the same as :func:`read` for a message that ``parts.quick`` has matched.

    Args:
        parts: the parts that were proven for this message.
        match: what ``parts.quick`` found.

    .. versionadded:: 0.1.0
    """
    numbers = match.groups()
    return parts.filled % numbers, len(parts.slots) - len(numbers)


def read(parts: Sequence[str | Slot], message: str) -> tuple[str, int]:
    """Return the text of a composed message that may be shown, and how many of its slots were withheld.

    Literals stand as they are, and so do numbers in slots that the code proves to be numeric, as far as they can be
    told apart from what stands beside them: they are read from either end of the message, over literals and numbers,
    never past another slot. Any other slot is shown by its expression: ``Loaded {name} in 12.3 ms``.

    Args:
        parts: the parts that were proven for this message.
        message: the message for which they were proven.

    .. versionadded:: 0.1.0
    """
    if type(parts) is not Parts:
        parts = Parts(parts)
    if not parts.from_left and not parts.from_right:
        return parts.hidden, len(parts.slots)
    quick = parts.quick
    if quick is not None and len(message) <= MAX_FOR_PATTERN:
        match = quick(message)
        if match is not None:
            return fill(parts, match)
    out = list(parts.shown)
    found = _numbers(parts, message, out)
    return "".join(out), len(parts.slots) - found


def shown_slots(parts: Sequence[str | Slot], message: str) -> list[tuple[str, int]]:
    """Return for each slot what :func:`read` shows in its place, and 1 if that is its expression, else 0.

    Args:
        parts: the parts that were proven for this message.
        message: the message for which they were proven.

    .. versionadded:: 0.1.0
    """
    if type(parts) is not Parts:
        parts = Parts(parts)
    out = list(parts.shown)
    _numbers(parts, message, out)
    return [(out[place], int(out[place] is parts.shown[place])) for place in range(1, len(out), 2)]


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
    if type(parts) is not Parts:
        parts = Parts(parts)
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
