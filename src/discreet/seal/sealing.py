"""seal(): the one safe rendering of a record, from which every sink is made."""

from __future__ import annotations

import logging
import threading
import time
import weakref
from collections.abc import Mapping
from itertools import islice
from typing import Any, Final

from opentelemetry.context import get_current
from opentelemetry.trace import get_current_span

from discreet.contract import Registry, active
from discreet.contract.model import LoggerPolicy, PatternRow, RecordRow
from discreet.events import NOTHING, annotate
from discreet.export.ledger import LEDGER, SiteCounts
from discreet.seal.callsite import NOWHERE, Site, find
from discreet.seal.exceptions import describe, from_exc_info
from discreet.seal.message import PLAIN, args_of, seal_message
from discreet.seal.names import STANDARD_LEVELS, level_name, level_number, logger_name
from discreet.seal.record import CODES, STANDARD_KEYS, Sealed, SealedRecord
from discreet.seal.types import WITHHELD, Scalar, ValueType
from discreet.seal.values import Placeholder, shown

_STANDARD_COUNT: Final = len(vars(logging.makeLogRecord({})))
_IGNORED: Final = STANDARD_KEYS.union(CODES)
_SANE_SECONDS: Final = 9_000_000_000.0
"""Later than the year 2255: a time in milliseconds, or none at all."""

_NO_POLICY: Final = LoggerPolicy()
_slot = threading.local()


def seal(record: logging.LogRecord) -> Sealed:
    """Return the sealed form of a record. Never raises; the record is not changed.

    The result is kept for the handlers that follow in the same thread, as long as nobody changes the record.

    .. versionadded:: 0.1.0
    """
    if type(record) is SealedRecord:
        return record.sealed
    d = record.__dict__
    stamp = _stamp(d)
    last = getattr(_slot, "last", None)
    if last is not None and last[0]() is record and last[1] == stamp:
        return last[2]  # type: ignore[no-any-return]
    try:
        sealed = _seal(record, d)
    except Exception as error:
        # The guard failed: everything of the record is withheld, and the failure is counted, never raised.
        LEDGER.failure("seal", error)
        sealed = withhold_all(d)
    _slot.last = (weakref.ref(record), stamp, sealed)
    _after(sealed)
    return sealed


def _stamp(d: Mapping[str, Any]) -> tuple[int, int, int, int]:
    return id(d.get("msg")), id(d.get("args")), id(d.get("exc_info")), len(d)


def resealed(record: logging.LogRecord) -> None:
    """Keep the sealed form of a record although its attributes grew: for annotation, which adds only what was sealed."""
    last = getattr(_slot, "last", None)
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

    __slots__ = ("counts", "levelno", "name", "policy", "registry", "row", "shown")

    def __init__(self, site: Site, name: object, levelno: int, registry: Registry) -> None:
        self.registry = registry
        self.name = name
        self.levelno = levelno
        self.policy = registry.policy(name) if type(name) is str else _NO_POLICY
        self.shown = logger_name(name, site.code, site.module)
        self.row = registry.record(name, site.module, site.key, levelno) if site.key is not None else None
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
    if site is not NOWHERE and site.code is not None and name in logging.root.manager.loggerDict:
        site.sealing = plan
    return plan


