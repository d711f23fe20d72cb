"""The message of a record in match mode: strings are let through unless the matcher finds a text of the call in them.

Whatever isn't looked at, or can't be, stays withheld as it would be otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

from discreet.contract import Registry
from discreet.contract.model import RecordRow
from discreet.declared import Public
from discreet.export.counts import SiteCounts
from discreet.scoped import look
from discreet.seal import compose, percent
from discreet.seal.message import (
    MAX_MESSAGE,
    Message,
    args_of,
    fixed,
    is_dict,
    no_values,
    render,
    seal_message,
    template_message,
)
from discreet.seal.sites import Site
from discreet.seal.values import MAX_INT, NOTES, Placeholder, band, note, notes, of_text, shown

if TYPE_CHECKING:
    from discreet.look import Look

__all__ = ["MAX_THROUGH", "match_at_once", "match_message", "match_simple"]

MAX_THROUGH: Final = 1023
"""Characters of a string that is let through; the same as of one that is declared public."""


class _Strings:
    """Looks at the strings of one record.

    Args:
        into: the texts of the running call.
        find: how a single string is looked up; not at all when None.

    Attributes:
        through: the strings that are let through.
        seen: these and those that are declared public, in their order.
        matched: how many were found.
    """

    __slots__ = ("find", "into", "matched", "seen", "through")

    def __init__(self, into: Look, find: Callable[[str], str | None] | None) -> None:
        self.into = into
        self.find = find
        self.through: list[str] = []
        self.seen: list[str] = []
        self.matched = 0

    def shown(self, value: str, stand_in: Any) -> Any:
        """Return the string if it is let through, else what stands for it."""
        if len(value) > MAX_THROUGH or not value.isprintable():
            return stand_in
        place = self.find(value) if self.find is not None else None
        if place is not None:
            self.matched += 1
            return Placeholder(f"<{place} {band(len(value))}>")
        self.through.append(value)
        self.seen.append(value)
        return value

    def agree(self, text: str) -> bool:
        """Tell whether the matcher finds a text when it sees the strings together, or one alone that was cut."""
        find = self.into.find
        seen = self.seen
        if find(text) is not None or (len(seen) > 1 and find("".join(seen)) is not None):
            return True
        cut = [value for value in seen if value not in text]
        return bool(cut) and (
            any(find(value) is not None for value in cut)
            or (len(seen) > 1 and find("".join([_kept(value, text) for value in seen])) is not None)
        )


def _kept(value: str, text: str) -> str:
    """Return what a text has of a value that it may have cut: the longest beginning."""
    size, most = 0, len(value)
    while size < most:
        middle = (size + most + 1) // 2
        if value[:middle] in text:
            size = middle
        else:
            most = middle - 1
    return value[:size]


_Make = Callable[[_Strings], Message]


def _matched(
    into: Look, make: _Make, deny: Callable[[], Message], counts: SiteCounts | None, *, plain: bool = True
) -> Message:
    """Return the message with its strings, unless the matcher finds a text when it sees them together.

    Mostly it finds nothing, and then it is enough to look once at the finished message, if that is plain. If it isn't,
    the matcher looks at it for what a string can share with a text, and at a string alone only for what is seen of it
    alone; if it finds something, at each string for all.

    Args:
        into: the texts of the running call.
        make: makes the message with the strings that are let through.
        deny: makes the message as it is otherwise.
        counts: of the call site; noted when None.
        plain: whether the finished message may be plain.
    """
    matched = 0
    for find in (None, into.find_part, into.find) if plain else (into.find_part, into.find):
        strings = _Strings(into, find)
        found = make(strings)
        through = len(strings.through)
        if not through or (into.lacks(found[0], strings.seen) if find is None else not strings.agree(found[0])):
            if not into.valid:
                break
            if counts is not None:
                counts.let_through += through
            else:
                for _ in range(through):
                    note("no_match", "let_through")
            for _ in range(strings.matched):
                note("matched", "message" if found[5] else "argument")
            return found
        matched = strings.matched + through
    found = deny()
    # Where the call ended meanwhile, in another thread, its texts were forgotten, and what was found says nothing.
    for _ in range(matched if into.valid else 0):
        note("matched", "message" if found[5] else "argument")
    return found


def match_at_once(
    msg: Any, args: Any, site: Site, counts: SiteCounts
) -> tuple[str, str, tuple[Any, ...], int, BaseException | None] | None:
    """Make the message that :func:`match_simple` would, if it is plain and the matcher finds nothing.

    Args:
        msg: the template, if it is what is proven.
        args: its values.
        site: what is proven.
        counts: of the call site.

    Returns:
        Text, template, arguments, how many values were withheld, and the first exception among them; None if it isn't
        so, or something is rare.

    .. versionadded:: 0.1.0
    """
    into = look()
    literal: Any = site.literal
    if into is None or literal is not msg or type(args) is not tuple:
        return None
    through: list[str] = []
    values = args
    for value in args:
        kind = type(value)
        if kind is str:
            if len(value) > MAX_THROUGH:
                return None
            through.append(value)
        elif kind is Public:
            return None
        elif kind is not int or not -MAX_INT <= value <= MAX_INT:
            values = ()
    withheld = 0
    exception = None
    if values is not args:
        values = tuple([value if type(value) is str else shown(value) for value in args])
        withheld = sum([type(value) is Placeholder for value in values])
        exception = next((value for value in args if issubclass(type(value), BaseException)), None)
    try:
        text = msg % values
    except (TypeError, ValueError, OverflowError):
        # A stand-in or a string stands where a number belongs, or there are too many values or too few.
        return None
    # What can't be printed isn't plain.
    if through and not into.lacks(text, through):
        return None
    count = len(through)
    counts.let_through += count
    return text, msg, values, withheld, exception


def match_simple(
    msg: str,
    args: Any,
    site: Site,
    row: RecordRow | None,
    logger: str,
    levelno: int,
    registry: Registry,
    counts: SiteCounts | None = None,
) -> Message:
    """Make the message of a template for which :func:`discreet.seal.message.is_simple` holds, as :func:`match_message`.

    Args:
        msg: the template.
        args: its values.
        site: what is proven of it.
        row: None.
        logger: the record's logger as it is named on the record.
        levelno: the record's level.
        registry: the active contracts.
        counts: of the call site; noted when None.

    .. versionadded:: 0.1.0
    """
    into = look()
    if into is None or site.literal is not msg or type(args) is not tuple:
        return match_message(msg, args, site, row, logger, levelno, registry, counts)

    def make(strings: _Strings) -> Message:
        if NOTES:
            # Of what is declared public only the last look counts.
            notes()
        safe: list[Any] = []
        withheld = 0
        for value in args:
            if type(value) is str:
                one: Any = strings.shown(value, None)
                withheld += one is not value
                safe.append(of_text(len(value)) if one is None else one)
            else:
                safe.append(one := shown(value))
                if type(value) is Public and type(one) is str:
                    strings.seen.append(one)
                withheld += type(one) is Placeholder
        values = tuple(safe)
        return msg % values, msg, values, row, withheld, False, None

    def deny() -> Message:
        notes()
        return seal_message(msg, args, site, row, logger, levelno, registry)

    try:
        return _matched(into, make, deny, counts, plain=False)
    except (TypeError, ValueError, OverflowError):
        # A stand-in or a string stands where a number belongs, or there are too many values or too few.
        notes()
        return match_message(msg, args, site, row, logger, levelno, registry, counts)


def match_message(
    msg: object,
    args: object,
    site: Site,
    row: RecordRow | None,
    logger: str,
    levelno: int,
    registry: Registry,
    counts: SiteCounts | None = None,
) -> Message:
    """Make the message that may go out in match mode; the ledger's notes say what the matcher did.

    Args:
        msg: the record's own, of any type.
        args: the same.
        site: what :func:`discreet.seal.callsite.find` proved.
        row: the contract's row for what was proven, if there is one.
        logger: the record's logger as it is named on the record.
        levelno: the record's level.
        registry: the active contracts.
        counts: of the call site; noted when None.

    .. versionadded:: 0.1.0
    """

    def deny() -> Message:
        notes()
        return seal_message(msg, args, site, row, logger, levelno, registry)

    into = look()
    if into is None or type(msg) is not str:
        return deny()
    if site.parts is not None and site.literal is None:
        if len(msg) > MAX_MESSAGE or (row is not None and any(arg.type for arg in row.args)):
            return deny()
        if no_values(args):
            make: _Make = lambda strings: _composed(msg, args, site.parts, row, strings)  # noqa: E731 -- one of three
            return _matched(into, make, deny, counts, plain=msg.isascii())
    denied = deny()
    if site.literal is msg and denied[4]:
        template = percent.parse(msg)
        make = lambda strings: _filled(msg, args, row, template, denied, strings)  # noqa: E731 -- one of three
        return _matched(into, make, lambda: denied, counts)
    if denied[5] or site.parts is not None:
        make = lambda strings: _built(msg, args, denied, strings)  # noqa: E731 -- one of three
        return _matched(into, make, deny, counts, plain=msg.isascii())
    # All is shown already; or a contract declares the message's template or its shape, and what of it is shown.
    return denied


def _filled(
    msg: str, args: object, row: RecordRow | None, template: percent.Template, sealed: Message, strings: _Strings
) -> Message:
    """Return a sealed template with those strings that no row of a contract types."""
    typed = [arg.type is not None for arg in row.args] if row is not None else []
    typed += [False] * (len(template.directives) - len(typed))
    safe = sealed[2]
    slots: Sequence[Any]
    filled: Any
    if type(safe) is dict:
        of_contract = {directive.key for directive, one in zip(template.directives, typed, strict=False) if one}
        filled = {
            key: one if key in of_contract else _one(dict.get(args, key), one, strings)  # type: ignore[call-overload]  # a dict
            for key, one in safe.items()
        }
        slots = [filled[directive.key or ""] for directive in template.directives]
    else:
        # A value that no directive takes isn't in the text, where the matcher looks.
        free = [slot is not None and not typed[slot] for slot, _ in template.consumers]
        values = args_of(args) if not is_dict(args) else (args,)
        filled = slots = tuple(
            _one(value, one, strings) if index < len(free) and free[index] else one
            for index, (value, one) in enumerate(zip(values, safe or (), strict=True))
        )
    text, fits = render(msg, filled, template, slots)
    return (
        text,
        msg if fits else fixed(text, filled),
        filled,
        sealed[3],
        sealed[4] - len(strings.through),
        False,
        sealed[6],
    )


def _one(value: object, sealed: Any, strings: _Strings) -> Any:
    if type(value) is Public and type(sealed) is str:
        strings.seen.append(sealed)
    return strings.shown(value, sealed) if type(value) is str else sealed


def _composed(msg: str, args: Any, parts: Any, row: RecordRow | None, strings: _Strings) -> Message:
    """Return a message that was put together with the strings of those slots whose borders are certain."""
    literals = parts.literals
    count = len(parts.slots)
    texts: Sequence[str | None] | None
    texts = [msg[len(literals[0]) : len(msg) - len(literals[1])]] if count == 1 else compose.slots(parts, msg)
    readable = parts.from_left or parts.from_right
    sealed = compose.shown_slots(parts, msg) if readable else [(text, 1) for text in parts.shown[1::2]]
    out = [literals[0]]
    withheld = 0
    for index in range(count):
        one, gone = sealed[index]
        text = texts[index] if texts is not None else None
        # Of numbers only those are shown that are shown anyway: a long one may be an account's.
        if gone and text is not None and not parts.slots[index].numeric:
            one = strings.shown(text, one)
            gone = int(one is not text)
        withheld += gone
        out += (one, literals[index + 1])
    message = "".join(out)
    return message, message, args, row, withheld, False, None


def _built(msg: str, args: object, denied: Message, strings: _Strings) -> Message:
    """Return a message of which nothing is proven, or not what is a directive in it, if the matcher finds nothing."""
    one = strings.shown(msg, None)
    if one is not msg:
        # Found, or not to be looked at.
        text = str(one) if one is not None and denied[5] else denied[0]
        return text, fixed(text, args), *denied[2:]
    if no_values(args):
        return msg, msg, *denied[2:5], False, denied[6]
    strings.through.clear()
    strings.seen.clear()
    # Of what is declared public only the last look counts.
    notes()
    template = percent.parse_uncached(msg)
    sealed = template_message(msg, args, None, template)
    text, _, safe, _, withheld, _, attributes = _filled(msg, args, None, template, sealed, strings)
    strings.through.append(msg)
    strings.seen.append(msg)
    # The keys of a mapping are words of the message.
    values = {} if type(safe) is dict else safe
    return text, fixed(text, values), values, denied[3], withheld, False, attributes
