"""The sealed record: everything that may go out, and the LogRecord that other people's handlers get."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from types import MappingProxyType, TracebackType
from typing import Any, Final

from discreet.seal.exceptions import ExceptionFacts
from discreet.seal.standin import stand_in
from discreet.seal.types import Scalar
from discreet.seal.values import shown

STANDARD_KEYS: Final = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}
"""Attribute names that logging itself puts on a record, on any supported Python."""

CODES: Final = ("event", "warning_code", "error_code", "error_class")
"""The attributes that annotation adds."""


class Sealed:
    """What may go out of one record. Every sink is made from this and from nothing else.

    Attributes:
        created: seconds since the epoch, always a sane number.
        level: the level's name.
        levelno: the level's number.
        logger: the logger's name as far as it is proven.
        message: the message with its proven literals; what was left out is named by type and length band.
        event, warning_code, error_code, error_class: the contract's names, None when there is nothing to say.
        attributes: declared attributes in their closed types, and nothing else.
        exception: type, codes and frames of the record's exception.
        withheld: how many values were left out.
        content: whether this is a DEBUG record of an open content logger.
        function, line: the call site, when it is proven.
        trace_id, span_id: the current span's, 0 when there is none.
        msg, args: a template and as many arguments as the record had, for formatters that look at them; both hold
            nothing that ``message`` doesn't, and ``msg % args`` gives ``message``.
        content_message: the whole message of a content record, else None. For sinks that stay on the machine.
        extras: names of undeclared attributes with a placeholder each; for formatters that read them, never exported.
        keys: of an event dict of structlog, the keys of structlog's own processors that it had; None for other records.

    .. versionadded:: 0.1.0
    """

    # Most of these are what they are here for most records: an instance has only what differs, because one is made
    # for every record.
    created: float = 0.0
    level: str = "INFO"
    levelno: int = logging.INFO
    logger: str = "root"
    message: str = ""
    event: str | None = None
    warning_code: str | None = None
    error_code: str | None = None
    error_class: str | None = None
    attributes: Mapping[str, Scalar] = MappingProxyType({})
    exception: ExceptionFacts | None = None
    withheld: int = 0
    content: bool = False
    function: str | None = None
    line: int | None = None
    trace_id: int = 0
    span_id: int = 0
    msg: str = ""
    args: tuple[Any, ...] | dict[str, Any] | None = None
    content_message: str | None = None
    extras: Mapping[str, Any] | None = None
    keys: frozenset[str] | None = None

    def __init__(self, **values: Any) -> None:
        self.__dict__.update({name: getattr(type(self), name) for name in ALWAYS}, **values)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sealed):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in _FIELDS)

    __hash__ = None  # type: ignore[assignment]  # equality by value, and exporters keep none in sets

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in self.__dict__.items())
        return f"Sealed({shown})"


_FIELDS: Final = tuple(Sealed.__annotations__)


ALWAYS: Final = ("created", "level", "levelno", "logger", "message", "msg", "args")
"""What every sealed record has in its own dict, whether it differs from the default or not."""


class SealedRecord(logging.LogRecord):
    """A LogRecord that holds only what may go out; handlers of other packages get it in place of the original.

    It is a class of its own, so that no ``extra`` can claim to be sealed. Attributes that the application put on the
    original and that no contract declares can be read from it, as placeholders; they are not in its ``__dict__``, so
    that exporters which copy everything don't see them.

    .. versionadded:: 0.1.0
    """

    __slots__ = ("extras", "made", "sealed")

    extras: Mapping[str, Any]
    made: dict[str, Any]
    sealed: Sealed

    def __init__(self) -> None:
        raise TypeError("a SealedRecord is made by discreet.seal.record.sealed_record() from another record")

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_"):
            extras = object.__getattribute__(self, "extras")
            if name in extras:
                return extras[name]
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __getstate__(self) -> tuple[dict[str, Any], dict[str, Any]]:
        # A traceback can't be pickled; the stand-in carries its frames itself.
        exc_info = self.made["exc_info"]
        made = {**self.made, "exc_info": exc_info[1] if exc_info else None}
        return dict(self.__dict__), {"sealed": self.sealed, "extras": dict(self.extras), "made": made}

    def __setstate__(self, state: tuple[dict[str, Any], dict[str, Any]]) -> None:
        self.__dict__.update(state[0])
        kept = state[1]
        self.sealed = kept["sealed"]
        self.extras = kept["extras"]
        self.made = kept["made"]
        exc = self.made["exc_info"]
        self.made["exc_info"] = (type(exc), exc, exc.__traceback__) if exc is not None else None

    def __reduce__(self) -> tuple[Any, ...]:
        return _blank, (), self.__getstate__()

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        return self.__reduce__()


def _blank() -> SealedRecord:
    return SealedRecord.__new__(SealedRecord)


def refreshed(record: SealedRecord, fields: frozenset[str] = frozenset()) -> SealedRecord:
    """Return a sealed record as it was made, for the next handler.

    Whoever had it before may have written into it: a filter, another handler, a queue. What was added since is shown
    as a placeholder to formats that ask for it; what was changed is as it was.

    Args:
        record: the sealed record.
        fields: attribute names that the handler's format string asks for.
    """
    copy = _blank()
    made = record.made
    d = copy.__dict__
    d.update(made)
    added = {name: shown(value) for name, value in record.__dict__.items() if name not in made and type(name) is str}
    for name in STANDARD_KEYS.intersection(added):
        del added[name]
    copy.sealed = record.sealed
    copy.extras = {**record.extras, **added} if added else record.extras
    copy.made = made
    _ask(d, copy.extras, fields)
    return copy


def _ask(d: dict[str, Any], extras: Mapping[str, Any], fields: frozenset[str]) -> None:
    for name in fields:
        if name in extras and name not in d:
            d[name] = extras[name]


_NUMBERS: Final = ("msecs", "relativeCreated", "thread", "process")
_INT64: Final = 2**63


def without_content(sealed: Sealed) -> Sealed:
    """Return the sealed form of a content logger's record as it is for sinks that may not hold customer text."""
    return Sealed(**{name: value for name, value in sealed.__dict__.items() if name not in ("content", "content_message")})


