"""Templates of the ``%`` operator, taken apart as CPython itself does it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

__all__ = ["NUMERIC", "Directive", "Template", "parse", "parse_uncached", "slot_key"]

NUMERIC: Final = frozenset("diueEfFgG")
"""Conversions that only a number survives and that print it with decimal digits.

Not ``c``, which makes a character of a number, and not ``x`` and ``o``, whose digits are letters too or of another
base.
https://docs.python.org/3/library/stdtypes.html#printf-style-string-formatting

.. versionadded:: 0.1.0
"""

_CONVERSIONS: Final = frozenset("diouxXeEfFgGcrsa")
_FLAGS: Final = frozenset("#0- +")
_MAX_WIDTH: Final = 120
"""A width that a value gives (``%*d``) could fill the memory."""

_CACHED: Final = 2048


class Directive:
    """One conversion of a template.

    Attributes:
        key: the mapping key of ``%(key)s``; None when the value is positional.
        flags: ``#0- +`` as written.
        width: minimum width in characters; ``"*"`` when a value gives it; None when there is none.
        precision: the same for the precision.
        conversion: the conversion's letter.

    .. versionadded:: 0.1.0
    """

    __slots__ = ("conversion", "flags", "key", "precision", "width")

    def __init__(
        self, key: str | None, flags: str, width: int | str | None, precision: int | str | None, conversion: str
    ) -> None:
        self.key = key
        self.flags = flags
        self.width = width
        self.precision = precision
        self.conversion = conversion

    @property
    def numeric(self) -> bool:
        """Whether only a number can stand here, and is printed with decimal digits."""
        return self.conversion in NUMERIC

    def render(self, value: object, width: object = None, precision: object = None) -> str:
        """Return a value as this directive shows it; never raises for a number, a text or None.

        A text stands as it is, only padded: placeholders and declared values are neither cut nor quoted. So does it
        where a number belongs. A number under ``%c`` would be a character, so it is not shown.

        Args:
            value: an int, float, bool, str or None that may be shown.
            width: what a ``*`` in place of the width stands for.
            precision: the same for the precision.
        """
        width = width if self.width == "*" else self.width
        precision = precision if self.precision == "*" else self.precision
        flags = self.flags
        if type(width) is not int:
            width = 0
        elif width < 0:
            flags, width = flags + "-", -width
        width = min(width, _MAX_WIDTH)
        kind = type(value)
        if kind is str or self.conversion not in NUMERIC or value is None:
            if self.conversion == "c" and kind is not str:
                text = "<char>"
            elif self.conversion in "xXo" and kind is int:
                text = f"%{flags}{self.conversion}" % value
            else:
                text = str(value)
            return text.ljust(width) if "-" in flags else text.rjust(width)
        point = f".{min(precision, _MAX_WIDTH)}" if type(precision) is int and precision >= 0 else ""
        try:
            return f"%{flags}{width or ''}{point}{self.conversion}" % value
        except (TypeError, ValueError, OverflowError):
            # "%d" of an infinity or of NaN.
            return str(value)


class Template:
    """A ``%``-template: the texts between its directives, and what each directive takes.

    Attributes:
        text: the template itself.
        literals: the texts before, between and after the directives, one more than there are directives.
        directives: the conversions in order.
        keyed: whether any directive takes its value from a mapping.
        consumers: for each positional value, in order, the index of its directive and the directive; both None for a
            value that a ``*`` takes.
        key: the template with ``{}`` for each directive and literal braces doubled.
        valid: whether the ``%`` operator takes this template at all. An invalid one is a literal without directives.

    .. versionadded:: 0.1.0
    """

    __slots__ = ("consumers", "directives", "key", "keyed", "literals", "text", "valid")

    def __init__(self, text: str) -> None:
        self.text = text
        found = _scan(text)
        self.valid = found is not None
        self.literals, self.directives = found if found is not None else ((text,), ())
        self.keyed = any(directive.key is not None for directive in self.directives)
        consumers: list[tuple[int | None, Directive | None]] = []
        for index, directive in enumerate(self.directives):
            if directive.key is None:
                stars = (directive.width == "*") + (directive.precision == "*")
                consumers += [(None, None)] * stars
                consumers.append((index, directive))
        self.consumers = tuple(consumers)
        self.key = slot_key(self.literals)

    @property
    def arity(self) -> int:
        """How many values a tuple for this template must have."""
        return len(self.consumers)

    def render(self, values: Sequence[object]) -> str:
        """Return the template filled with values that may be shown; never raises for too few, too many or odd ones.

        Args:
            values: ints, floats, bools, strs or None: for a keyed template one for each directive, else one for each
                value that a tuple would have. Where one is missing, ``<missing>`` stands; values too many are left out.
        """
        out = [self.literals[0]]
        position = 0
        for index, directive in enumerate(self.directives):
            if self.keyed:
                stars: tuple[object, ...] = ()
                position = index
            else:
                count = (directive.width == "*") + (directive.precision == "*")
                stars = tuple(values[position : position + count])
                position += count
            value = values[position] if position < len(values) else "<missing>"
            position += 1
            width = stars[0] if stars and directive.width == "*" else None
            precision = stars[-1] if stars and directive.precision == "*" else None
            out.append(directive.render(value, width, precision))
            out.append(self.literals[index + 1])
        return "".join(out)


def slot_key(literals: Sequence[str]) -> str:
    """Return the key of a template: its texts with ``{}`` between them and literal braces doubled.

    Args:
        literals: the texts before, between and after the slots.

    .. versionadded:: 0.1.0
    """
    return "{}".join(text.replace("{", "{{").replace("}", "}}") for text in literals)


def parse_uncached(text: str) -> Template:
    """Take a template apart without remembering it: for texts that a customer may have written. Never raises.

    .. versionadded:: 0.1.0
    """
    return Template(text)


@lru_cache(_CACHED)
def parse(text: str) -> Template:
    """Take a proven literal apart and remember the result; see :func:`parse_uncached` for other texts. Never raises.

    .. versionadded:: 0.1.0
    """
    return Template(text)


def _scan(text: str) -> tuple[tuple[str, ...], tuple[Directive, ...]] | None:
    """Split a template as ``unicode_format`` in CPython's Objects/unicodeobject.c does; None if it would be refused."""
    literals: list[str] = []
    directives: list[Directive] = []
    literal = ""
    position = 0
    while True:
        mark = text.find("%", position)
        if mark < 0:
            literals.append(literal + text[position:])
            return tuple(literals), tuple(directives)
        literal += text[position:mark]
        if text.startswith("%", mark + 1):
            literal += "%"
            position = mark + 2
            continue
        found = _directive(text, mark + 1)
        if found is None:
            return None
        directive, position = found
        literals.append(literal)
        directives.append(directive)
        literal = ""


def _directive(text: str, position: int) -> tuple[Directive, int] | None:
    end = len(text)
    key: str | None = None
    if text.startswith("(", position):
        start = position = position + 1
        depth = 1
        while depth:
            if position >= end:
                return None
            depth += (text[position] == "(") - (text[position] == ")")
            position += 1
        key = text[start : position - 1]
    start = position
    while position < end and text[position] in _FLAGS:
        position += 1
    flags = text[start:position]
    width, position = _size(text, position)
    precision: int | str | None = None
    if text.startswith(".", position):
        precision, position = _size(text, position + 1)
        precision = 0 if precision is None else precision
    if position < end and text[position] in "hlL":
        position += 1
    if position >= end or text[position] not in _CONVERSIONS:
        return None
    return Directive(key, flags, width, precision, text[position]), position + 1


def _size(text: str, position: int) -> tuple[int | str | None, int]:
    if text.startswith("*", position):
        return "*", position + 1
    start = position
    while position < len(text) and text[position] in "0123456789":
        position += 1
    if start == position:
        return None, position
    # Python refuses widths beyond the size of its strings; ours are capped long before.
    return int(text[start:position][:9]), position
