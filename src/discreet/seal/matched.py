"""The message of a record in match mode: strings are let through unless the matcher finds a text of the call in them.

It starts from the message as it would be sealed otherwise and puts strings in the place of their stand-ins, so that
whatever isn't looked at, or can't be, stays withheld.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from discreet.contract import Registry
from discreet.contract.model import RecordRow
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
from discreet.seal.values import Placeholder, band, note, notes

if TYPE_CHECKING:
    from discreet.scope import Look

__all__ = ["MAX_THROUGH", "match_message"]

MAX_THROUGH: Final = 1023
"""Characters of a string that is let through; the same as of one that is declared public."""


class _Strings:
    """Looks at the strings of one record."""

    __slots__ = ("into", "matched", "through")

    def __init__(self, into: Look) -> None:
        self.into = into
        self.through: list[str] = []
        self.matched = 0

    def shown(self, value: str, stand_in: Any) -> Any:
        """Return the string if it is let through, else what stands for it."""
        if len(value) > MAX_THROUGH or not value.isprintable():
            return stand_in
        place = self.into.find(value)
        if place is not None:
            self.matched += 1
            return Placeholder(f"<{place} {band(len(value))}>")
        self.through.append(value)
        return value

    def result(self, found: Message, denied: Message) -> Message:
        """Return the message with its strings, unless the matcher finds a text when it sees them together."""
        if not self.into.valid:
            # The call ended meanwhile, in another thread, and its texts were forgotten: what was found says nothing.
            return denied
        matched = self.matched
        if self.through and self._together(found[0]):
            matched += len(self.through)
            found = denied
        elif self.through:
            for _ in self.through:
                note("no_match", "let_through")
        for _ in range(matched):
            note("matched", "message" if found[5] else "argument")
        return found

    def _together(self, text: str) -> bool:
        find = self.into.find
        return find(text) is not None or (len(self.through) > 1 and find("".join(self.through)) is not None)


def match_message(
    msg: object, args: object, site: Site, row: RecordRow | None, logger: str, levelno: int, registry: Registry
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

    .. versionadded:: 0.1.0
    """
    denied = seal_message(msg, args, site, row, logger, levelno, registry)
    if type(msg) is not str or not (denied[4] or denied[5]):
        return denied
    into = look()
    if into is None:
        return denied
    strings = _Strings(into)
    if site.literal is msg:
        return strings.result(_filled(msg, args, row, percent.parse(msg), denied, strings), denied)
    if site.parts is not None:
        if not no_values(args) or len(msg) > MAX_MESSAGE or (row is not None and any(arg.type for arg in row.args)):
            return denied
        return strings.result(_composed(msg, site.parts, denied, strings), denied)
    # Else a contract declares the message's template or its shape, and what of it is shown.
    return _built(msg, args, denied, strings) if denied[5] else denied


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
    return strings.shown(value, sealed) if type(value) is str else sealed


def _composed(msg: str, parts: Any, denied: Message, strings: _Strings) -> Message:
    """Return a message that was put together with the strings of those slots whose borders are certain."""
    literals = parts.literals
    out = [literals[0]]
    texts = compose.slots(parts, msg) or [None] * len(parts.slots)
    withheld = 0
    for index, ((sealed, gone), text) in enumerate(zip(compose.shown_slots(parts, msg), texts, strict=True)):
        one = sealed
        # Of numbers only those are shown that are shown anyway: a long one may be an account's.
        if gone and text is not None and not parts.slots[index].numeric:
            one = strings.shown(text, sealed)
        withheld += int(gone and one is not text)
        out += [one, literals[index + 1]]
    text = "".join(out)
    return text, text, *denied[2:4], withheld, False, denied[6]


def _built(msg: str, args: object, denied: Message, strings: _Strings) -> Message:
    """Return a message of which nothing is proven, if the matcher finds nothing in it."""
    one = strings.shown(msg, None)
    if one is not msg:
        if one is None:
            return denied
        text = str(one)
        return strings.result((text, fixed(text, args), *denied[2:]), denied)
    if no_values(args):
        return strings.result((msg, msg, *denied[2:5], False, denied[6]), denied)
    # Of the arguments only those count that the second look at them finds public.
    notes()
    template = percent.parse_uncached(msg)
    strings.through.clear()
    text, _, safe, row, withheld, _, attributes = _filled(
        msg, args, None, template, template_message(msg, args, None, template), strings
    )
    strings.through.append(msg)
    # The keys of a mapping are words of the message.
    values = {} if type(safe) is dict else safe
    return strings.result((text, fixed(text, values), values, row, withheld, False, attributes), denied)
