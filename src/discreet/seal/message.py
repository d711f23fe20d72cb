"""The sealed message: proven literals, safe values, and a template that foreign formatters can use."""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from typing import Any, Final

from discreet.contract import Registry
from discreet.contract.model import ArgType, PatternRow, RecordRow
from discreet.declared import Public
from discreet.export.ledger import LEDGER
from discreet.seal import compose, percent
from discreet.seal.callsite import Site
from discreet.seal.public import public_attribute, refused
from discreet.seal.types import WITHHELD, Scalar
from discreet.seal.values import (
    BEYOND,
    MAX_INT,
    ROUNDED,
    SHORT,
    SHORT_UP_TO,
    Placeholder,
    is_withheld,
    of_text,
    placeholder,
    shown,
    shown_public,
)

MAX_MESSAGE: Final = 65_536
"""Characters of a finished message that are looked at; a longer one is withheld whole."""

_NO_ARGS: Final[tuple[Any, ...]] = ()


_Args = tuple[Any, ...] | dict[str, Any] | None
Message = tuple[str, str, _Args, RecordRow | PatternRow | None, int, bool, dict[str, Scalar] | None]
"""Text, template, arguments, the contract's row, values withheld, whether all of it was, declared attributes.

A plain tuple, because one is made for every record.
"""


def is_simple(text: str, row: RecordRow | None) -> bool:
    """Tell whether a template's values can be shown one by one, without a look at their directives.

    Args:
        text: the proven template.
        row: its row in a contract, which may type values.
    """
    if row is not None:
        return False
    template = percent.parse(text)
    return (
        template.valid
        and not template.keyed
        and bool(template.directives)
        and len(template.consumers) == len(template.directives)
        and all(directive.conversion in "sdifr" for directive in template.directives)
    )


def simple_message(msg: str, args: tuple[Any, ...]) -> tuple[str, str, tuple[Any, ...], int, BaseException | None]:
    """Make the message of a template for which :func:`is_simple` holds.

    Returns:
        Text, template, arguments, how many values were withheld, and the first exception among them.
    """
    withheld = 0
    exception: BaseException | None = None
    safe: list[Any] = []
    for value in args:
        kind = type(value)
        if kind is str:
            withheld += 1
            # The same as of_text(), for most texts without its call.
            length = len(value)
            safe.append(SHORT[length] if length < SHORT_UP_TO else of_text(length))
        elif kind is int and -MAX_INT <= value <= MAX_INT:
            safe.append(value)
        elif kind is float and -BEYOND < value < BEYOND:
            # The same as of_float().
            safe.append(float(ROUNDED % value))
        else:
            one = shown(value)
            safe.append(one)
            if type(one) is Placeholder:
                withheld += 1
                if exception is None and issubclass(kind, BaseException):
                    exception = value
    values = tuple(safe)
    try:
        return msg % values, msg, values, withheld, exception
    except (TypeError, ValueError, OverflowError):
        # A placeholder stands where a number belongs, or the application's own template is wrong.
        text = percent.parse(msg).render(values)
        return text, fixed(text, values), values, withheld, exception


def seal_message(
    msg: object, args: object, site: Site, row: RecordRow | None, logger: str, levelno: int, registry: Registry
) -> Message:
    """Make the message that may go out.

    Args:
        msg: the record's own, of any type.
        args: the same.
        site: what :func:`discreet.seal.callsite.find` proved.
        row: the contract's row for what was proven, if there is one.
        logger: the record's logger as it is named on the record.
        levelno: the record's level.
        registry: the active contracts.
    """
    if type(msg) is not str:
        return _not_text(msg, args)
    if site.literal is msg:
        if no_values(args):
            return msg, msg, args, row, 0, False, None  # type: ignore[return-value]  # empty
        return template_message(msg, args, row, percent.parse(msg))
    if site.parts is not None:
        return _composed(msg, args, site.parts, row)
    return _unproven(msg, args, logger, levelno, registry)


def no_values(args: object) -> bool:
    """Tell whether a record has no arguments, without asking another object than logging's own for its truth."""
    kind = type(args)
    return args is None or ((kind is tuple or kind is dict or kind is list) and not args)


def _not_text(msg: object, args: object) -> Message:
    value = shown(msg) if type(msg) is not Public else shown_public(msg, "message")
    if is_withheld(value):
        return _withheld(str(value), args)
    text = str(value)
    return text, fixed(text, args), _same_arity(args), None, _count(args), False, None


def _withheld(text: str, args: object) -> Message:
    return text, fixed(text, args), _same_arity(args), None, 0, True, None


def fixed(text: str, args: object) -> str:
    """Return a template that renders to ``text`` whatever the arguments are, so that their number can stay."""
    if not args_of(args):
        # logging does not format a message without arguments.
        return text
    text = text.replace("%", "%%")
    # "%.0s" takes an argument and shows none of it.
    return text if is_dict(args) else text + "%.0s" * len(args_of(args))


