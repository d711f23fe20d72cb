"""Annotation: what a record means in the words of a contract."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterable, Mapping
from os import PathLike
from typing import Any, Final, NamedTuple

from discreet.contract import Registry, activate
from discreet.contract.model import PatternRow, RecordRow
from discreet.errors import ConfigurationError
from discreet.export.ledger import LEDGER
from discreet.seal.exceptions import ExceptionFacts, code_of
from discreet.seal.types import Scalar

__all__ = ["EventFilter"]

UNDECLARED: Final = "undeclared"
"""Stands in a record for an event or a code that no active contract declares; the text itself is never shown."""


class Annotation(NamedTuple):
    """What a record means: None where there is nothing to say."""

    event: str | None
    warning_code: str | None
    error_code: str | None
    error_class: str | None
    attributes: dict[str, Scalar] | None
    undeclared: tuple[str, ...] = ()


NOTHING: Final = Annotation(None, None, None, None, None)


def annotate(  # noqa: PLR0912 -- one decision after the other, in the order that the docstring tells
    d: Mapping[str, Any],
    registry: Registry,
    row: RecordRow | PatternRow | None,
    exception: BaseException | None,
    facts: ExceptionFacts | None = None,
) -> Annotation:
    """Find event, warning code and error code of a record. First wins: the record, its exception, the row.

    Args:
        d: the record's attributes.
        registry: the active contracts.
        row: the contract's row for the record's template, if there is one.
        exception: the exception of ``exc_info`` or among the arguments.
        facts: what is known of it already.
    """
    event = d.get("event")
    warning_code = d.get("warning_code")
    error_code = d.get("error_code")
    if row is None and exception is None and event is None and warning_code is None and error_code is None:
        return NOTHING
    undeclared: list[str] = []
    if event is not None and not (type(event) is str and registry.is_event(event)):
        event = _undeclared("event", event, undeclared)
    if warning_code is not None and not (type(warning_code) is str and registry.is_warning_code(warning_code)):
        warning_code = _undeclared("warning_code", warning_code, undeclared)
    error_class: str | None = None
    attributes: dict[str, Scalar] | None = None
    if error_code is not None:
        if type(error_code) is str and registry.is_error_code(error_code):
            error_class = registry.error_class(error_code)
        else:
            error_code = _undeclared("error_code", error_code, undeclared)
    if exception is None and row is not None and row.error_code_from == "handled":
        exception = sys.exc_info()[1]
    if exception is not None:
        found = facts or code_of(exception, registry)
        if found.undeclared:
            undeclared.append("error_code")
        if error_code is None and found.code is not None:
            error_code, error_class = found.code, found.error_class
        elif error_code == found.code and found.error_class is not None:
            error_class = found.error_class
        attributes = dict(found.attributes) if found.attributes else None
    if row is not None:
        event = event if event is not None else row.event
        warning_code = warning_code if warning_code is not None else row.warning_code
        if error_code is None and row.error_code is not None:
            error_code = row.error_code
            error_class = row.error_class or registry.error_class(error_code)
    return Annotation(event, warning_code, error_code, error_class, attributes, tuple(undeclared))


def _undeclared(kind: str, value: object, found: list[str]) -> str:
    if type(value) is not str or value != UNDECLARED:
        found.append(kind)
    return UNDECLARED


class EventFilter(logging.Filter):
    """Give every record ``event``, ``warning_code`` and ``error_code``, None where there is nothing to say.

    Also ``error_class`` when it is known. What the record already carries wins; then the exception in ``exc_info`` or
    among the arguments; then the contract's row for the message's template. An event or code that no contract
    declares becomes ``undeclared`` and is counted.

    Put it on handlers: a filter on a logger doesn't see records of its children.

    Args:
        name: as for :class:`logging.Filter`; records of other loggers pass untouched.
        contracts: contract files, or names of shipped ones, to make active for the process.
        attributes: application-wide attributes and their types.
        routes: route templates of the application, such as ``/items/{item_id}``.
        hosts: hosts that the program talks to, which the types `host` and `origin` show.

    Raises:
        ConfigurationError: a contract is wrong.

    .. versionadded:: 0.1.0
    """

    def __init__(
        self,
        name: str = "",
        *,
        contracts: Iterable[str | PathLike[str]] = (),
        attributes: Mapping[str, Any] | None = None,
        routes: Iterable[str] = (),
        hosts: Iterable[str] = (),
    ) -> None:
        if type(name) is not str:
            raise ConfigurationError("must be a text", place="name", remedy="Leave it out for all loggers.")
        super().__init__(name)
        activate(contracts, attributes, routes, hosts)
        _functions()

    def filter(self, record: logging.LogRecord) -> bool:
        """Annotate the record and let it pass."""
        if self.name and not super().filter(record):
            return True
        try:
            seal, resealed = _sealing or _functions()
            sealed = seal(record)
            d = record.__dict__
            d["event"] = sealed.event
            d["warning_code"] = sealed.warning_code
            d["error_code"] = sealed.error_code
            if sealed.error_class is not None:
                d["error_class"] = sealed.error_class
            resealed(record)
        except Exception as error:
            # A filter that raises would make the application's log call fail.
            LEDGER.failure("EventFilter", error)
        return True


_sealing: tuple[Callable[[logging.LogRecord], Any], Callable[[logging.LogRecord], None]] | None = None


def _functions() -> tuple[Callable[[logging.LogRecord], Any], Callable[[logging.LogRecord], None]]:
    # Sealing annotates, and so imports this module. Imported once, because at the interpreter's end nothing can be.
    global _sealing
    from discreet.seal.sealing import resealed, seal

    _sealing = (seal, resealed)
    return _sealing
