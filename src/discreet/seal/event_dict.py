"""Event dicts: the form in which structlog has a record, sealed as log records are.

The key ``event`` of such a dict is the text; the name that a contract gives an event comes as ``event_name``, or is
the text itself. Everything else is a pair of the kind of logging's ``extra``.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Mapping
from typing import Any, Final

from opentelemetry.trace import get_current_span

from discreet.content import is_open
from discreet.contract import Registry, active
from discreet.contract.model import LoggerPolicy
from discreet.declared import Public
from discreet.export.ledger import LEDGER
from discreet.match_mode import in_match_mode
from discreet.scoped import NOTICES
from discreet.seal.about import among
from discreet.seal.callsite import Site
from discreet.seal.event_forms import SealedEvent, SealedText
from discreet.seal.exceptions import describe, from_exc_info
from discreet.seal.matched import match_message
from discreet.seal.message import seal_message, whole_message
from discreet.seal.names import STANDARD_LEVELS, level_name, level_number, logger_name
from discreet.seal.outside import find_event
from discreet.seal.public import public_attribute
from discreet.seal.sealed import Place, Sealed, of_request, sane_time
from discreet.seal.sealing import NOTHING, annotate_into, complain_of_names, withhold_all
from discreet.seal.types import WITHHELD, Scalar
from discreet.seal.values import NOTES, note, notes

__all__ = ["of_record", "seal_event"]

_HANDLED: Final = frozenset(
    {"event", "event_name", "positional_args", "exc_info", "warning_code", "error_code", "error_class"}
)
"""Keys that are sealed as what they are, not as pairs."""

_OF_STRUCTLOG: Final = frozenset(
    {
        "_from_structlog",
        "_record",
        "exception",
        "level",
        "level_number",
        "logger",
        "logger_name",
        "stack",
        "stack_info",
        "stacklevel",
        "timestamp",
    }
)
"""Keys of structlog's own processors: what they say is said by sealing, or not at all."""

_NO_ARGS: Final[tuple[Any, ...]] = ()


def seal_event(
    values: Mapping[str, Any],
    *,
    name: object = None,
    levelno: int = logging.INFO,
    level: object = None,
    created: float | None = None,
    record: logging.LogRecord | None = None,
) -> Sealed:
    """Return the sealed form of an event dict. Never raises; the dict is not changed.

    Args:
        values: the event dict.
        name: the logger's name; None for the module that makes the call.
        levelno: the level's number.
        level: the level's name where it isn't one of the usual ones.
        created: seconds since the epoch; None for now.
        record: the log record that carries the dict, if there is one.

    .. versionadded:: 0.1.0
    """
    try:
        sealed = _seal(values, name, levelno, level, created, record)
        if NOTICES:
            NOTICES[0](sealed)
    except Exception as error:
        # The guard failed: everything of the event is withheld, and the failure is counted, never raised.
        try:
            LEDGER.failure("seal event", error)
            sealed = withhold_all({"levelno": levelno})
            sealed.keys = frozenset()
            LEDGER.withhold("?", "<withheld>", "record", reason="failed")
            notes()
        except (RecursionError, MemoryError):
            # Near the limit of the stack or of memory: nothing more is called.
            return NOTHING
    complain_of_names(sealed)
    return sealed


