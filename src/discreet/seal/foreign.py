"""What handlers of other packages get: a sealed copy of the record, with the fields that their format asks for."""

from __future__ import annotations

import logging
import logging.handlers
import re
import weakref
from types import TracebackType
from typing import Any, Final

from discreet.contract import active
from discreet.export.ledger import LEDGER
from discreet.seal.callsite import find
from discreet.seal.event_forms import keep_text, reshape, takes_events
from discreet.seal.exceptions import from_exc_info
from discreet.seal.names import process_name, task_name, thread_name
from discreet.seal.record import SealedRecord, refreshed, sealed_record
from discreet.seal.sealing import seal, withhold_all

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
_fields: weakref.WeakKeyDictionary[logging.Formatter, tuple[object, frozenset[str]]] = weakref.WeakKeyDictionary()


def record_for(handler: logging.Handler | None, record: logging.LogRecord) -> logging.LogRecord:
    """Return what a handler may get: a sealed copy, or the record itself if it is a content logger's and stays here.

    Never raises: if the copy can't be made, one that shows nothing takes its place.
    """
    try:
        if type(record) is SealedRecord:
            copy = refreshed(record, fields_of(handler))
            if takes_events(handler):
                reshape(copy)
            return copy
        sealed = seal(record)
        if sealed.content and type(handler) in _LOCAL:
            return record
        d = record.__dict__
        exception: tuple[BaseException, TracebackType | None] | None = None
        if sealed.exception is not None:
            found, traceback = from_exc_info(d.get("exc_info"))
            if found is not None:
                exception = (found, traceback)
        names = _names(record)
        copy = sealed_record(record, sealed, names, exception, fields_of(handler))
        keep_text(copy, d.get("msg"))
        if takes_events(handler):
            reshape(copy)
        return copy
    except Exception as error:
        LEDGER.failure("sealed record", error)
        return withheld_record(record)


def withheld_record(record: logging.LogRecord) -> SealedRecord:
    """Return a copy of a record that shows nothing but level and time."""
    return sealed_record(record, withhold_all(record.__dict__), _unknown_place(), None)


def fields_of(handler: logging.Handler | None) -> frozenset[str]:
    """Return the attribute names that a handler's format string asks for."""
    formatter = getattr(handler, "formatter", None)
    if not isinstance(formatter, logging.Formatter):
        return frozenset()
    template = getattr(formatter, "_fmt", None)
    known = _fields.get(formatter)
    if known is not None and known[0] is template:
        return known[1]
    names = (
        frozenset(name for match in _FIELD.findall(template) for name in match if name)
        if type(template) is str
        else frozenset()
    )
    _fields[formatter] = (template, names)
    return names


def _unknown_place() -> dict[str, Any]:
    return {
        "pathname": "<unknown>",
        "filename": "<unknown>",
        "module": "<unknown>",
        "funcName": "<unknown>",
        "lineno": 0,
        "threadName": None,
        "processName": None,
        "taskName": None,
    }


def _names(record: logging.LogRecord) -> dict[str, Any]:
    d = record.__dict__
    names = _unknown_place()
    code = find(record, active().wrappers).code
    if code is not None:
        # Only what the running frame itself says: a record can be made with any path and any function name.
        path = code.co_filename
        if d.get("pathname") == path and d.get("funcName") == code.co_name:
            names["pathname"] = path
            names["filename"] = path.replace("\\", "/").rpartition("/")[2]
            names["module"] = names["filename"].rpartition(".")[0] or names["filename"]
            names["funcName"] = code.co_name
            line = d.get("lineno")
            names["lineno"] = line if type(line) is int and 0 <= line <= 9_999_999 else 0
    names["threadName"] = thread_name(d.get("threadName"))
    names["processName"] = process_name(d.get("processName"))
    # From 3.12 on logging sets it; before, programs that want it set it themselves.
    if "taskName" in d:
        names["taskName"] = task_name(d["taskName"])
    else:
        del names["taskName"]
    return names
