"""seal(): the one safe rendering of a record, from which every sink is made."""

from __future__ import annotations

import logging
import threading
import time
import weakref
from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType, TracebackType
from typing import Any, Final

from opentelemetry.context import get_current
from opentelemetry.trace import get_current_span

from discreet.content import is_open, reminder_is_due, warn_if_content_is_open
from discreet.contract import Registry, active
from discreet.contract.current import _process
from discreet.contract.model import PatternRow, RecordRow
from discreet.declared import Public
from discreet.events import annotate
from discreet.export.ledger import LEDGER
from discreet.forks import holds_a_handlers_lock
from discreet.scoped import NOTICES, REQUESTS
from discreet.seal import compose
from discreet.seal.about import among
from discreet.seal.callsite import prove
from discreet.seal.exceptions import ExceptionFacts, describe, from_exc_info
from discreet.seal.known import STANDARD_COUNT, Known, known
from discreet.seal.matched import match_at_once
from discreet.seal.message import MAX_MESSAGE, no_values, simple_message, whole_message
from discreet.seal.names import level_name, level_number
from discreet.seal.outside import find_event
from discreet.seal.public import public_attribute
from discreet.seal.record import STANDARD_KEYS, SealedRecord
from discreet.seal.sealed import CODES, NO_ATTRIBUTES, SANE_SECONDS, Sealed, sane_time, show_attributes, show_trace
from discreet.seal.types import WITHHELD, Scalar, ValueType
from discreet.seal.values import NOTES, note, notes, shown, shown_public

_CODES: Final = frozenset(CODES) - {"error_class"}
_IGNORED: Final = STANDARD_KEYS.union(CODES)

_Last = tuple[weakref.ref[logging.LogRecord], int, int, int | None, int, Sealed, int]


class _Slot(threading.local):
    """What this thread sealed last: record, ids of what it was made from, number of attributes, result, name's id."""

    complaining = False

    def __init__(self) -> None:
        # To fill a list's place takes half of what setting an attribute of a thread's takes.
        self.last: list[_Last | None] = [None]


_slot = _Slot()
_reference: Final = weakref.ref
_in_place: weakref.WeakKeyDictionary[logging.LogRecord, Sealed] = weakref.WeakKeyDictionary()
_pending: list[Callable[[], None]] = []
_READ: Final = ("name", "levelno", "created", "msg", "args", "exc_info")
_MAX_PENDING: Final = 8
_NO_ARGS: Final[tuple[Any, ...]] = ()


def seal(record: logging.LogRecord) -> Sealed:
    """Return the sealed form of a record. Never raises; the record is not changed.

    The result is kept for the handlers that follow in the same thread, as long as nobody changes the record.

    .. versionadded:: 0.1.0
    """
    kind = type(record)
    if kind is not logging.LogRecord:
        if kind is SealedRecord:
            return record.sealed  # type: ignore[attr-defined, no-any-return]  # just shown to be one
        if not issubclass(kind, logging.LogRecord):
            # Somebody handled something of his own making; nothing is known of it.
            return withhold_all({})
    d = record.__dict__
    try:
        msg = id(d["msg"])
        args = d["args"]
        # Most records have none of these two.
        args = 0 if args is _NO_ARGS else id(args)
        exc_info = d["exc_info"]
        if exc_info is not None:
            exc_info = id(exc_info)
    except KeyError:
        # Somebody deleted an attribute of the record.
        msg, args, exc_info = id(d.get("msg")), id(d.get("args")), id(d.get("exc_info"))
    kept = _slot.last
    last = kept[0]
    if (
        last is not None
        and last[1] == msg
        and last[0]() is record
        and last[2] == args
        and last[3] == exc_info
        and last[4] == len(d)
        and last[6] == id(d.get("name"))
        and type(levelno := d.get("levelno")) is int
        and levelno == last[5].levelno
    ):
        return last[5]
    try:
        sealed = _seal(record, d) if not _in_place or record not in _in_place else _in_place[record]
        if NOTICES:
            NOTICES[0](sealed)
    except Exception as error:
        # The guard failed: everything of the record is withheld, and the failure is counted, never raised.
        try:
            LEDGER.failure("seal", error)
            LEDGER.withhold("?", "<withheld>", "record", reason="failed")
            sealed = withhold_all(d)
            notes()
        except Exception:
            # Near the limit of the stack or of memory, or what failed is needed for this too: nothing more is called.
            return NOTHING
    # A weak reference, so that nothing of the record outlives it. Not on the record, where exporters would find it.
    kept[0] = (_reference(record), msg, args, exc_info, len(d), sealed, id(d.get("name")))
    if _pending:
        complain_of_names(sealed)
    return sealed