def _seal(
    values: Mapping[str, Any],
    name: object,
    levelno: int,
    level: object,
    created: float | None,
    record: logging.LogRecord | None,
) -> Sealed:
    registry = active()
    # A dict of the application's own class is read once, by its own methods as structlog does.
    d = dict(values)
    msg = d.get("event", "")
    args = d.get("positional_args")
    if type(args) is tuple and len(args) == 1 and type(args[0]) is dict and args[0]:
        args = args[0]
    site = find_event(msg, registry.wrappers, has_args=bool(args) if type(args) in (tuple, dict) else args is not None)
    if name is None:
        name = site.module or "root"
    policy = registry.policy(name) if type(name) is str else LoggerPolicy()
    shown = logger_name(name, site.code, site.module)
    row = registry.record(name, site.module, site.key, levelno) if site.key is not None else None
    make = match_message if in_match_mode(name) else seal_message
    text, template, safe_args, found_row, withheld, whole, attributes = make(
        msg, args, site, row, name if type(name) is str else "", levelno, registry
    )
    if whole and type(msg) is str and registry.is_event(msg):
        # The field `event` says the same.
        text, template, safe_args, whole = msg, msg, _NO_ARGS, False
    out: dict[str, Any] = {
        "created": sane_time(created),
        "level": STANDARD_LEVELS.get(levelno) or level_name(levelno, level),
        "levelno": level_number(levelno),
        "logger": shown,
        "message": text,
        "msg": template,
        "args": safe_args,
    }
    exception, traceback = from_exc_info(_exc_info(d, record))
    facts = describe(exception, traceback, registry) if exception is not None else None
    if exception is None:
        exception = among(msg, args) or next(
            (value for value in d.values() if issubclass(type(value), BaseException)), None
        )
    pairs, gone = _pairs(d, policy)
    attributes = {**of_request(), **(attributes or {}), **pairs}
    _count(site, shown, messages=int(whole), arguments=withheld, attributes=gone, noted=notes() if NOTES else [])
    codes = _codes(d, msg, registry)
    if found_row is not None or exception is not None or codes:
        attributes = annotate_into(out, codes, registry, found_row, exception, facts, attributes) or {}
    context = get_current_span().get_span_context()
    if context.is_valid:
        out["trace_id"] = context.trace_id
        out["span_id"] = context.span_id
    if attributes:
        out["attributes"] = attributes
    if facts is not None:
        out["exception"] = facts
    if withheld or whole or gone:
        out["withheld"] = withheld + whole + gone
        if whole and site.function is not None:
            out["function"] = f"{site.module}.{site.function}"
            out["line"] = site.line
    if record is not None and policy.content and levelno == logging.DEBUG and is_open(name):
        out["content"] = True
        out["content_message"] = whole_message(record)
    out["keys"] = frozenset(_OF_STRUCTLOG.intersection(key for key in d if type(key) is str))
    sealed = Sealed.of(**out)
    if site.code is not None:
        sealed.place = Place(site.code)
    return sealed


def _exc_info(d: dict[str, Any], record: logging.LogRecord | None) -> object:
    if "exc_info" in d:
        return d["exc_info"]
    if d.get("exception") is not None:
        # Another processor has made a text of it; what is being handled is still what it was made from.
        return sys.exc_info()
    return record.__dict__.get("exc_info") if record is not None else None


def _pairs(d: dict[str, Any], policy: LoggerPolicy) -> tuple[dict[str, Scalar], int]:
    """Return the declared pairs in their types, and how many others there are."""
    found: dict[str, Scalar] = {}
    gone = 0
    for key, value in d.items():
        if type(key) is str:
            kind = policy.attributes.get(key)
            if kind is not None and key not in _HANDLED:
                safe = kind.safe(value) if type(value) is not Public else public_attribute(kind, value)
                if safe is not WITHHELD:
                    found[key] = safe
                    continue
                if type(value) is not Public:
                    note(kind.refusal(value), "attribute")
            elif key in _HANDLED or key in _OF_STRUCTLOG:
                continue
        gone += 1
    return found, gone


def _codes(d: dict[str, Any], msg: object, registry: Registry) -> dict[str, Any]:
    codes = {name: d[name] for name in ("warning_code", "error_code") if d.get(name) is not None}
    event = d.get("event_name")
    if event is None and type(msg) is str and registry.is_event(msg):
        # The usual way with structlog: the text is the event's name.
        event = msg
    if event is not None:
        codes["event"] = event
    return codes


def _count(
    site: Site, logger: str, *, messages: int, arguments: int, attributes: int, noted: list[tuple[str, str]]
) -> None:
    if messages or arguments or attributes or noted:
        place = f"{site.module}.{site.function}:{site.line}" if site.module is not None else "?"
        counts = LEDGER.counts_of(place, logger, site.place)
        counts.messages += messages
        counts.arguments += arguments
        counts.attributes += attributes
        LEDGER.note(counts, noted)


def of_record(record: logging.LogRecord, d: dict[str, Any]) -> Sealed | None:
    """Return the sealed form of a log record that structlog made, None if it made none of it.

    Args:
        record: the record.
        d: its attributes.
    """
    msg: Any = d.get("msg")
    kind = type(msg)
    if kind is SealedEvent or kind is SealedText:
        sealed: Sealed = msg.sealed
        return sealed
    if issubclass(kind, dict) and "_logger" in d and "_name" in d:
        # As ProcessorFormatter recognizes what ProcessorFormatter.wrap_for_formatter made.
        return seal_event(
            msg,
            name=d.get("name"),
            levelno=level_number(d.get("levelno")),
            level=d.get("levelname"),
            created=d.get("created"),
            record=record,
        )
    return None
