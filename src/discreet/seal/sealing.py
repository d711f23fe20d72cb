"""seal(): the one safe rendering of a record, from which every sink is made."""

from __future__ import annotations

import logging
import threading
import time
import weakref
from collections.abc import Mapping
from itertools import islice
from types import MappingProxyType
from typing import Any, Final

from opentelemetry.context import get_current
from opentelemetry.trace import get_current_span

from discreet.contract import Registry, active
from discreet.contract.model import LoggerPolicy, PatternRow, RecordRow
from discreet.events import annotate
from discreet.export.ledger import LEDGER, SiteCounts
from discreet.seal.callsite import NOWHERE, Site, find
from discreet.seal.exceptions import ExceptionFacts, describe, from_exc_info
from discreet.seal.message import PLAIN, args_of, is_simple, seal_message, simple_message
from discreet.seal.names import STANDARD_LEVELS, level_name, level_number, logger_name
from discreet.seal.outside import find_event
from discreet.seal.record import CODES, STANDARD_KEYS, Sealed, SealedRecord
from discreet.seal.types import WITHHELD, Scalar, ValueType
from discreet.seal.values import Placeholder, shown

_STANDARD_COUNT: Final = len(vars(logging.makeLogRecord({})))
_CODES: Final = frozenset(CODES) - {"error_class"}
_IGNORED: Final = STANDARD_KEYS.union(CODES)
_SANE_SECONDS: Final = 9_000_000_000.0
"""Later than the year 2255: a time in milliseconds, or none at all."""

_NO_POLICY: Final = LoggerPolicy()


class _Slot(threading.local):
    """The record that this thread sealed last: reference, what it was made from, result."""

    last: tuple[weakref.ref[logging.LogRecord], tuple[int, int, int, int], Sealed] | None = None
    complaining = False


_slot = _Slot()
_reference: Final = weakref.ref
_pending: list[tuple[str, str]] = []


def seal(record: logging.LogRecord) -> Sealed:
    """Return the sealed form of a record. Never raises; the record is not changed.

    The result is kept for the handlers that follow in the same thread, as long as nobody changes the record.

    .. versionadded:: 0.1.0
    """
    if type(record) is SealedRecord:
        return record.sealed
    d = record.__dict__
    last = _slot.last
    if last is not None and last[0]() is record and last[1] == _stamp(d):
        return last[2]
    try:
        sealed = _seal(record, d) if type(d.get("msg")) is str else _seal_object(record, d)
    except Exception as error:
        # The guard failed: everything of the record is withheld, and the failure is counted, never raised.
        LEDGER.failure("seal", error)
        sealed = withhold_all(d)
    # A weak reference, so that nothing of the record outlives it. Not on the record, where exporters would find it.
    _slot.last = (_reference(record), _stamp(d), sealed)
    if _pending:
        complain_of_names(sealed)
    return sealed


def _stamp(d: Mapping[str, Any]) -> tuple[int, int, int, int]:
    return id(d.get("msg")), id(d.get("args")), id(d.get("exc_info")), len(d)


def resealed(record: logging.LogRecord) -> None:
    """Keep the sealed form of a record although its attributes grew: for annotation, which adds only what was sealed."""
    last = _slot.last
    if last is not None and last[0]() is record:
        _slot.last = (last[0], _stamp(record.__dict__), last[2])


def withhold_all(d: Mapping[str, Any]) -> Sealed:
    """Return the sealed form of a record of which nothing but level and time may be shown."""
    levelno = level_number(d.get("levelno"))
    return Sealed(
        created=time.time(),
        level=level_name(levelno, None),
        levelno=levelno,
        logger="<withheld>",
        message="<record withheld: the guard failed>",
        msg="<record withheld: the guard failed>",
        args=None,
        withheld=1,
    )