def args_of(args: object) -> Sequence[Any]:
    """Return the values of a record's arguments in order, without calling methods of what they hold."""
    kind = type(args)
    if kind is tuple:
        return args  # type: ignore[return-value]
    if issubclass(kind, tuple):
        return tuple.__getitem__(args, slice(None))  # type: ignore[call-overload, no-any-return]  # a tuple
    if is_dict(args):
        return list(dict.values(args))  # type: ignore[arg-type]
    if kind is list:
        return args  # type: ignore[return-value]
    return () if args is None else (args,)


def is_dict(args: object) -> bool:
    """Tell whether arguments are one mapping."""
    return issubclass(type(args), dict)


def _same_arity(args: object) -> tuple[Any, ...] | dict[str, Any] | None:
    if args is None:
        return None
    if is_dict(args):
        return {}
    return tuple(shown(value) for value in args_of(args))


def _count(args: object) -> int:
    # What is declared public has been counted where it is shown.
    return sum(1 for value in args_of(args) if type(value) is not Public and is_withheld(shown(value)))


def _typed(arg: ArgType | None, value: object, attributes: dict[str, Scalar]) -> Any:
    """Return what a declared slot shows of a value; WITHHELD if its type refuses it."""
    if arg is None or arg.type is None:
        return WITHHELD
    safe = arg.type.safe(value) if type(value) is not Public else public_attribute(arg.type, value, "argument")
    if safe is not WITHHELD and arg.attribute is not None:
        attributes[arg.attribute] = safe
    return safe


def template_message(msg: str, args: object, row: RecordRow | None, template: percent.Template) -> Message:
    """Make the message of a template and its arguments; all of `msg` is shown but for its directives."""
    declared = row.args if row is not None else ()
    attributes: dict[str, Scalar] = {}
    withheld = 0
    if is_dict(args) and template.keyed:
        safe_dict: dict[str, Any] = {}
        slots: list[Any] = []
        # One value stands at all places of its key.
        spelled = {directive.key for directive in template.directives if directive.conversion == "c"}
        for index, directive in enumerate(template.directives):
            key = directive.key or ""
            if dict.__contains__(args, key):  # type: ignore[operator]  # a dict
                value: object = dict.__getitem__(args, key)  # type: ignore[index]  # a dict
                arg = declared[index] if index < len(declared) else None
                one, gone = _slot(value, arg, attributes, spelling=key in spelled)
            else:
                one, gone = Placeholder("<missing>"), 0
            withheld += gone
            safe_dict[key] = one
            slots.append(one)
        text, fits = render(msg, safe_dict, template, slots)
        if fits:
            return text, msg, safe_dict, row, withheld, False, attributes
        return text, text.replace("%", "%%"), safe_dict, row, withheld, False, attributes
    values = args_of(args) if not is_dict(args) else (args,)
    safe: list[Any] = []
    consumers = template.consumers
    for index, value in enumerate(values):
        if index < len(consumers):
            slot, taker = consumers[index]
            arg = declared[slot] if slot is not None and slot < len(declared) else None
            one, gone = _slot(value, arg, attributes, spelling=taker is not None and taker.conversion == "c")
        else:
            one = shown(value)
            gone = int(is_withheld(one))
        withheld += gone
        safe.append(one)
    safe_args = tuple(safe)
    text, fits = render(msg, safe_args, template, safe)
    return text, msg if fits else fixed(text, safe_args), safe_args, row, withheld, False, attributes


def _slot(value: object, arg: ArgType | None, attributes: dict[str, Scalar], *, spelling: bool) -> tuple[Any, int]:
    """Return what is shown of a value, and 1 if it is withheld; `spelling`: "%c" makes a character of a number."""
    if arg is not None and arg.type is not None:
        safe = _typed(arg, value, attributes)
        if type(safe) is str:
            # A text that the type made stands as it is.
            return Placeholder(safe), 0
        if safe is not WITHHELD and not spelling:
            # A number keeps its own format ("%.1f").
            return safe, 0
    if spelling:
        return placeholder(value), 1
    one = shown(value)
    return one, refused(arg, value, int(is_withheld(one)))


def render(msg: str, safe: Any, template: percent.Template, slots: Sequence[Any]) -> tuple[str, bool]:
    """Return the text, and whether ``msg % safe`` gives it."""
    try:
        return msg % safe, True
    except (TypeError, ValueError, KeyError, OverflowError, MemoryError):
        # Either a placeholder stands where a number belongs, or the application's own template is wrong.
        return template.render(slots), False


