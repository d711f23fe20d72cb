"""Rows about exceptions and about what records and finished messages mean."""

from __future__ import annotations

import builtins
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, Literal, cast

from packaging.utils import canonicalize_name

from discreet.contract.model import (
    ArgType,
    ErrorClass,
    ExceptionCondition,
    ExceptionDeclaration,
    PatternRow,
    RecordRow,
    SafeAttribute,
)
from discreet.contract.reader import LINE, Table, Text
from discreet.contract.shapes import (
    CODE,
    DISTRIBUTION,
    DOTTED,
    LEVELS,
    LOGGER,
    SPECIFIER,
    attribute_name,
    error_class,
    specifier,
    typed,
)
from discreet.contract.template import split_named, split_template
from discreet.seal.types import ValueType
from discreet.seal.types.base import regular_expression

__all__ = ["Declared", "read_exception", "read_pattern", "read_record"]

_HEADER: Final = re.compile(r"header:[A-Za-z0-9-]{1,64}", re.ASCII)
_FROM: Final = Text(
    r"header:[A-Za-z0-9-]{1,64}|[A-Za-z_]\w{0,63}(?:\.[A-Za-z_]\w{0,63}){0,3}",
    "Write an attribute, a path of attributes, or header:NAME.",
)
_TEMPLATE: Final = Text(r"(?s).{1,4000}", "Write the message with {} for each slot.")
_PATTERN: Final = Text(r"(?s).{1,4000}", "Write a regular expression.")
_EQUALS: Final = Text(r"[!-~]{0,64}", "Write an integer, or at most 64 printable ASCII characters without blanks.")


@dataclass(frozen=True, slots=True)
class Declared:
    """What a contract has declared before its rows about records are read."""

    contract: str
    attributes: Mapping[str, ValueType]
    events: frozenset[str]
    warning_codes: frozenset[str]
    error_classes: Mapping[str, ErrorClass | None]


def read_exception(row: Table, covers: Mapping[str, str]) -> ExceptionDeclaration:
    """Read one row of ``[[exceptions]]``."""
    class_name = row.text("class", DOTTED)
    distribution = row.maybe_text("distribution", DISTRIBUTION)
    safe = row.take("safe_message")
    if type(safe) is str:
        specifier(row, "safe_message", row.checked("safe_message", safe, SPECIFIER))
        distribution = distribution or _distribution_of(class_name, covers)
        if distribution is None:
            row.fail(
                "safe_message",
                "it isn't known which distribution has the class",
                "Name it in the key `distribution`, or in [contract.covers].",
            )
    elif safe is not None and type(safe) is not bool:
        row.fail("safe_message", "this is neither true, false nor a specifier", SPECIFIER.remedy)
    if safe and _is_anybodys(class_name):
        row.fail(
            "safe_message",
            f"every program raises {class_name}, so nobody knows what its messages hold",
            "Raise a class of your own, and say it of that.",
        )
    attributes = row.at("attributes")
    return ExceptionDeclaration(
        class_name=class_name,
        error_class=error_class(row),
        code=row.maybe_text("code", CODE),
        own_code=row.flag("own_code"),
        code_of_cause=row.flag("code_of_cause"),
        safe_message=False if safe is None else safe,
        attributes=tuple(_safe_attribute(attributes, name) for name in attributes),
        conditions=row.rows("when", _condition),
        distribution=distribution,
    )


def _is_anybodys(class_name: str) -> bool:
    top, dot, _ = class_name.partition(".")
    # Python's own are known by their bare names too.
    return top in sys.stdlib_module_names if dot else hasattr(builtins, class_name)


def _distribution_of(class_name: str, covers: Mapping[str, str]) -> str | None:
    top = canonicalize_name(class_name.partition(".")[0])
    named = next((name for name in covers if canonicalize_name(name) == top), None)
    return named or (next(iter(covers)) if len(covers) == 1 else None)


def _safe_attribute(table: Table, name: str) -> SafeAttribute:
    attribute_name(table, name, name)
    spec = table.take(name)
    key = name
    if type(spec) is dict:
        inner = table.below(name, spec)
        key = inner.maybe_text("from", _FROM) or name
        spec = {option: value for option, value in spec.items() if option != "from"}
    header = _HEADER.fullmatch(key) is not None
    return SafeAttribute(
        name=name,
        type=typed(table, name, spec),
        key=key.removeprefix("header:") if header else key,
        header=header,
    )


def _condition(row: Table) -> ExceptionCondition:
    equals = row.take("equals")
    return ExceptionCondition(
        attribute=row.text("attribute", DOTTED),
        equals=equals if type(equals) is int else row.text("equals", _EQUALS),
        code=row.text("code", CODE),
        error_class=error_class(row),
    )


@dataclass(frozen=True, slots=True)
class _Meaning:
    event: str | None
    warning_code: str | None
    error_code: str | None
    error_class: ErrorClass | None


