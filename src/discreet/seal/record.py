"""The sealed record: everything that may go out, and the LogRecord that other people's handlers get."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from math import isfinite
from types import TracebackType
from typing import Any, Final

from discreet.seal.sealed import BLANK_RECORD, CODES, Sealed
from discreet.seal.standin import stand_in
from discreet.seal.values import shown_after
from discreet.seal.written import harmless

__all__ = [
    "CODES",
    "STANDARD_KEYS",
    "Sealed",
    "SealedRecord",
    "bare_record",
    "refreshed",
    "sealed_record",
    "without_content",
]

STANDARD_KEYS: Final = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}
"""Attribute names that logging itself puts on a record, on any supported Python."""


class _Open(logging.LogRecord):
    """A sealed record while it is being made: nothing watches what is set."""

    __slots__ = ("extras", "made", "sealed")

    extras: Mapping[str, Any]
    made: dict[str, Any] | None
    sealed: Sealed

    def __init__(self) -> None:
        raise TypeError("a SealedRecord is made by discreet.seal.record.sealed_record() from another record")


class SealedRecord(_Open):
    """A LogRecord that holds only what may go out; handlers of other packages get it in place of the original.

    It is a class of its own, so that no ``extra`` can claim to be sealed. Attributes that the application put on the
    original and that no contract declares can be read from it, as placeholders; they are not in its ``__dict__``, so
    that exporters which copy everything don't see them.

    Attributes that somebody sets on it are shown as placeholders too, unless they say nothing new.

    .. versionadded:: 0.1.0
    """

    __slots__ = ()

    def __setattr__(self, name: str, value: Any) -> None:
        if name in STANDARD_KEYS or (name.startswith("__") and name.endswith("__")):
            object.__setattr__(self, name, value)
            return
        d = self.__dict__
        made = self.made
        if name not in (BLANK_RECORD if made is None else made):
            value = harmless(value, d, self.sealed.created)
        # Not by the object's own way: names such as `extras` are ours.
        d[name] = value

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_"):
            extras = object.__getattribute__(self, "extras")
            if name in extras:
                return extras[name]
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __copy__(self) -> SealedRecord:
        copy = _new(_Open)
        copy.__dict__.update(self.__dict__)
        copy.sealed = self.sealed
        copy.extras = self.extras
        copy.made = self.made
        return _closed(copy)

    def __getstate__(self) -> dict[str, Any]:
        # A pickle may lead off the machine. The name of an attribute can be a customer's text: only those go along
        # that a format of this process asks for. What somebody wrote into the record since it was made stays here.
        extras = {name: one for name, one in self.extras.items() if name in ASKED}
        sealed = _copied(self.sealed)
        sealed.extras = None
        # A traceback can't be pickled; the stand-in carries its frames itself.
        made = _made(self)
        exc_info = made["exc_info"]
        made = {**made, "exc_info": exc_info[1] if exc_info else None}
        return {"sealed": sealed, "extras": extras, "made": made}

    def __setstate__(self, state: dict[str, Any]) -> None:
        made = state["made"]
        exc = made["exc_info"]
        made["exc_info"] = (type(exc), exc, exc.__traceback__) if exc is not None else None
        for name, value in (("sealed", state["sealed"]), ("extras", state["extras"]), ("made", made)):
            object.__setattr__(self, name, value)
        self.__dict__.update(made)

    def __reduce__(self) -> tuple[Any, ...]:
        return _blank, (), self.__getstate__()

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        return self.__reduce__()


_new: Final = object.__new__


def _blank() -> SealedRecord:
    """Return a record to be filled from a pickle; the name stands in the pickles of our releases."""
    return SealedRecord.__new__(SealedRecord)


def _closed(record: _Open) -> SealedRecord:
    record.__class__ = SealedRecord
    return record  # type: ignore[return-value]  # it is one now


def _made(record: SealedRecord) -> dict[str, Any]:
    """Return the attributes of a sealed record as it was made."""
    made = record.made
    return _bare(record.sealed) if made is None else made


def refreshed(record: SealedRecord, fields: frozenset[str] = frozenset()) -> SealedRecord:
    """Return a sealed record as it was made, for the next handler.

    Whoever had it before may have written into it: a filter, another handler, a queue. What was added since is shown
    as a placeholder to formats that ask for it; what was changed is as it was.

    Args:
        record: the sealed record.
        fields: attribute names that the handler's format string asks for.
    """
    copy = _new(_Open)
    made = _made(record)
    d = copy.__dict__
    d.update(made)
    added = {
        name: shown_after(value) for name, value in record.__dict__.items() if name not in made and type(name) is str
    }
    for name in STANDARD_KEYS.intersection(added):
        del added[name]
    copy.sealed = record.sealed
    copy.extras = {**record.extras, **added} if added else record.extras
    copy.made = made
    _ask(d, copy.extras, fields)
    return _closed(copy)


def _ask(d: dict[str, Any], extras: Mapping[str, Any], fields: frozenset[str]) -> None:
    for name in fields:
        if name in extras and name not in d:
            d[name] = extras[name]


_NUMBERS: Final = ("msecs", "relativeCreated", "thread", "process")
_INT64: Final = 2**63
ASKED: Final[set[str]] = set()
"""Attribute names that formats of this process ask for."""

_NO_EXTRAS: Final[dict[str, Any]] = {}


def _copied(sealed: Sealed) -> Sealed:
    copy = Sealed()
    for name in Sealed.__slots__:
        setattr(copy, name, getattr(sealed, name))
    return copy


def without_content(sealed: Sealed) -> Sealed:
    """Return the sealed form of a content logger's record as it is for sinks that may not hold customer text."""
    bare = _copied(sealed)
    bare.content_message = None
    bare.fields = {name: value for name, value in sealed.fields.items() if name != "content"}
    return bare