def sealed_in_place(record: logging.LogRecord, sealed: Sealed) -> None:
    """Remember that a record's attributes are what sealing made, so that sealing it again changes nothing."""
    _in_place[record] = sealed


def resealed(record: logging.LogRecord) -> None:
    """Keep the sealed form of a record although its attributes grew: annotation adds only what was sealed."""
    kept = _slot.last
    last = kept[0]
    if last is not None and last[0]() is record:
        kept[0] = (*last[:4], len(record.__dict__), *last[5:])


def withhold_all(d: Mapping[str, Any]) -> Sealed:
    """Return the sealed form of a record of which nothing but level and time may be shown."""
    levelno = level_number(d.get("levelno"))
    return Sealed.of(
        created=time.time(),
        level=level_name(levelno, None),
        levelno=levelno,
        logger="<withheld>",
        message="<record withheld: the guard failed>",
        msg="<record withheld: the guard failed>",
        args=None,
        withheld=1,
    )


NOTHING: Final = withhold_all({})
"""For want of anything better: made beforehand, for when nothing can be made any more."""


# In one function, because every record comes through here, and a call costs as much as a field.
def _seal(record: logging.LogRecord, d: dict[str, Any]) -> Sealed:  # noqa: PLR0912, PLR0915
    registry = _process.registry
    if registry is None:
        registry = active()
    site, match = prove(d, registry.wrappers)
    try:
        name = d["name"]
        levelno = d["levelno"]
        created = d["created"]
        msg: Any = d["msg"]
        args = d["args"]
        exc_info = d["exc_info"]
    except KeyError:
        # Somebody deleted an attribute of the record.
        name, levelno, created, msg, args, exc_info = map(d.get, _READ)
    if type(levelno) is not int:
        levelno = logging.INFO
    plan: Known | None = site.sealing
    if plan is None or plan.name is not name or plan.registry is not registry or plan.levelno != levelno:
        plan = known(site, name, levelno, registry)
    sealed = Sealed()
    sealed.created = created if type(created) is float and 0.0 < created < SANE_SECONDS else sane_time(created)
    sealed.levelno = plan.shown_levelno
    sealed.trace_id = sealed.span_id = 0
    sealed.content_message = sealed.extras = sealed.keys = None
    sealed.place = plan.place
    row: Any = plan.row
    attributes: dict[str, Scalar] | None = None
    exception: BaseException | None = None
    facts: ExceptionFacts | None = None
    traceback: TracebackType | None = None
    withheld = 0
    whole = False
    text = None
    if site.literal is msg and msg is not None and (args is _NO_ARGS or args is None):
        sealed.msg, sealed.args = msg, args
    else:
        if plan.simple and site.literal is msg and type(args) is tuple:
            text, sealed.msg, sealed.args, withheld, exception = simple_message(msg, args)  # type: ignore[arg-type]  # a literal
        elif site.parts is not None and plan.untyped and (args is _NO_ARGS or args is None) and len(msg) <= MAX_MESSAGE:
            text, withheld = compose.read(site.parts, msg) if match is None else compose.fill(site.parts, match)
            sealed.msg, sealed.args = text, args
        elif plan.matching is not None and (quick := match_at_once(msg, args, site, plan.matching)) is not None:
            text, sealed.msg, sealed.args, withheld, exception = quick
        else:
            if type(msg) is not str and (of_structlog := _of_structlog(record, d)) is not None:
                return of_structlog
            if site.key is None and site.module is not None and site.module.startswith("structlog."):
                # A logger that structlog's factory did not make takes structlog's own frame for the caller's.
                site = find_event(msg, registry.wrappers, has_args=not no_values(args))
                plan = known(site, name, levelno, registry)
                sealed.place = plan.place
                row = plan.row
            message = plan.message(msg, args, site, row, name if type(name) is str else "", levelno, registry)
            text, sealed.msg, sealed.args, row, withheld, whole, attributes = message
            if withheld or whole:
                exception = among(msg, args)
        if whole:
            plan.count(site).messages += 1
        if withheld:
            (plan.counts or plan.count(site)).arguments += withheld
    if exc_info is not None and exc_info is not False:
        found, traceback = from_exc_info(exc_info)
        if found is not None:
            exception = found
            facts = describe(found, traceback, registry)
    context = get_current()
    usual = plan.usual
    if (
        usual is not None
        and len(d) == usual.length
        and type(record) is _ORDINARY
        and row is None
        and exception is None
        and not context
        and (both := usual.sealed(d)) is not None
    ):
        fields, sealed.attributes = both
        sealed.fields, sealed.exception = fields, None
    else:
        sealed.fields = fields = plan.fields.copy()
        sealed.exception = facts
        codes = _NO_CODES
        if len(d) > STANDARD_COUNT:
            attributes, codes, gone, sealed.extras = _tail(record, d, plan.declared, attributes)
            if gone:
                withheld += gone
                plan.count(site).attributes += gone
            elif not plan.learnt and row is None and type(record) is _ORDINARY:
                plan.learn(d, attributes or {}, codes)
            if NOTES:
                LEDGER.note(plan.count(site), notes())
        # From here on in the order of a line's fields.
        if row is not None or exception is not None or codes:
            attributes = annotate_into(fields, codes, registry, row, exception, facts, attributes)
        if context:
            span = get_current_span().get_span_context()
            if span.is_valid:
                sealed.trace_id = span.trace_id
                sealed.span_id = span.span_id
                show_trace(sealed)
        sealed.attributes = attributes or NO_ATTRIBUTES
        if attributes or facts is not None:
            show_attributes(sealed)
    if REQUESTS:
        sealed.add_request(traceback)
    if text is not None:
        fields["message"] = text
        if NOTES:
            LEDGER.note(plan.count(site), notes())
    if not plan.standard:
        fields["level"] = level_name(levelno, d.get("levelname"))
    if withheld or whole:
        fields["withheld"] = withheld + whole
        if whole and site.function is not None:
            fields["code_function"] = f"{site.module}.{site.function}"
            fields["code_line"] = site.line
    if plan.content and is_open(name):
        fields["content"] = True
        sealed.content_message = whole_message(record)
        if reminder_is_due() and len(_pending) < _MAX_PENDING:
            _pending.append(warn_if_content_is_open)
    return sealed