def sealed_record(
    original: logging.LogRecord,
    sealed: Sealed,
    names: Mapping[str, Any],
    exception: tuple[BaseException, TracebackType | None] | None,
    fields: frozenset[str] = frozenset(),
) -> SealedRecord:
    """Make the record that a handler of another package gets.

    Args:
        original: the record; only numbers that logging itself made are taken over from it.
        sealed: its sealed form.
        names: the proven ``threadName``, ``processName``, ``taskName``, ``pathname``, ``filename``, ``module``,
            ``funcName`` and ``lineno``.
        exception: the original's exception and traceback, for the stand-in.
        fields: attribute names that the handler's format string asks for.
    """
    if sealed.content:
        # Whether a foreign handler stays on the machine isn't known, and a record may be pickled on its way.
        sealed = without_content(sealed)
    copy = _blank()
    d = copy.__dict__
    source = original.__dict__
    d["name"] = sealed.logger
    d["msg"] = sealed.msg
    d["args"] = sealed.args
    d["levelname"] = sealed.level
    d["levelno"] = sealed.levelno
    d.update(names)
    d["exc_info"] = stand_in(*exception) if exception is not None else None
    d["exc_text"] = None
    d["stack_info"] = None
    d["created"] = sealed.created
    for key in _NUMBERS:
        value = source.get(key)
        # A number that logging made; one that a program put there could be a whole text.
        d[key] = value if (type(value) is int and 0 <= value < _INT64) or type(value) is float else 0
    d["event"] = sealed.event
    d["warning_code"] = sealed.warning_code
    d["error_code"] = sealed.error_code
    if sealed.error_class is not None:
        d["error_class"] = sealed.error_class
    for name, scalar in sealed.attributes.items():
        if name not in STANDARD_KEYS:
            d[name] = scalar
    copy.sealed = sealed
    copy.extras = {name: one for name, one in (sealed.extras or {}).items() if name.isidentifier()}
    copy.made = dict(d)
    _ask(d, copy.extras, fields)
    return copy
