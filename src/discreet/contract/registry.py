"""All active contracts as one: the look-ups that annotation and sealing make for each record."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from discreet.contract.classes import ClassIndex
from discreet.contract.model import (
    Contract,
    ErrorClass,
    ErrorCode,
    Event,
    ExceptionDeclaration,
    ExceptionRow,
    LoggerPolicy,
    PatternRow,
    RecordRow,
    SafeAttribute,
)
from discreet.errors import ContractError

if TYPE_CHECKING:
    from discreet.seal.types import ValueType

__all__ = ["REQUEST_ID", "Registry"]

REQUEST_ID: Final = "request_id"
"""The attribute of our own contract that records of all loggers may have: a middleware gives it to them.

.. versionadded:: 0.1.0
"""

_OURS: Final = "discreet"

_MAX_CACHED: Final = 8192
_NO_ROWS: Final[tuple[RecordRow, ...]] = ()
_NO_PATTERNS: Final[tuple[PatternRow, ...]] = ()


def _never(_distribution: str, _specifier: str) -> bool:
    return False


class Registry:
    """What names exist, over all active contracts.

    Every method takes what it finds in a record as it is: a value that is no `str` (a
    subclass of it isn't one) is unknown, and none of its methods is called.

    Args:
        contracts: The active contracts. Their names, loggers, content loggers, exception
            classes and template rows must be unique among them.
        attributes: What `extra` may carry on every logger, beside its contract's own.
        release_in: Tells whether the installed release of a distribution is in a specifier;
            nothing is, by default.
        problems: Contracts that were found and could not be made active, for reports.

    Raises:
        ContractError: Two contracts claim the same name.

    .. versionadded:: 0.1.0
    """

    def __init__(
        self,
        contracts: Iterable[Contract] = (),
        attributes: Mapping[str, ValueType] | None = None,
        *,
        release_in: Callable[[str, str], bool] = _never,
        problems: tuple[ContractError, ...] = (),
    ) -> None:
        self.contracts: tuple[Contract, ...] = tuple(contracts)
        self.attributes: Mapping[str, ValueType] = MappingProxyType(dict(attributes or {}))
        self.problems = problems
        self._release_in = release_in
        _refuse_doubles(self.contracts)
        self._index_names()
        self._index_records()
        self._index_exceptions()

    def _index_names(self) -> None:
        self._owners = {name: one for one in self.contracts for name in one.loggers}
        self._policies: dict[str, LoggerPolicy] = {}
        ours = next((one.attributes for one in self.contracts if one.name == _OURS), {})
        everywhere = {REQUEST_ID: ours[REQUEST_ID]} if REQUEST_ID in ours else {}
        self._everywhere: Mapping[str, ValueType] = MappingProxyType({**everywhere, **self.attributes})
        self._unowned = LoggerPolicy(attributes=self._everywhere)
        self.wrappers: frozenset[str] = frozenset(name for one in self.contracts for name in one.wrappers)
        self.logger_prefixes: tuple[str, ...] = tuple(sorted(self._owners))
        self._events: dict[str, Event] = {}
        # What we log for a library that doesn't is called as the library's own, whose contract says more of it.
        for one in sorted(self.contracts, key=lambda one: one.name == _OURS):
            for event in one.events:
                self._events.setdefault(event.name, event)
        self._warning_codes = frozenset(row.code for one in self.contracts for row in one.warning_codes)

    def _index_records(self) -> None:
        by_logger: dict[tuple[str, str], list[RecordRow]] = {}
        by_module: dict[tuple[str, str], list[RecordRow]] = {}
        printed: dict[tuple[str, str], RecordRow] = {}
        templates: dict[str, list[RecordRow]] = {}
        for row in (row for one in self.contracts for row in one.records):
            if row.source == "print":
                if row.module is not None:
                    printed[row.module, row.key] = row
            elif row.logger is not None:
                by_logger.setdefault((row.logger, row.key), []).append(row)
                templates.setdefault(row.logger, []).append(row)
            elif row.module is not None:
                by_module.setdefault((row.module, row.key), []).append(row)
        # Rows for one level come first, so that the one for all levels is the last resort.
        self._by_logger = {key: _levelled(rows) for key, rows in by_logger.items()}
        self._by_module = {key: _levelled(rows) for key, rows in by_module.items()}
        self._printed = printed
        self._templates = {name: tuple(rows) for name, rows in templates.items()}
        patterns: dict[str, list[PatternRow]] = {}
        for pattern in (row for one in self.contracts for row in one.patterns):
            patterns.setdefault(pattern.logger, []).append(pattern)
        self._pattern_owners = {name: tuple(rows) for name, rows in patterns.items()}
        self._patterns: dict[str, tuple[PatternRow, ...]] = {}
        self.known_loggers: frozenset[str] = frozenset((*self._owners, *self._templates, *self._pattern_owners))

    def _index_exceptions(self) -> None:
        rows: dict[str, tuple[Contract, ExceptionDeclaration, Mapping[str, ErrorCode]]] = {}
        classes: dict[str, set[ErrorClass | None]] = {}
        for one in self.contracts:
            own: dict[str, dict[str, ErrorCode]] = {}
            for code in one.error_codes:
                classes.setdefault(code.code, set()).add(code.error_class)
                if code.exception is not None:
                    own.setdefault(code.exception, {})[code.code] = code
            for declared in one.exceptions:
                rows[declared.class_name] = (one, declared, own.get(declared.class_name, {}))
                if declared.code is not None:
                    classes.setdefault(declared.code, set()).add(declared.error_class)
                for condition in declared.conditions:
                    condition_class = condition.error_class or declared.error_class
                    classes.setdefault(condition.code, set()).add(condition_class)
        self._error_classes = {code: next(iter(found)) if len(found) == 1 else None for code, found in classes.items()}
        self._exceptions: ClassIndex[ExceptionRow] = ClassIndex(rows, self._combine)

    def policy(self, logger_name: object) -> LoggerPolicy:
        """Return what holds for a logger: its contract, whether it is a content logger, `extra`.

        Args:
            logger_name: The record's `name`.
        """
        if type(logger_name) is not str:
            return self._unowned
        found = self._policies.get(logger_name)
        return self._make_policy(logger_name) if found is None else found

    def _make_policy(self, name: str) -> LoggerPolicy:
        owner = next((self._owners[one] for one in _lineage(name) if one in self._owners), None)
        policy = self._unowned
        if owner is not None:
            policy = LoggerPolicy(
                contract=owner.name,
                content=name in owner.content_loggers,
                # The contract's own type wins: the library was read with it.
                attributes=MappingProxyType({**self._everywhere, **owner.attributes}),
            )
        if _may_remember(name, self._policies):
            self._policies[name] = policy
        return policy

    def is_event(self, name: object) -> bool:
        """Tell whether an active contract declares an event of this name.

        Args:
            name: What a record carries as `event`.
        """
        return type(name) is str and name in self._events

    def is_warning_code(self, code: object) -> bool:
        """Tell whether an active contract declares this warning code.

        Args:
            code: What a record carries as `warning_code`.
        """
        return type(code) is str and code in self._warning_codes

    def is_error_code(self, code: object) -> bool:
        """Tell whether an active contract declares this error code, under any class.

        Args:
            code: What a record carries as `error_code`.
        """
        return type(code) is str and code in self._error_classes

    def event(self, name: object) -> Event | None:
        """Return the event of this name, of the first contract that declares it.

        Args:
            name: What a record carries as `event`.
        """
        return self._events.get(name) if type(name) is str else None

    def error_class(self, code: object) -> ErrorClass | None:
        """Return who can do something about an error, from its code alone.

        None when no contract declares the code or when its rows don't agree.

        Args:
            code: What a record carries as `error_code`.
        """
        return self._error_classes.get(code) if type(code) is str else None

    def exception(self, cls: type) -> ExceptionRow | None:
        """Return what holds for an exception class; None when neither it nor a base has a row.

        Args:
            cls: The class, as ``type(exc)`` gives it.
        """
        return self._exceptions.get(cls)

    def _combine(self, rows: list[tuple[Any, bool]]) -> ExceptionRow:
        contract, nearest, _ = rows[0][0]
        codes: dict[str, ErrorCode] = {}
        attributes: dict[str, SafeAttribute] = {}
        for (_, declared, own), _exact in rows:
            for name, code in own.items():
                codes.setdefault(name, code)
            for attribute in declared.attributes:
                attributes.setdefault(attribute.name, attribute)
        declarations = [row[1] for row, _exact in rows]
        code_at = next((i for i, one in enumerate(declarations) if one.code is not None), None)
        # A class that has a code of its own doesn't take its bases' conditions.
        last = len(declarations) if code_at is None else code_at + 1
        return ExceptionRow(
            class_name=nearest.class_name,
            contract=contract.name,
            error_class=next((one.error_class for one in declarations if one.error_class), None),
            code=None if code_at is None else declarations[code_at].code,
            own_code=next((one.own_code for one in declarations if one.own_code is not None), False),
            code_of_cause=next((one.code_of_cause for one in declarations if one.code_of_cause is not None), False),
            codes=MappingProxyType(codes),
            safe_message=rows[0][1] and self._is_safe(nearest),
            attributes=tuple(attributes.values()),
            conditions=tuple(when for one in declarations[:last] for when in one.conditions),
        )

    def _is_safe(self, declared: ExceptionDeclaration) -> bool:
        safe = declared.safe_message
        if isinstance(safe, bool):
            return safe
        return declared.distribution is not None and self._release_in(declared.distribution, safe)

    def record(self, logger: object, module: object, template: object, level: object = None) -> RecordRow | None:
        """Return the row of a logging call: the one for exactly this logger, else for the module.

        Args:
            logger: The record's `name`.
            module: The module of the call site, when it is known.
            template: The message's template, with ``{}`` for each slot.
            level: The record's level number. Without it only rows for all levels are found.
        """
        if type(template) is not str:
            return None
        found: RecordRow | None = None
        if type(logger) is str:
            found = _for_level(self._by_logger.get((logger, template), _NO_ROWS), level)
        if found is None and type(module) is str:
            found = _for_level(self._by_module.get((module, template), _NO_ROWS), level)
        return found

    def printed(self, module: object, template: object) -> RecordRow | None:
        """Return the row of a ``print`` call.

        Args:
            module: The module of the call site.
            template: What is printed, with ``{}`` for each slot.
        """
        if type(module) is str and type(template) is str:
            return self._printed.get((module, template))
        return None

    def templates(self, logger: object) -> tuple[RecordRow, ...]:
        """Return the rows for exactly this logger, for records whose call site is out of reach.

        Args:
            logger: The record's `name`.
        """
        return self._templates.get(logger, _NO_ROWS) if type(logger) is str else _NO_ROWS

    def patterns(self, logger: object) -> tuple[PatternRow, ...]:
        """Return the patterns for messages of this logger, its own before its parents'.

        Args:
            logger: The record's `name`.
        """
        if type(logger) is not str or not self._pattern_owners:
            return _NO_PATTERNS
        found = self._patterns.get(logger)
        if found is None:
            found = tuple(row for name in _lineage(logger) for row in self._pattern_owners.get(name, ()))
            if _may_remember(logger, self._patterns):
                self._patterns[logger] = found
        return found


def _lineage(name: str) -> Iterable[str]:
    while name:
        yield name
        name = name.rpartition(".")[0]


def _may_remember(name: str, cache: Mapping[str, object]) -> bool:
    """Tell whether a logger's name may be kept: only if logging keeps it anyway.

    A record that was made by hand may have any text as its name.
    """
    return len(cache) < _MAX_CACHED and (name in logging.root.manager.loggerDict or name == "root")


def _for_level(rows: tuple[RecordRow, ...], level: object) -> RecordRow | None:
    for row in rows:
        if row.levelno is None or (type(level) is int and row.levelno == level):
            return row
    return None


def _levelled(rows: list[RecordRow]) -> tuple[RecordRow, ...]:
    return tuple(sorted(rows, key=lambda row: row.levelno is None))


def _refuse_doubles(contracts: tuple[Contract, ...]) -> None:
    seen: dict[tuple[str, ...], Contract] = {}
    for one in contracts:
        for place, claim in _claims(one):
            other = seen.setdefault(claim, one)
            if other is not one and claim[0] == "contract":
                raise ContractError(
                    f"the contract {other.name} of {other.file} is active already",
                    file=one.file,
                    key=place,
                    remedy="Take another name; or, if this is a newer text of it, install the package that brings it.",
                )
            if other is not one:
                raise ContractError(
                    f"{' '.join(claim)} is declared by the contract {other.name} too",
                    file=one.file,
                    key=place,
                    remedy=f"Take it out here or don't make {other.name} ({other.file}) active.",
                )


def _claims(one: Contract) -> Iterable[tuple[str, tuple[str, ...]]]:
    yield "contract.name", ("contract", one.name)
    for i, name in enumerate(one.loggers):
        yield f"loggers.names[{i}]", ("logger", name)
    for i, name in enumerate(one.content_loggers):
        yield f"loggers.content[{i}]", ("content logger", name)
    for i, declared in enumerate(one.exceptions):
        yield f"exceptions[{i}].class", ("exception class", declared.class_name)
    for i, row in enumerate(one.records):
        where = row.logger or row.module or ""
        level = "" if row.levelno is None else f"level {row.levelno}"
        kind = "template" if row.logger else "module template"
        yield f"records[{i}].template", (kind, row.source, where, row.key, level)
