"""What handlers of other packages get: a sealed copy of the record, with the fields that their format asks for."""

from __future__ import annotations

import logging
import logging.handlers
import re
import weakref
from collections.abc import Mapping
from types import TracebackType
from typing import Any, Final

from discreet.export.ledger import LEDGER
from discreet.seal.event_forms import SealedText, keep_text, reshape, takes_events
from discreet.seal.exceptions import from_exc_info
from discreet.seal.names import process_name, task_name, thread_name
from discreet.seal.record import ASKED, SealedRecord, bare_record, refreshed, sealed_record
from discreet.seal.sealed import BLANK_RECORD, Place
from discreet.seal.sealing import seal, withhold_all
from discreet.seal.values import MAX_INT

_LOCAL: Final = frozenset(
    {
        logging.StreamHandler,
        logging.FileHandler,
        logging.handlers.RotatingFileHandler,
        logging.handlers.TimedRotatingFileHandler,
        logging.handlers.WatchedFileHandler,
    }
)
"""Handlers of which it is known that they stay on the machine: only these get a content logger's originals."""

_FIELD: Final = re.compile(r"%\(([^)]*)\)|\$\{?([A-Za-z_]\w*)|\{([A-Za-z_]\w*)")
_NOTHING: Final[tuple[frozenset[str], bool, bool]] = (frozenset(), False, False)
_MAX_FORMATTERS: Final = 256
# By id, because a dictionary of weak references takes five times as long; the reference tells whether it is the same.
_formatters: dict[int, tuple[weakref.ref[logging.Formatter], object, frozenset[str], bool, bool]] = {}

READ_SEALED: Final[set[type]] = set()
"""Formatters that read nothing of a record but its sealed form. Logging's own handlers need no more of it either."""


def record_for(handler: logging.Handler | None, record: logging.LogRecord) -> logging.LogRecord:
    """Return what a handler may get: a sealed copy, or the record itself if it is a content logger's and stays here.

    Never raises: if the copy can't be made, one that shows nothing takes its place.
    """
    fields, bare, events = _asked(handler)
    return record_with(record, fields, local=type(handler) in _LOCAL, bare=bare, events=events)


def record_with(
    record: logging.LogRecord, fields: frozenset[str], *, local: bool, bare: bool = False, events: bool = False
) -> logging.LogRecord:
    """Return the same for handlers of which is known what their formats ask for, and whether all stay on the machine.

    Args:
        record: the record.
        fields: attribute names that the formats ask for.
        local: whether a content logger's record may go to them whole.
        bare: whether nothing of the record is read but its sealed form.
        events: whether a formatter is structlog's ``ProcessorFormatter``.
    """
    try:
        if type(record) is SealedRecord:
            copy = refreshed(record, fields)
            if events:
                reshape(copy)
            return copy
        sealed = seal(record)
        if sealed.content and local:
            return record
        if bare:
            return bare_record(sealed)
        d = record.__dict__
        exception: tuple[BaseException, TracebackType | None] | None = None
        if sealed.exception is not None:
            found, traceback = from_exc_info(record.__dict__.get("exc_info"))
            if found is not None:
                exception = (found, traceback)
        copy = sealed_record(d, sealed, _begun(d, sealed.place), exception, fields)
        if type(d.get("msg")) is SealedText:
            keep_text(copy, d["msg"])
        if events:
            reshape(copy)
        return copy
    except Exception as error:
        return failed(record, "sealed record", error)


def withheld_record(record: object) -> SealedRecord:
    """Return a copy of a record, or of what somebody handled as one, that shows nothing but level and time."""
    d = record.__dict__ if isinstance(record, logging.LogRecord) else {}
    return sealed_record(d, withhold_all(d), BLANK_RECORD.copy(), None)


BLANK: Final = withheld_record(None)
"""Such a copy, made beforehand for when none can be made any more."""

STARVED: Final = ("sealed record", "RecursionError")
"""How the ledger counts what failed when its own method could not be called either."""


def failed(record: object, where: str, error: BaseException) -> SealedRecord:
    """Count a failure of the guard and return a copy that shows nothing. Never raises.

    Args:
        record: the record.
        where: the place that the ledger counts it at.
        error: what went wrong.
    """
    try:
        LEDGER.failure(where, error)
        return withheld_record(record)
    except Exception:
        # What fails is needed here too: it is counted without a call.
        failures = LEDGER._failures  # noqa: SLF001 -- the same reason
        failures[STARVED] = failures.get(STARVED, 0) + 1
        return BLANK


def is_local(handler: logging.Handler) -> bool:
    """Tell whether a handler is known to stay on the machine."""
    return type(handler) in _LOCAL


def fields_of(handler: logging.Handler | None) -> frozenset[str]:
    """Return the attribute names that a handler's format string asks for."""
    return _asked(handler)[0]


def for_events(handler: logging.Handler) -> bool:
    """Tell whether a handler's formatter is structlog's ``ProcessorFormatter``."""
    return _asked(handler)[2]


def _asked(handler: logging.Handler | None) -> tuple[frozenset[str], bool, bool]:
    """Return what a handler's formatter needs of a record.

    Returns:
        The attribute names that its format string asks for, whether it needs no record at all, and whether it is
        structlog's.
    """
    formatter = getattr(handler, "formatter", None)
    if formatter is None:
        return _NOTHING
    known = _formatters.get(id(formatter))
    if known is None or known[0]() is not formatter or known[1] is not getattr(formatter, "_fmt", None):
        if not isinstance(formatter, logging.Formatter):
            return _NOTHING
        template = getattr(formatter, "_fmt", None)
        found = _FIELD.findall(template) if type(template) is str else ()
        names = frozenset(name for match in found for name in match if name)
        ASKED.update(names)
        ours = type(formatter) in READ_SEALED and "format" not in vars(formatter)
        if len(_formatters) >= _MAX_FORMATTERS:
            _formatters.clear()
        known = _formatters[id(formatter)] = (
            weakref.ref(formatter),
            template,
            names,
            ours,
            takes_events(formatter),
        )
    return known[2], known[3] and type(handler) in _LOCAL, known[4]


def _begun(d: Mapping[str, Any], place: Place | None) -> dict[str, Any]:
    """Return the attributes of a sealed record, with the names set that are proven of the original."""
    # Only what the running frame itself says: a record can be made with any path and any function name.
    if place is not None and _same(d.get("pathname"), place.path) and _same(d.get("funcName"), place.function):
        begun = place.record.copy()
        line = d.get("lineno")
        begun["lineno"] = line if type(line) is int and 0 <= line <= MAX_INT else 0
    else:
        begun = BLANK_RECORD.copy()
    begun["threadName"] = thread_name(d.get("threadName"))
    begun["processName"] = process_name(d.get("processName"))
    # From 3.12 on logging sets it; before, programs that want it set it themselves.
    if "taskName" in d:
        begun["taskName"] = task_name(d["taskName"])
    else:
        begun.pop("taskName", None)
    return begun


def _same(value: object, text: str) -> bool:
    return value is text or (type(value) is str and value == text)
