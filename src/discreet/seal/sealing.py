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

from discreet.contract import active
from discreet.contract.model import LoggerPolicy
from discreet.events import annotate
from discreet.export.ledger import LEDGER
from discreet.seal.callsite import NOWHERE, Site, find
from discreet.seal.exceptions import describe, from_exc_info
from discreet.seal.message import args_of, level_of, seal_message
from discreet.seal.names import level_name, level_number, logger_name
from discreet.seal.record import CODES, STANDARD_KEYS, Sealed, SealedRecord
from discreet.seal.types import WITHHELD, Scalar
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


def _seal(record: logging.LogRecord, d: dict[str, Any]) -> Sealed:
    registry = active()
    raw_name = d.get("name")
    policy = registry.policy(raw_name) if type(raw_name) is str else _NO_POLICY
    site = find(record, registry.wrappers)
    levelno = level_number(d.get("levelno"))
    args = d.get("args")
    message = seal_message(
        d.get("msg"), args, site, raw_name if type(raw_name) is str else "", level_of(levelno), registry
    )
    name = logger_name(raw_name, site.code, site.module)
    exc_info = d.get("exc_info")
    exception, traceback = from_exc_info(exc_info) if exc_info else (None, None)
    facts = describe(exception, traceback, registry) if exception is not None else None
    annotation = annotate(d, registry, message.row, exception if exception is not None else _among(d.get("msg"), args))
    attributes: dict[str, Scalar] = dict(annotation.attributes) if annotation.attributes else {}
    if message.attributes:
        attributes.update(message.attributes)
    gone = 0
    extras: dict[str, Any] | None = None
    if len(d) > _STANDARD_COUNT:
        gone, extras = _attributes(record, d, policy, attributes)
    withheld = message.withheld_arguments + message.withheld_whole + gone
    created = d.get("created")
    sealed = Sealed(
        created=created if type(created) is float and 0.0 < created < _SANE_SECONDS else _sane(created),
        level=level_name(levelno, d.get("levelname")),
        levelno=levelno,
        logger=name,
        message=message.text,
        event=annotation.event,
        warning_code=annotation.warning_code,
        error_code=annotation.error_code,
        error_class=annotation.error_class,
        attributes=attributes,
        exception=facts,
        withheld=withheld,
        msg=message.msg,
        args=message.args,
        extras=extras,
    )
    if message.withheld_whole and site.function is not None:
        sealed.function = f"{site.module}.{site.function}"
        sealed.line = site.line
    if get_current():
        context = get_current_span().get_span_context()
        if context.is_valid:
            sealed.trace_id = context.trace_id
            sealed.span_id = context.span_id
    if policy.content and levelno == logging.DEBUG and _open(raw_name):
        sealed.content = True
        sealed.content_message = _whole(record)
    if withheld:
        _count(site, name, message.withheld_whole, message.withheld_arguments, gone)
    if annotation.undeclared:
        _undeclared(annotation.undeclared)
    return sealed


def _sane(created: object) -> float:
    if type(created) is int and 0 < created < _SANE_SECONDS:
        return float(created)
    return time.time()


def _among(msg: object, args: object) -> BaseException | None:
    """Return the first exception among message and arguments: what a record without ``exc_info`` is about."""
    if issubclass(type(msg), BaseException):
        return msg  # type: ignore[return-value]
    if args:
        for value in args_of(args):
            if issubclass(type(value), BaseException):
                return value  # type: ignore[no-any-return]
    return None


def _attributes(
    record: logging.LogRecord, d: dict[str, Any], policy: LoggerPolicy, attributes: dict[str, Scalar]
) -> tuple[int, dict[str, Any] | None]:
    """Take over declared attributes; return how many others were left out, and placeholders for those."""
    gone = 0
    extras: dict[str, Any] | None = None
    declared = policy.attributes
    # An ordinary record has logging's own attributes first and the extras after them.
    items = islice(d.items(), _STANDARD_COUNT, None) if type(record) is logging.LogRecord else d.items()
    for key, value in list(items):
        kind = declared.get(key) if type(key) is str else None
        if kind is not None:
            safe = kind.safe(value)
            if safe is not WITHHELD:
                attributes[key] = safe
                continue
        elif key in _IGNORED:
            continue
        gone += 1
        if type(key) is str:
            if extras is None:
                extras = {}
            extras[key] = shown(value)
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


def _count(site: Site, logger: str, whole: bool, arguments: int, attributes: int) -> None:
    place = f"{site.module}.{site.function}:{site.line}" if site is not NOWHERE and site.module is not None else "?"
    if whole:
        LEDGER.withhold(place, logger, "message")
    if arguments:
        LEDGER.withhold(place, logger, "argument", arguments)
    if attributes:
        LEDGER.withhold(place, logger, "attribute", attributes)


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