def _composed(msg: str, args: object, parts: Any, row: RecordRow | None) -> Message:
    attributes: dict[str, Scalar] = {}
    if len(msg) > MAX_MESSAGE:
        return _withheld(str(placeholder(msg)), args)
    text, withheld = compose.read(parts, msg)
    if row is not None and any(arg.type is not None for arg in row.args):
        text, withheld = _typed_slots(msg, row.literals, row, parts, text, withheld, attributes)
    values = args_of(args)
    return text, fixed(text, args), _same_arity(args), row, withheld + len(values), False, attributes


def _typed_slots(
    msg: str,
    literals: tuple[str, ...],
    row: RecordRow,
    parts: Any,
    text: str,
    withheld: int,
    attributes: dict[str, Scalar],
) -> tuple[str, int]:
    """Fill declared slots of a composed message, where each slot's borders are certain."""
    texts = compose.slots(parts, msg)
    if texts is None or len(texts) != len(row.args):
        return text, withheld
    shown_slots = compose.shown_slots(parts, msg)
    out = [literals[0]]
    withheld = 0
    for index, (arg, slot_text) in enumerate(zip(row.args, texts, strict=True)):
        safe = _typed(arg, _as_number(slot_text), attributes) if slot_text is not None else WITHHELD
        if safe is not WITHHELD and safe is not None:
            out.append(slot_text if type(safe) is not str and slot_text is not None else str(safe))
        else:
            shown_text, gone = shown_slots[index]
            withheld += refused(arg, slot_text, gone)
            out.append(shown_text)
        out.append(literals[index + 1])
    return "".join(out), withheld


_INT: Final = re.compile(r"[-+]?\d{1,7}", re.ASCII)
_FLOAT: Final = re.compile(r"[-+]?\d{1,7}\.\d{1,9}", re.ASCII)


def _as_number(text: str) -> Any:
    if _INT.fullmatch(text):
        return int(text)
    if _FLOAT.fullmatch(text):
        return float(text)
    return text


def _unproven(msg: str, args: object, logger: str, levelno: int, registry: Registry) -> Message:
    """Seal a message that no frame proves: a contract may declare its template or its shape."""
    if len(msg) <= MAX_MESSAGE:
        rows = registry.templates(logger)
        if rows:
            template = percent.parse_uncached(msg)
            row = registry.record(logger, None, template.key, levelno)
            if row is not None:
                if args_of(args):
                    found = template_message(msg, args, row, template)
                    # The contract has no keys of a mapping: they may be anybody's words.
                    return (found[0], found[0], {}, *found[3:]) if template.keyed else found
                if not template.directives:
                    return msg, msg, args, row, 0, False, None  # type: ignore[return-value]  # empty or None
        patterns = registry.patterns(logger)
        if patterns:
            matched = _by_pattern(msg, args, patterns)
            if matched is not None:
                return matched
        for row in rows:
            if len(row.literals) > 1 and (row.levelno is None or row.levelno == levelno) and _fits(row.literals, msg):
                text = "{…}".join(row.literals)
                return text, fixed(text, args), _same_arity(args), row, len(row.literals) - 1, False, None
    return _withheld(str(placeholder(msg)), args)


_MIN_LITERALS: Final = 8
"""Characters that a declared template needs, so that not any text fits it."""


def _fits(literals: tuple[str, ...], msg: str) -> bool:
    if sum(map(len, literals)) < _MIN_LITERALS or not msg.startswith(literals[0]) or not msg.endswith(literals[-1]):
        return False
    position = len(literals[0])
    end = len(msg) - len(literals[-1])
    for literal in literals[1:-1]:
        position = msg.find(literal, position, end)
        if position < 0:
            return False
        position += len(literal)
    return position <= end


def _by_pattern(msg: str, args: object, rows: Sequence[PatternRow]) -> Message | None:
    values = args_of(args)
    if values:
        return None
    for row in rows:
        match = row.regex.fullmatch(msg)
        if match is None:
            continue
        attributes: dict[str, Scalar] = {}
        shown_groups: dict[str, str] = {}
        withheld = 0
        for name, arg in row.groups.items():
            value = match.group(name)
            safe: Any = _typed(arg, _as_number(value), attributes) if value is not None else ""
            if safe is WITHHELD or safe is None:
                withheld += refused(arg, value, 1)
                shown_groups[name] = str(placeholder(value))
            else:
                shown_groups[name] = str(safe)
        text = _GROUP.sub(lambda m, groups=shown_groups: groups.get(m[1], ""), row.message)  # type: ignore[misc]
        return text, text, args, row, withheld, False, attributes  # type: ignore[return-value]  # empty or None
    return None


_GROUP: Final = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")


def whole_message(record: logging.LogRecord) -> str:
    """Return a record's message with all its text, for a content logger that is open.

    Args:
        record: the record.
    """
    try:
        text = record.getMessage()
    except Exception as error:
        # A template that doesn't fit its arguments must not make the log call fail.
        LEDGER.failure("content message", error)
        return "<message does not fit its arguments>"
    return text if type(text) is str else str(Placeholder("<message>"))