class _Plan:
    """What is the same for every record of one call site, logger and level."""

    __slots__ = ("attributes", "content", "counts", "level", "levelno", "name", "registry", "row", "shown", "simple")

    def __init__(self, site: Site, name: object, levelno: int, registry: Registry) -> None:
        self.registry = registry
        self.name = name
        self.levelno = levelno
        self.level = STANDARD_LEVELS.get(levelno)
        policy = registry.policy(name) if type(name) is str else _NO_POLICY
        self.attributes = policy.attributes
        self.content = policy.content and levelno == logging.DEBUG
        self.shown = logger_name(name, site.code, site.module)
        self.row = registry.record(name, site.module, site.key, levelno) if site.key is not None else None
        # Whether the %-template's values can be shown one by one, without a look at their directives.
        self.simple = site.literal is not None and is_simple(site.literal, self.row)
        self.counts: SiteCounts | None = None

    def count(self, site: Site) -> SiteCounts:
        """Return the ledger's counts for this call site."""
        if self.counts is None:
            place = f"{site.module}.{site.function}:{site.line}" if site.module is not None else "?"
            self.counts = LEDGER.counts_of(place, self.shown)
        return self.counts


def _plan(site: Site, name: object, levelno: int, registry: Registry) -> _Plan:
    plan = _Plan(site, name, levelno, registry)
    # Kept only for names that logging keeps anyway: any other may be a customer's text.
    if site.code is not None and name in logging.root.manager.loggerDict:
        site.sealing = plan
    return plan


def _seal_object(record: logging.LogRecord, d: dict[str, Any]) -> Sealed:
    """Seal a record whose message is no text: an event dict of structlog, or any other object."""
    from discreet.seal.event_dict import of_record

    return of_record(record, d) or _seal(record, d)


def _seal(record: logging.LogRecord, d: dict[str, Any]) -> Sealed:
    registry = active()
    site = find(record, registry.wrappers)
    if site.key is None and site.module is not None and site.module.startswith("structlog."):
        # A logger that structlog's factory did not make takes structlog's own frame for the caller's.
        site = find_event(d.get("msg"), registry.wrappers, has_args=bool(args_of(d.get("args"))))
    get = d.get
    levelno = get("levelno")
    if type(levelno) is not int:
        levelno = logging.INFO
    name = get("name")
    plan: _Plan | None = site.sealing
    if plan is None or plan.name is not name or plan.registry is not registry or plan.levelno != levelno:
        plan = _plan(site, name, levelno, registry)
    created = get("created")
    msg = get("msg")
    args = get("args")
    sealed = _new(Sealed)
    out = sealed.__dict__ = {
        "created": created if type(created) is float and 0.0 < created < _SANE_SECONDS else _sane(created),
        "level": plan.level or level_name(levelno, get("levelname")),
        "levelno": levelno if plan.level is not None else level_number(levelno),
        "logger": plan.shown,
        "message": msg,
        "msg": msg,
        "args": args,
    }
    row: RecordRow | PatternRow | None = plan.row
    attributes: dict[str, Scalar] | None = None
    exception: BaseException | None = None
    facts: ExceptionFacts | None = None
    withheld = 0
    whole = False
    if site.literal is not msg or not (args is None or (type(args) in PLAIN and not args)) or type(msg) is not str:
        if plan.simple and site.literal is msg and type(args) is tuple:
            out["message"], out["msg"], out["args"], withheld, exception = simple_message(msg, args)
        else:
            message = seal_message(msg, args, site, row, name if type(name) is str else "", levelno, registry)
            out["message"], out["msg"], out["args"], row, withheld, whole, attributes = message
            if withheld or whole:
                exception = among(msg, args)
        if whole:
            plan.count(site).messages += 1
        if withheld:
            (plan.counts or plan.count(site)).arguments += withheld
    exc_info = get("exc_info")
    if exc_info is not None and exc_info is not False:
        found, traceback = from_exc_info(exc_info)
        if found is not None:
            exception = found
            facts = describe(found, traceback, registry)
    codes = _NO_CODES
    if len(d) > _STANDARD_COUNT:
        attributes, codes, gone, extras = _tail(record, d, plan.attributes, attributes)
        if gone:
            withheld += gone
            plan.count(site).attributes += gone
            out["extras"] = extras
    # From here on in the order of a line's fields, which are made of what is here.
    if row is not None or exception is not None or codes:
        attributes = annotate_into(out, codes, registry, row, exception, facts, attributes)
    if get_current():
        context = get_current_span().get_span_context()
        if context.is_valid:
            out["trace_id"] = context.trace_id
            out["span_id"] = context.span_id
    if attributes:
        out["attributes"] = attributes
    if facts is not None:
        out["exception"] = facts
    if withheld or whole:
        out["withheld"] = withheld + whole
        if whole and site.function is not None:
            out["function"] = f"{site.module}.{site.function}"
            out["line"] = site.line
    if plan.content and is_open(name):
        out["content"] = True
        out["content_message"] = whole_message(record)
    return sealed


