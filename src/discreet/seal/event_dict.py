"""Event dicts: the form in which structlog has a record, sealed as log records are.

The key ``event`` of such a dict is the text; the name that a contract gives an event comes as ``event_name``, or is
the text itself. Everything else is a pair of the kind of logging's ``extra``.
"""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Mapping
from typing import Any, Final, Self

from opentelemetry.trace import get_current_span

from discreet.contract import Registry, active
from discreet.contract.model import LoggerPolicy
from discreet.export.encode import fields, timestamp
from discreet.export.ledger import LEDGER
from discreet.seal.callsite import Site
from discreet.seal.exceptions import describe, from_exc_info
from discreet.seal.message import seal_message
from discreet.seal.names import STANDARD_LEVELS, level_name, level_number, logger_name
from discreet.seal.outside import find_event
from discreet.seal.record import Sealed, SealedRecord
from discreet.seal.sealing import among, annotate_into, complain_of_names, is_open, whole_message, withhold_all
from discreet.seal.types import WITHHELD, Scalar

__all__ = [
    "TEXT_KEY",
    "SealedEvent",
    "SealedText",
    "event_of",
    "keep_text",
    "of_record",
    "reshape",
    "seal_event",
    "takes_events",
]

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

TEXT_KEY: Final = "message"
"""Where the text is once our processors have sealed an event dict; with it ``event`` is the contract's name."""

_META: Final = frozenset({"_from_structlog", "_record"})
_SANE_SECONDS: Final = 9_000_000_000.0
_METHODS: Final = {10: "debug", 20: "info", 30: "warning", 40: "error", 50: "critical"}


class SealedEvent(dict[str, Any]):
    """An event dict that holds only what may go out, and the sealed record that it was made from.

    Attributes:
        sealed: the sealed record. Whoever seals the dict again takes this, whatever was put into the dict meanwhile.
        text_key: where the text is: ``message`` as in our lines, or ``event`` as structlog has it.

    .. versionadded:: 0.1.0
    """

    __slots__ = ("sealed", "text_key")

    def __init__(self, sealed: Sealed, values: Mapping[str, Any], text_key: str) -> None:
        super().__init__(values)
        self.sealed = sealed
        self.text_key = text_key

    def __str__(self) -> str:
        return self.sealed.message

    def __delitem__(self, key: str) -> None:
        # ProcessorFormatter.remove_processors_meta deletes what it thinks is there.
        if key not in _META or key in self:
            super().__delitem__(key)

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        return SealedEvent, (self.sealed, dict(self), self.text_key)

    def copy(self) -> Self:
        """Return a copy that is as sealed."""
        return type(self)(self.sealed, self, self.text_key)

    def pop(self, key: str, *default: Any) -> Any:
        """Take a value out; taking the text out under structlog's name for it works too.

        So do the processors that hand events on to logging; the text remembers what it was sealed from.
        """
        if key == "event" and self.text_key == TEXT_KEY and TEXT_KEY in self:
            return SealedText(super().pop(TEXT_KEY), self.sealed)
        found = super().pop(key, *default)
        return SealedText(found, self.sealed) if key == "event" == self.text_key and type(found) is str else found


class SealedText(str):
    """The text of a sealed event on its way through logging.

    .. versionadded:: 0.1.0
    """

    __slots__ = ("sealed",)

    sealed: Sealed

    def __new__(cls, text: str, sealed: Sealed) -> Self:
        """Make one; ``sealed`` is what the text was made from."""
        made = super().__new__(cls, text)
        made.sealed = sealed
        return made

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        return SealedText, (str.__str__(self), self.sealed)


def event_of(sealed: Sealed, service: str | None = None) -> SealedEvent:
    """Return a sealed record as an event dict with the fields of our lines of JSON.

    Args:
        sealed: the sealed record.
        service: the field ``service``.
    """
    values = fields(sealed, service)
    values.pop("content", None)
    return SealedEvent(sealed, values, TEXT_KEY)


def _as_structlog(sealed: Sealed) -> SealedEvent:
    """Return a sealed record as structlog's own processors expect it: the text is ``event``."""
    flat = event_of(sealed)
    values: dict[str, Any] = {"event": sealed.message}
    for key, value in flat.items():
        if key == "event":
            values["event_name"] = value
        elif key not in ("timestamp", "level", "logger", "message"):
            values[key] = value
    wanted = sealed.keys or frozenset()
    own = {"timestamp": timestamp(sealed.created), "level": _method(sealed.levelno), "level_number": sealed.levelno}
    own["logger"] = own["logger_name"] = sealed.logger
    values.update((key, value) for key, value in own.items() if key in wanted)
    return SealedEvent(sealed, values, "event")


def _method(levelno: int) -> str:
    return _METHODS.get(levelno, "info")


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
    except Exception as error:
        # The guard failed: everything of the event is withheld, and the failure is counted, never raised.
        LEDGER.failure("seal event", error)
        sealed = withhold_all({"levelno": levelno})
        sealed.keys = frozenset()
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
    text, template, safe_args, found_row, withheld, whole, attributes = seal_message(
        msg, args, site, row, name if type(name) is str else "", levelno, registry
    )
    out: dict[str, Any] = {
        "created": created if type(created) is float and 0.0 < created < _SANE_SECONDS else time.time(),
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
    attributes = {**(attributes or {}), **pairs}
    _count(site, shown, messages=int(whole), arguments=withheld, attributes=gone)
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
    sealed = Sealed.__new__(Sealed)
    sealed.__dict__ = out
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
                safe = kind.safe(value)
                if safe is not WITHHELD:
                    found[key] = safe
                    continue
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


def _count(site: Site, logger: str, *, messages: int, arguments: int, attributes: int) -> None:
    if messages or arguments or attributes:
        place = f"{site.module}.{site.function}:{site.line}" if site.module is not None else "?"
        counts = LEDGER.counts_of(place, logger)
        counts.messages += messages
        counts.arguments += arguments
        counts.attributes += attributes


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


def takes_events(handler: logging.Handler | None) -> bool:
    """Tell whether a handler's formatter is structlog's ``ProcessorFormatter``."""
    cls = getattr(sys.modules.get("structlog.stdlib"), "ProcessorFormatter", None)
    return cls is not None and isinstance(getattr(handler, "formatter", None), cls)


def keep_text(record: SealedRecord, original: object) -> None:
    """Let a sealed copy of a record keep its text if that is one of ours: a line that ``JsonRenderer`` made.

    Args:
        record: the sealed copy.
        original: the message of the record that it stands for.
    """
    if type(original) is SealedText:
        own = {"msg": str.__str__(original), "args": ()}
        record.__dict__.update(own)
        record.made.update(own)


def reshape(record: SealedRecord) -> None:
    """Make a sealed record readable for ``ProcessorFormatter``.

    Args:
        record: the sealed record; nothing is put into it that was not made from its sealed form.
    """
    d = record.__dict__
    sealed = record.sealed
    if sealed.keys is None:
        d["msg"] = SealedText(sealed.msg, sealed)
        return
    d["msg"] = event_of(sealed) if TEXT_KEY in sealed.keys else _as_structlog(sealed)
    d["args"] = ()
    known = logging.root.manager.loggerDict.get(sealed.logger)
    d["_logger"] = known if isinstance(known, logging.Logger) else logging.root
    d["_name"] = _method(sealed.levelno)