def _seal(record: logging.LogRecord, d: dict[str, Any]) -> Sealed:
    registry = active()
    site = find(record, registry.wrappers)
    levelno = d.get("levelno")
    if type(levelno) is not int:
        levelno = logging.INFO
    name = d.get("name")
    plan = site.sealing
    if plan is None or plan.name is not name or plan.registry is not registry or plan.levelno != levelno:
        plan = _plan(site, name, levelno, registry)
    sealed = Sealed()
    out = sealed.__dict__
    created = d.get("created")
    out["created"] = created if type(created) is float and 0.0 < created < _SANE_SECONDS else _sane(created)
    out["level"] = STANDARD_LEVELS.get(levelno) or level_name(levelno, d.get("levelname"))
    out["levelno"] = levelno if -9_999_999 <= levelno <= 9_999_999 else level_number(levelno)
    out["logger"] = plan.shown
    msg, args = d.get("msg"), d.get("args")
    row: RecordRow | PatternRow | None = plan.row
    attributes: dict[str, Scalar] | None = None
    withheld = 0
    without = args is None or (type(args) in PLAIN and not args)
    if without and site.literal is msg and type(msg) is str:
        out["message"] = out["msg"] = msg
        out["args"] = args
    else:
        message = seal_message(msg, args, site, plan.row, name if type(name) is str else "", levelno, registry)
        out["message"] = message.text
        out["msg"] = message.msg
        out["args"] = message.args
        row = message.row
        attributes = message.attributes
        if message.withheld_whole:
            withheld = 1
            plan.count(site).messages += 1
            if site.function is not None:
                out["function"] = f"{site.module}.{site.function}"
                out["line"] = site.line
        if message.withheld_arguments:
            withheld += message.withheld_arguments
            plan.count(site).arguments += message.withheld_arguments
    exception: BaseException | None = None
    exc_info = d.get("exc_info")
    if exc_info is not None and exc_info is not False:
        exception, traceback = from_exc_info(exc_info)
        if exception is not None:
            out["exception"] = describe(exception, traceback, registry)
    if exception is None and not (without and type(msg) is str):
        exception = _among(msg, args)
    more = len(d) > _STANDARD_COUNT
    if more or row is not None or exception is not None:
        annotation = annotate(d, registry, row, exception)
        if annotation is not NOTHING:
            out["event"] = annotation.event
            out["warning_code"] = annotation.warning_code
            out["error_code"] = annotation.error_code
            out["error_class"] = annotation.error_class
            if annotation.attributes:
                attributes = {**annotation.attributes, **attributes} if attributes else dict(annotation.attributes)
            if annotation.undeclared:
                _undeclared(annotation.undeclared)
    if more:
        if attributes is None:
            attributes = {}
        gone, extras = _attributes(record, d, plan.policy.attributes, attributes)
        if gone:
            withheld += gone
            plan.count(site).attributes += gone
            out["extras"] = extras
    if attributes:
        out["attributes"] = attributes
    if withheld:
        out["withheld"] = withheld
    if get_current():
        context = get_current_span().get_span_context()
        if context.is_valid:
            out["trace_id"] = context.trace_id
            out["span_id"] = context.span_id
    if plan.policy.content and levelno == logging.DEBUG and _open(name):
        out["content"] = True
        out["content_message"] = _whole(record)
    return sealed


def _sane(created: object) -> float:
    if type(created) is int and 0 < created < _SANE_SECONDS:
        return float(created)
    return time.time()


def _among(msg: object, args: object) -> BaseException | None:
    """Return the first exception among message and arguments: what a record without ``exc_info`` is about."""
    if issubclass(type(msg), BaseException):
        return msg  # type: ignore[return-value]
    for value in args_of(args):
        if issubclass(type(value), BaseException):
            return value  # type: ignore[no-any-return]
    return None


def _attributes(
    record: logging.LogRecord, d: dict[str, Any], declared: Mapping[str, ValueType], attributes: dict[str, Scalar]
) -> tuple[int, dict[str, Any] | None]:
    """Take over declared attributes; return how many others were left out, and placeholders for those."""
    gone = 0
    extras: dict[str, Any] | None = None
    # An ordinary record has logging's own attributes first and the extras after them.
    items = islice(d.items(), _STANDARD_COUNT, None) if type(record) is logging.LogRecord else d.items()
    for key, value in list(items):
        if type(key) is str:
            kind = declared.get(key)
            if kind is not None:
                safe = kind.safe(value)
                if safe is not WITHHELD:
                    attributes[key] = safe
                    continue
            elif key in _IGNORED:
                continue
            if extras is None:
                extras = {}
            extras[key] = shown(value)
        gone += 1
    return gone, extras


def _open(name: object) -> bool:
    """Tell whether DEBUG is set on the content logger itself: a level that it inherits opens nothing."""
    logger = logging.root.manager.loggerDict.get(name)  # type: ignore[arg-type]
    return isinstance(logger, logging.Logger) and logger.level == logging.DEBUG


def _whole(record: logging.LogRecord) -> str:
    try:
        text = record.getMessage()
    except Exception as error:
        # A template that doesn't fit its arguments must not make the log call fail.
        LEDGER.failure("content message", error)
        return "<message does not fit its arguments>"
    return text if type(text) is str else str(Placeholder("<message>"))


def _undeclared(kinds: tuple[str, ...]) -> None:
    for kind in kinds:
        if LEDGER.undeclared(kind):
            _pending.append(("undeclared_name", kind))


_pending: list[tuple[str, str]] = []
_own = threading.local()


def _after(sealed: Sealed) -> None:
    """Say what has to be said on our own logger, never from within saying it."""
    if _pending and not getattr(_own, "busy", False) and not sealed.logger.startswith("discreet"):
        _own.busy = True
        try:
            while _pending:
                event, kind = _pending.pop()
                logging.getLogger("discreet").warning(
                    "A record names an event or code that no active contract declares: it was replaced by undeclared",
                    extra={"event": event, "kind": kind},
                )
        finally:
            _own.busy = False
