"""The sealed form of a record: everything that may go out of it, as far as possible in the form of its line."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping
from types import CodeType, MappingProxyType, TracebackType
from typing import Any, Final

from discreet.contract.registry import REQUEST_ID
from discreet.scoped import request_id
from discreet.seal.exceptions import ExceptionFacts
from discreet.seal.sources import is_module_name
from discreet.seal.types import Scalar

__all__ = [
    "BLANK_RECORD",
    "CODES",
    "NO_ATTRIBUTES",
    "SANE_SECONDS",
    "Place",
    "Sealed",
    "of_request",
    "sane_time",
    "show_attributes",
    "show_trace",
]

SANE_SECONDS: Final = 9_000_000_000.0
"""Later than the year 2255: a time in milliseconds, or none at all."""

CODES: Final = ("event", "warning_code", "error_code", "error_class")
"""The attributes that annotation adds."""


def sane_time(created: object) -> float:
    """Return a record's time, or the present one where that is none.

    Args:
        created: what the record has.
    """
    if (type(created) is float or type(created) is int) and 0 < created < SANE_SECONDS:
        return float(created)
    return time.time()


class Place:
    """What the code of a call site says of itself, as logging puts it on a record.

    Attributes:
        path, function: as the code has them.
        record: the attributes of a sealed record made here, in their order; all but those of the place still to be set.
    """

    __slots__ = ("function", "path", "record")

    def __init__(self, code: CodeType) -> None:
        self.path = code.co_filename
        self.function = code.co_name
        filename = self.path.replace("\\", "/").rpartition("/")[2]
        module = filename.rpartition(".")[0] or filename
        # A program may load a file that has its name from a customer.
        told = is_module_name(module)
        self.record = {
            **BLANK_RECORD,
            "pathname": self.path if told else "<other>",
            "filename": filename if told else "<other>",
            "module": module if told else "<other>",
            "funcName": self.function,
        }


BLANK_RECORD: Final[dict[str, Any]] = {
    "name": "<unknown>",
    "msg": "",
    "args": None,
    "levelname": "INFO",
    "levelno": logging.INFO,
    "pathname": "<unknown>",
    "filename": "<unknown>",
    "module": "<unknown>",
    "funcName": "<unknown>",
    "lineno": 0,
    "threadName": None,
    "processName": None,
    **({"taskName": None} if "taskName" in vars(logging.makeLogRecord({})) else {}),
    "exc_info": None,
    "exc_text": None,
    "stack_info": None,
    "created": 0.0,
    "msecs": 0,
    "relativeCreated": 0,
    "thread": 0,
    "process": 0,
    "event": None,
    "warning_code": None,
    "error_code": None,
}
"""The attributes of a sealed record of which nothing is known."""

NO_ATTRIBUTES: Final[Mapping[str, Scalar]] = MappingProxyType({})


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
        fields: the flat fields of the record's line of JSON in their order, ``timestamp`` still None. Most of the above
            is only there, because a line is what most records become.
        place: what the proven call site says of path, module and function; None when there is none.

    .. versionadded:: 0.1.0
    """

    __slots__ = (
        "args",
        "attributes",
        "content_message",
        "created",
        "exception",
        "extras",
        "fields",
        "keys",
        "levelno",
        "msg",
        "place",
        "span_id",
        "trace_id",
    )

    created: float
    levelno: int
    attributes: Mapping[str, Scalar]
    exception: ExceptionFacts | None
    trace_id: int
    span_id: int
    msg: str
    args: tuple[Any, ...] | dict[str, Any] | None
    content_message: str | None
    extras: Mapping[str, Any] | None
    keys: frozenset[str] | None
    fields: dict[str, Any]
    place: Place | None

    @classmethod
    def of(cls, **values: Any) -> Sealed:
        """Make one of the values that differ from a plain INFO record's.

        Sealing makes its own: a class without ``__init__`` takes half the time.

        Args:
            values: by the names of the attributes.
        """
        self = cls()
        self.created = values.get("created", 0.0)
        self.levelno = values.get("levelno", logging.INFO)
        self.attributes = values.get("attributes", NO_ATTRIBUTES)
        self.exception = values.get("exception")
        self.trace_id = values.get("trace_id", 0)
        self.span_id = values.get("span_id", 0)
        self.msg = values.get("msg", "")
        self.args = values.get("args")
        self.content_message = values.get("content_message")
        self.extras = values.get("extras")
        self.keys = values.get("keys")
        self.place = None
        self.fields = {
            "timestamp": None,
            "level": values.get("level", "INFO"),
            "logger": values.get("logger", "root"),
            "message": values.get("message", ""),
        }
        for name in CODES:
            if values.get(name) is not None:
                self.fields[name] = values[name]
        show_trace(self)
        show_attributes(self)
        if values.get("withheld"):
            self.fields["withheld"] = values["withheld"]
        if values.get("function") is not None:
            self.fields["code_function"] = values["function"]
            self.fields["code_line"] = values.get("line")
        if values.get("content"):
            self.content = True
        return self

    def add_request(self, traceback: TracebackType | None = None) -> None:
        """Add the running request's id, unless the record has one.

        Args:
            traceback: that of the record's exception, which may have ended a request.
        """
        if REQUEST_ID not in self.attributes and (found := request_id(traceback)) is not None:
            self.attributes = {**self.attributes, REQUEST_ID: found}
            self.fields.setdefault(REQUEST_ID, found)

    @property
    def level(self) -> str:
        """The level's name."""
        return self.fields["level"]  # type: ignore[no-any-return]

    @property
    def logger(self) -> str:
        """The logger's name as far as it is proven."""
        return self.fields["logger"]  # type: ignore[no-any-return]

    @property
    def message(self) -> str:
        """The message with its proven literals."""
        return self.fields["message"]  # type: ignore[no-any-return]

    @property
    def event(self) -> str | None:
        """The contract's event."""
        return self.fields.get("event")

    @property
    def warning_code(self) -> str | None:
        """The contract's warning code."""
        return self.fields.get("warning_code")

    @property
    def error_code(self) -> str | None:
        """The contract's error code."""
        return self.fields.get("error_code")

    @property
    def error_class(self) -> str | None:
        """Who can do something about the error."""
        return self.fields.get("error_class")

    @property
    def withheld(self) -> int:
        """How many values were left out."""
        return self.fields.get("withheld", 0)  # type: ignore[no-any-return]

    @property
    def function(self) -> str | None:
        """Module and function of the call site, when the whole message was left out."""
        return self.fields.get("code_function")

    @property
    def line(self) -> int | None:
        """The line of the call site, when the whole message was left out."""
        return self.fields.get("code_line")

    @property
    def content(self) -> bool:
        """Whether this is a DEBUG record of an open content logger."""
        return "content" in self.fields

    @content.setter
    def content(self, value: bool) -> None:
        if value:
            self.fields["content"] = True
        else:
            self.fields.pop("content", None)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sealed):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in _COMPARED)

    __hash__ = None  # type: ignore[assignment]  # equality by value, and exporters keep none in sets

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in _COMPARED if getattr(self, name))
        return f"Sealed({shown})"

    def __getstate__(self) -> dict[str, Any]:
        # The place is of this process.
        return {name: getattr(self, name) for name in self.__slots__ if name not in ("attributes", "place")} | {
            "attributes": dict(self.attributes)
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.place = None
        for name, value in state.items():
            setattr(self, name, value)

    def __reduce__(self) -> tuple[Any, ...]:
        return Sealed, (), self.__getstate__()

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        return self.__reduce__()


_COMPARED: Final = (
    "created",
    "levelno",
    "attributes",
    "exception",
    "trace_id",
    "span_id",
    "msg",
    "args",
    "content_message",
    "extras",
    "keys",
    "level",
    "logger",
    "message",
    "event",
    "warning_code",
    "error_code",
    "error_class",
    "withheld",
    "content",
    "function",
    "line",
)


def show_trace(sealed: Sealed) -> None:
    """Add the current span's ids to a sealed record's fields."""
    fields = sealed.fields
    if sealed.trace_id:
        fields["trace_id"] = f"{sealed.trace_id:032x}"
    if sealed.span_id:
        fields["span_id"] = f"{sealed.span_id:016x}"


def of_request() -> dict[str, Scalar]:
    """Return the attributes that the running request gives to each of its records."""
    found = request_id()
    return {} if found is None else {REQUEST_ID: found}


def show_attributes(sealed: Sealed) -> None:
    """Add the declared attributes and the exception to a sealed record's fields."""
    fields = sealed.fields
    for name, scalar in sealed.attributes.items():
        if name not in fields:
            fields[name] = scalar
    exception = sealed.exception
    if exception is not None:
        fields["exception_type"] = exception.type
        if exception.code is not None:
            fields["exception_code"] = exception.code
        if len(exception.chain) > 1 or exception.chain[:1] != (exception.type,):
            fields["exception_chain"] = " < ".join(exception.chain)
        if exception.message is not None:
            fields["exception_message"] = exception.message
        if exception.frames:
            fields["exception_frames"] = " > ".join(exception.frames)
