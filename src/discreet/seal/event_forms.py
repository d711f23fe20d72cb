"""Sealed records in the forms that structlog passes about: event dicts, and texts on their way through logging."""

from __future__ import annotations

import logging
import sys
import threading
import weakref
from collections.abc import Mapping
from typing import Any, Final, Self

from discreet.export.encode import timestamp
from discreet.seal.record import Sealed, SealedRecord

__all__ = [
    "TEXT_KEY",
    "SealedEvent",
    "SealedText",
    "event_of",
    "handed_out",
    "keep_text",
    "reshape",
    "takes_events",
]

TEXT_KEY: Final = "message"
"""Where the text is once our processors have sealed an event dict; with it ``event`` is the contract's name."""

_META: Final = frozenset({"_from_structlog", "_record"})
_METHODS: Final = {10: "debug", 20: "info", 30: "warning", 40: "error", 50: "critical"}


class _Handed(threading.local):
    """The sealed copy that this thread handed to a ``ProcessorFormatter`` last."""

    record: weakref.ref[SealedRecord] | None = None


_handed: Final = _Handed()


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
    values = {**sealed.fields, "timestamp": timestamp(sealed.created)}
    values.pop("content", None)
    if service is not None:
        values["service"] = service
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


def takes_events(formatter: logging.Formatter) -> bool:
    """Tell whether a formatter is structlog's ``ProcessorFormatter``."""
    cls = getattr(sys.modules.get("structlog.stdlib"), "ProcessorFormatter", None)
    return cls is not None and isinstance(formatter, cls)


def handed_out(text: object) -> Sealed | None:
    """Return the sealed record that a ``ProcessorFormatter`` is formatting now, if this text is its message.

    Args:
        text: the text, where the record itself has been taken out of the event dict.
    """
    record = _handed.record() if _handed.record is not None else None
    if record is None or type(text) is not str or text != record.sealed.message:
        return None
    return record.sealed


def keep_text(record: SealedRecord, original: object) -> None:
    """Let a sealed copy of a record keep its text if that is one of ours: a line that ``JsonRenderer`` made.

    Args:
        record: the sealed copy.
        original: the message of the record that it stands for.
    """
    if type(original) is SealedText:
        own = {"msg": str.__str__(original), "args": ()}
        record.__dict__.update(own)
        if record.made is not None:
            record.made.update(own)


def reshape(record: SealedRecord) -> None:
    """Make a sealed record readable for ``ProcessorFormatter``.

    Args:
        record: the sealed record; nothing is put into it that was not made from its sealed form.
    """
    d = record.__dict__
    sealed = record.sealed
    # Weakly, because it is of use only while the handler is at work.
    _handed.record = weakref.ref(record)
    if sealed.keys is None:
        d["msg"] = SealedText(sealed.msg, sealed)
        # `event` is the text there: ExtraAdder would put the contract's name, or None, in its place.
        name = d.pop("event", None)
        if name is not None:
            d["event_name"] = name
        return
    d["msg"] = event_of(sealed) if TEXT_KEY in sealed.keys else _as_structlog(sealed)
    d["args"] = ()
    known = logging.root.manager.loggerDict.get(sealed.logger)
    d["_logger"] = known if isinstance(known, logging.Logger) else logging.root
    d["_name"] = _method(sealed.levelno)
