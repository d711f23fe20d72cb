"""From the tables of a contract file to a `Contract`, and what must hold over the whole file."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from types import MappingProxyType
from typing import Any, Literal, cast

from discreet.contract.model import (
    FORMAT,
    Contract,
    ErrorClass,
    ErrorCode,
    Event,
    ExceptionDeclaration,
    Retired,
    WarningCode,
)
from discreet.contract.reader import Table
from discreet.contract.rows import Declared, read_exception, read_pattern, read_record
from discreet.contract.shapes import (
    ATTRIBUTE,
    CODE,
    DISTRIBUTION,
    DOTTED,
    EVENT,
    LEVELS,
    LOGGER,
    NAME,
    RELEASE,
    SPECIFIER,
    attribute_name,
    choice,
    error_class,
    specifier,
    typed,
)
from discreet.seal.types import ValueType

__all__ = ["parse"]

_ROOT = "root"
_KINDS = ("event", "warning_code", "error_code", "attribute")


def parse(tables: Mapping[str, Any], file: str) -> Contract:
    """Make a contract from what TOML gave.

    Args:
        tables: The whole file.
        file: The file, as messages name it.

    Raises:
        ContractError: A key is unknown, missing or wrong; the message names it and a remedy.
    """
    top = Table(tables, file)
    head = top.at("contract")
    name = head.text("name", NAME)
    found = head.take("format")
    if type(found) is not int or found != FORMAT:
        head.fail("format", "this release reads one format only", f"Write format = {FORMAT}.")
    summary = head.text("summary")
    covers = _covers(head.at("covers"))
    head.close()

    loggers = top.at("loggers")
    names = loggers.texts("names", LOGGER)
    content = loggers.texts("content", LOGGER)
    _own_content(loggers, names, content)
    wrappers = loggers.texts("wrappers", DOTTED)
    loggers.close()

    attributes = _attributes(top.at("attributes"))
    events = top.rows("events", lambda row: _event(row, name, attributes))
    warning_codes = top.rows("warning_codes", _warning_code)
    exceptions = top.rows("exceptions", lambda row: read_exception(row, covers))
    classes = {one.class_name: one.error_class for one in exceptions}
    error_codes = top.rows("error_codes", lambda row: _error_code(row, classes))
    retired = top.rows("retired", _retired)
    declared = Declared(
        contract=name,
        attributes=attributes,
        events=frozenset(one.name for one in events),
        warning_codes=frozenset(one.code for one in warning_codes),
        error_classes=_classes_by_code(error_codes, exceptions),
    )
    records = top.rows("records", lambda row: read_record(row, declared))
    patterns = top.rows("patterns", lambda row: read_pattern(row, declared))
    top.close()

    contract = Contract(
        name=name,
        summary=summary,
        file=file,
        covers=MappingProxyType(covers),
        loggers=names,
        content_loggers=content,
        wrappers=wrappers,
        attributes=MappingProxyType(attributes),
        events=events,
        warning_codes=warning_codes,
        error_codes=error_codes,
        exceptions=exceptions,
        records=records,
        patterns=patterns,
        retired=retired,
    )
    _refuse_doubles(top, contract)
    _refuse_retired(top, contract, declared.error_classes)
    _refuse_two_types(top, contract)
    return contract


def _covers(table: Table) -> dict[str, str]:
    found: dict[str, str] = {}
    for distribution in table:
        table.checked(distribution, distribution, DISTRIBUTION)
        found[distribution] = specifier(table, distribution, table.text(distribution, SPECIFIER))
    return found


def _own_content(table: Table, names: tuple[str, ...], content: tuple[str, ...]) -> None:
    for i, logger in enumerate(content):
        if logger == _ROOT:
            # Many set it to DEBUG, and many libraries log on it.
            table.fail(f"content[{i}]", "the root logger is everybody's", "Name a logger of the contract's own.")
        if not any(logger == one or logger.startswith(f"{one}.") for one in names):
            table.fail(f"content[{i}]", "this logger isn't the contract's own", "Add it to loggers.names.")


def _attributes(table: Table) -> dict[str, ValueType]:
    return {attribute_name(table, name, name): typed(table, name, table.take(name)) for name in table}


def _event(row: Table, contract: str, attributes: Mapping[str, ValueType]) -> Event:
    names = row.texts("attributes", ATTRIBUTE)
    for i, attribute in enumerate(names):
        if attribute not in attributes:
            row.fail(f"attributes[{i}]", "this attribute isn't declared", "Add it to [attributes].")
    return Event(
        name=row.text("name", EVENT),
        level=choice(row, "level", LEVELS),
        meaning=row.text("meaning"),
        attributes=names,
        contract=contract,
    )


def _warning_code(row: Table) -> WarningCode:
    return WarningCode(
        code=row.text("code", CODE),
        meaning=row.text("meaning"),
        emitted_by=row.maybe_text("emitted_by"),
    )


def _error_code(row: Table, classes: Mapping[str, ErrorClass | None]) -> ErrorCode:
    exception = row.maybe_text("exception", DOTTED)
    if exception is not None and exception not in classes:
        row.fail("exception", "this class isn't listed", "Add it to [[exceptions]] here.")
    inherited = None if exception is None else classes[exception]
    return ErrorCode(
        code=row.text("code", CODE),
        meaning=row.text("meaning"),
        exception=exception,
        retryable=row.flag("retryable"),
        error_class=error_class(row) or inherited,
    )


def _retired(row: Table) -> Retired:
    kind = choice(row, "kind", _KINDS)
    return Retired(
        kind=cast("Literal['event', 'warning_code', 'error_code', 'attribute']", kind),
        name=row.text("name"),
        since=row.text("since", RELEASE),
    )


def _classes_by_code(
    error_codes: Iterable[ErrorCode], exceptions: Iterable[ExceptionDeclaration]
) -> dict[str, ErrorClass | None]:
    found: dict[str, set[ErrorClass | None]] = {}
    for code in error_codes:
        found.setdefault(code.code, set()).add(code.error_class)
    for declared in exceptions:
        if declared.code is not None:
            found.setdefault(declared.code, set()).add(declared.error_class)
        for when in declared.conditions:
            found.setdefault(when.code, set()).add(when.error_class or declared.error_class)
    return {code: next(iter(one)) if len(one) == 1 else None for code, one in found.items()}


def _refuse_doubles(top: Table, one: Contract) -> None:
    lists: tuple[tuple[str, str, list[Hashable]], ...] = (
        ("events", "name", [event.name for event in one.events]),
        ("warning_codes", "code", [(row.code, row.emitted_by) for row in one.warning_codes]),
        ("exceptions", "class", [row.class_name for row in one.exceptions]),
        ("error_codes", "code", [(row.code, row.exception) for row in one.error_codes]),
        (
            "records",
            "template",
            [(row.source, row.logger, row.module, row.key, row.levelno) for row in one.records],
        ),
        ("patterns", "pattern", [(row.logger, row.regex.pattern) for row in one.patterns]),
        ("retired", "name", [(row.kind, row.name) for row in one.retired]),
    )
    for table, key, identities in lists:
        first: dict[Hashable, int] = {}
        for i, identity in enumerate(identities):
            if first.setdefault(identity, i) != i:
                top.fail(
                    f"{table}[{i}].{key}",
                    f"{table}[{first[identity]}] says this already",
                    "Take one of the two out.",
                )


def _refuse_retired(top: Table, one: Contract, error_codes: Iterable[str]) -> None:
    used: Mapping[str, set[str]] = {
        "event": {event.name for event in one.events},
        "warning_code": {row.code for row in one.warning_codes},
        "error_code": set(error_codes),
        "attribute": {name for name, _, _ in _exported(one)},
    }
    for i, row in enumerate(one.retired):
        if row.name in used[row.kind]:
            top.fail(
                f"retired[{i}].name",
                f"this {row.kind} is retired and in use",
                "Take another name: old records still mean the former thing by it.",
            )


def _exported(one: Contract) -> Iterable[tuple[str, ValueType | None, str]]:
    for name, kind in one.attributes.items():
        yield name, kind, f"attributes.{name}"
    for i, declared in enumerate(one.exceptions):
        for safe in declared.attributes:
            yield safe.name, safe.type, f"exceptions[{i}].attributes.{safe.name}"
    for i, record in enumerate(one.records):
        for j, arg in enumerate(record.args):
            if arg.attribute is not None:
                yield arg.attribute, arg.type, f"records[{i}].args[{j}]"
    for i, pattern in enumerate(one.patterns):
        for group, arg in pattern.groups.items():
            if arg.attribute is not None:
                yield arg.attribute, arg.type, f"patterns[{i}].groups.{group}"


def _refuse_two_types(top: Table, one: Contract) -> None:
    first: dict[str, tuple[ValueType | None, str]] = {}
    for name, kind, place in _exported(one):
        other, where = first.setdefault(name, (kind, place))
        if other != kind:
            top.fail(
                place,
                f"{name} has another type in {where}",
                "Give an attribute one type in the whole contract.",
            )