def _of_structlog(record: logging.LogRecord, d: dict[str, Any]) -> Sealed | None:
    """Seal a record whose message is no text if structlog made it."""
    from discreet.seal.event_dict import of_record

    return of_record(record, d)


_ORDINARY: Final = logging.LogRecord
_NO_CODES: Final[Mapping[str, Any]] = MappingProxyType({})


def annotate_into(
    fields: dict[str, Any],
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
            fields["event"] = event
            return attributes
    annotation = annotate(codes, registry, row, exception, facts)
    for name, value in zip(CODES, annotation, strict=False):
        if value is not None:
            fields[name] = value  # noqa: PERF403  # fields has others already
    for kind in annotation.undeclared:
        if LEDGER.undeclared(kind):
            _pending.append(partial(_say_undeclared, kind))  # noqa: PERF401  # counts as it goes
    if annotation.attributes:
        return {**annotation.attributes, **attributes} if attributes else dict(annotation.attributes)
    return attributes


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
    keys = list(d)
    if type(record) is logging.LogRecord:
        # An ordinary record has logging's own attributes first and the extras after them.
        del keys[:STANDARD_COUNT]
    for key in keys:
        if type(key) is not str:
            gone += 1
            continue
        value = d[key]
        kind = declared.get(key)
        if kind is not None:
            safe = kind.safe(value) if type(value) is not Public else public_attribute(kind, value)
            if safe is not WITHHELD:
                if attributes is None:
                    attributes = {}
                attributes[key] = safe
                continue
            if type(value) is not Public:
                note(kind.refusal(value), "attribute")
        elif key in _IGNORED:
            if value is not None and key in _CODES:
                if codes is _NO_CODES:
                    codes = {}
                codes[key] = value  # type: ignore[index]  # a dict by now
            continue
        gone += 1
        if extras is None:
            extras = {}
        # What was looked at as a declared attribute has been noted there.
        extras[key] = shown(value) if type(value) is not Public else shown_public(value, "" if kind else "attribute")
    return attributes, codes, gone, extras


def _say_undeclared(kind: str) -> None:
    logging.getLogger("discreet").warning(
        "A record names an event or code that no active contract declares: it was replaced by undeclared",
        extra={"event": "undeclared_name", "kind": kind},
    )


def complain_of_names(sealed: Sealed) -> None:
    """Say on our own logger what has to be said: never from within saying it, never while a handler's lock is held.

    A formatter is called with its handler's lock held. Who logs from there waits for the locks of other handlers, whose
    threads may be waiting for this one. What can't be said now is said with the next record that is sealed outside.
    """
    if not _pending or _slot.complaining or sealed.logger.startswith("discreet") or holds_a_handlers_lock():
        return
    _slot.complaining = True
    try:
        while _pending:
            try:
                say = _pending.pop()
            except IndexError:
                break  # Another thread said it.
            say()
    except Exception as error:
        # A handler of somebody else's raises: no matter of the record that is being sealed.
        LEDGER.failure("own record", error)
    finally:
        _slot.complaining = False