def _meaning(row: Table, declared: Declared) -> _Meaning:
    event = row.maybe_text("event")
    if event is not None and event not in declared.events:
        row.fail("event", "this event isn't declared", "Add it to [[events]] of this contract.")
    warning = row.maybe_text("warning_code")
    if warning is not None and warning not in declared.warning_codes:
        row.fail("warning_code", "this code isn't declared", "Add it to [[warning_codes]].")
    error = row.maybe_text("error_code")
    if error is not None and error not in declared.error_classes:
        row.fail("error_code", "this code isn't declared", "Add it to [[error_codes]].")
    return _Meaning(event, warning, error, declared.error_classes.get(error or ""))


def read_record(row: Table, declared: Declared) -> RecordRow:
    """Read one row of ``[[records]]``."""
    logger = row.maybe_text("logger", LOGGER)
    module = row.maybe_text("module", DOTTED)
    if (logger is None) == (module is None):
        row.fail(None, "it has to say where the call is", "Write either logger or module.")
    source = row.choice("source", ("log", "print")) or "log"
    if source == "print" and module is None:
        row.fail("logger", "what is printed has no logger", "Write module instead.")
    level = row.choice("level", tuple(LEVELS))
    if source == "print" and level is not None:
        row.fail("level", "what is printed has no level", "Leave the key out.")
    key = row.text("template", _TEMPLATE)
    try:
        literals = split_template(key)
    except ValueError as error:
        row.fail("template", str(error), "Write {} for a slot, and {{ or }} for a brace.")
    handled = row.choice("error_code_from", ("handled",))
    meaning = _meaning(row, declared)
    return RecordRow(
        contract=declared.contract,
        key=key,
        literals=literals,
        logger=logger,
        module=module,
        source=cast("Literal['log', 'print']", source),
        levelno=None if level is None else LEVELS[level],
        event=meaning.event,
        warning_code=meaning.warning_code,
        error_code=meaning.error_code,
        error_code_from=cast("Literal['handled'] | None", handled),
        error_class=meaning.error_class,
        args=_args(row, len(literals) - 1, declared),
        note=row.maybe_text("note"),
    )


def _args(row: Table, slots: int, declared: Declared) -> tuple[ArgType, ...]:
    if "args" not in row:
        return (ArgType(),) * slots
    found = tuple(_arg(row, place, spec, declared) for place, spec in row.items("args"))
    if len(found) != slots:
        row.fail(
            "args",
            f"the template has {slots} slots and this list {len(found)} items",
            'Write one item for each slot, "" where nothing is known.',
        )
    return found


def _arg(row: Table, place: str, spec: Any, declared: Declared) -> ArgType:
    if spec == "":
        return ArgType()
    if type(spec) is not dict:
        return ArgType(typed(row, place, spec))
    table = row.below(place, spec)
    if "as" not in table:
        return ArgType(typed(row, place, spec))
    name = attribute_name(table, "as", table.take("as"))
    options = {option: value for option, value in spec.items() if option != "as"}
    if options:
        return ArgType(typed(row, place, options), name)
    if name not in declared.attributes:
        table.fail("as", "this attribute isn't declared", "Give a type, or add it to [attributes].")
    return ArgType(declared.attributes[name], name)


def read_pattern(row: Table, declared: Declared) -> PatternRow:
    """Read one row of ``[[patterns]]``."""
    text = row.text("pattern", _PATTERN)
    try:
        regex = regular_expression(text)
    except ValueError as error:
        row.fail("pattern", str(error), "Try it with re.compile().")
    table = row.at("groups")
    groups = {name: _arg(table, name, table.take(name), declared) for name in table}
    table.close()
    for name in groups:
        if name not in regex.groupindex:
            table.fail(name, "the pattern has no group of this name", "Take it out.")
    for name in regex.groupindex:
        if name not in groups:
            row.fail("groups", f"the group {name} has no type", 'Add it, with "" for none.')
    message = row.text("message", LINE)
    try:
        slots = split_named(message)
    except ValueError as error:
        row.fail("message", str(error), "Write {name} for a group, and {{ or }} for a brace.")
    for name in slots:
        if name not in groups:
            row.fail("message", f"the pattern has no group {name}", "Name one of its groups.")
    handled = row.choice("error_code_from", ("handled",))
    meaning = _meaning(row, declared)
    return PatternRow(
        contract=declared.contract,
        logger=row.text("logger", LOGGER),
        regex=regex,
        message=message,
        groups=MappingProxyType(groups),
        event=meaning.event,
        warning_code=meaning.warning_code,
        error_code=meaning.error_code,
        error_code_from=cast("Literal['handled'] | None", handled),
        error_class=meaning.error_class,
        note=row.maybe_text("note"),
    )