_new: Final = object.__new__
_NO_CODES: Final[Mapping[str, Any]] = MappingProxyType({})


def annotate_into(
    out: dict[str, Any],
    codes: Mapping[str, Any],
    registry: Registry,
    row: RecordRow | PatternRow | None,
    exception: BaseException | None,
    facts: ExceptionFacts | None,
    attributes: dict[str, Scalar] | None,
) -> dict[str, Scalar] | None:
    """Put event and codes into the values of a sealed record; return the attributes with those of the exception."""
    if row is None and exception is None and len(codes) == 1:
        event = codes.get("event")
        if registry.is_event(event):
            out["event"] = event
            return attributes
    annotation = annotate(codes, registry, row, exception, facts)
    for name, value in zip(CODES, annotation, strict=False):
        if value is not None:
            out[name] = value
    for kind in annotation.undeclared:
        if LEDGER.undeclared(kind):
            _pending.append(("undeclared_name", kind))
    if annotation.attributes:
        return {**annotation.attributes, **attributes} if attributes else dict(annotation.attributes)
    return attributes


def _sane(created: object) -> float:
    if type(created) is int and 0 < created < _SANE_SECONDS:
        return float(created)
    return time.time()


def among(msg: object, args: object) -> BaseException | None:
    """Return the first exception among message and arguments: what a record without ``exc_info`` is about."""
    if issubclass(type(msg), BaseException):
        return msg  # type: ignore[return-value]
    for value in args_of(args):
        if issubclass(type(value), BaseException):
            return value  # type: ignore[no-any-return]
    return None


def _tail(
    record: logging.LogRecord,
    d: dict[str, Any],
    declared: Mapping[str, ValueType],
    attributes: dict[str, Scalar] | None,
) -> tuple[dict[str, Scalar] | None, Mapping[str, Any], int, dict[str, Any] | None]:
    """Look at what is on a record beside logging's own.

    Returns:
        The attributes with the declared ones, the codes, how many others were left out, placeholders for those.
    """
    codes: Mapping[str, Any] = _NO_CODES
    gone = 0
    extras: dict[str, Any] | None = None
    # An ordinary record has logging's own attributes first and the extras after them.
    items = islice(d.items(), _STANDARD_COUNT, None) if type(record) is logging.LogRecord else d.items()
    for key, value in tuple(items):
        kind = declared.get(key) if type(key) is str else None
        if kind is not None:
            safe = kind.safe(value)
            if safe is not WITHHELD:
                if attributes is None:
                    attributes = {}
                attributes[key] = safe
                continue
        elif type(key) is str and key in _IGNORED:
            if value is not None and key in _CODES:
                if not codes:
                    codes = {}
                codes[key] = value  # type: ignore[index]  # a dict by now
            continue
        gone += 1
        if type(key) is str:
            if extras is None:
                extras = {}
            extras[key] = shown(value)
    return attributes, codes, gone, extras


def is_open(name: object) -> bool:
    """Tell whether DEBUG is set on the content logger itself: a level that it inherits opens nothing."""
    logger = logging.root.manager.loggerDict.get(name)  # type: ignore[arg-type]
    return isinstance(logger, logging.Logger) and logger.level == logging.DEBUG


def whole_message(record: logging.LogRecord) -> str:
    """Return the text that a content logger's record shows on this machine."""
    try:
        text = record.getMessage()
    except Exception as error:
        # A template that doesn't fit its arguments must not make the log call fail.
        LEDGER.failure("content message", error)
        return "<message does not fit its arguments>"
    return text if type(text) is str else str(Placeholder("<message>"))


def complain_of_names(sealed: Sealed) -> None:
    """Say on our own logger what has to be said once, never from within saying it."""
    if not _pending or _slot.complaining or sealed.logger.startswith("discreet"):
        return
    _slot.complaining = True
    try:
        while _pending:
            event, kind = _pending.pop()
            logging.getLogger("discreet").warning(
                "A record names an event or code that no active contract declares: it was replaced by undeclared",
                extra={"event": event, "kind": kind},
            )
    finally:
        _slot.complaining = False