def sealed_record(
    original: Mapping[str, Any],
    sealed: Sealed,
    begun: dict[str, Any],
    exception: tuple[BaseException, TracebackType | None] | None,
    fields: frozenset[str] = frozenset(),
) -> SealedRecord:
    """Make the record that a handler of another package gets.

    Args:
        original: the record's attributes; only numbers that logging itself made are taken over from it.
        sealed: its sealed form.
        begun: all attributes of a sealed record, those set that are proven of place, thread, process and task.
        exception: the original's exception and traceback, for the stand-in.
        fields: attribute names that the handler's format string asks for.
    """
    if sealed.content:
        # Whether a foreign handler stays on the machine isn't known, and a record may be pickled on its way.
        sealed = without_content(sealed)
    shown_fields = sealed.fields
    d = begun
    d["name"] = shown_fields["logger"]
    d["msg"] = sealed.msg
    d["args"] = sealed.args
    d["levelname"] = shown_fields["level"]
    d["levelno"] = sealed.levelno
    if exception is not None:
        d["exc_info"] = stand_in(*exception)
    d["created"] = sealed.created
    for key in _NUMBERS:
        value = original.get(key)
        # A number that logging made; one that a program put there could be a whole text.
        if (type(value) is float and isfinite(value)) or (type(value) is int and 0 <= value < _INT64):
            d[key] = value
    for key in CODES:
        if key in shown_fields:
            d[key] = shown_fields[key]
    for name, scalar in sealed.attributes.items():
        if name not in STANDARD_KEYS:
            d[name] = scalar
    copy = _new(_Open)
    copy.__dict__ = d
    copy.sealed = sealed
    extras = sealed.extras
    copy.extras = {name: one for name, one in extras.items() if name.isidentifier()} if extras else _NO_EXTRAS
    copy.made = d.copy()
    if fields:
        _ask(d, copy.extras, fields)
    return _closed(copy)


def bare_record(sealed: Sealed) -> SealedRecord:
    """Make the record for a handler and a formatter that read nothing but its sealed form: without names and numbers.

    Args:
        sealed: the sealed form.
    """
    copy = _new(_Open)
    copy.__dict__ = _bare(sealed)
    # What it was made of can be made again, and mostly needn't.
    copy.made = None
    copy.sealed = sealed
    copy.extras = _NO_EXTRAS
    return _closed(copy)


def _bare(sealed: Sealed) -> dict[str, Any]:
    fields = sealed.fields
    d = BLANK_RECORD.copy()
    d["name"] = fields["logger"]
    d["msg"] = sealed.msg
    d["args"] = sealed.args
    d["levelname"] = fields["level"]
    d["levelno"] = sealed.levelno
    d["created"] = sealed.created
    return d
