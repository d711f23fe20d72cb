"""Streams whose lines become sealed records.

What a handler writes while it handles a record goes through: it has a sealed record only. Everything else is text of
which nothing is known but the code that writes it.
"""

from __future__ import annotations

import gc
import io
import logging
import signal
import sys
import threading
import weakref
from functools import partial
from types import CodeType, FrameType, FunctionType, MethodType
from typing import Any, Final

from discreet.contract import active
from discreet.contract.model import RecordRow
from discreet.doors.hooks import Layer
from discreet.doors.lines import Line, Place, place_of, read_line
from discreet.doors.partial import Partial, overwritten
from discreet.doors.report import has_handlers, send, to_stderr
from discreet.export.ledger import LEDGER
from discreet.forks import ForkSafeLock
from discreet.seal.peek import class_dict, mro
from discreet.seal.record import SealedRecord
from discreet.seal.types import Scalar
from discreet.seal.values import of_text

__all__ = ["LineBuffer", "LineStream", "is_own"]

_OWN: Final = {
    "guarded_handle.<locals>.handle": "discreet.covers",
    "_handle.<locals>.handle": "discreet.covers",
    "_once.<locals>.emit": "discreet.covers",
    "_any_method.<locals>.method": "discreet.covers",
    "_any_call.<locals>.method": "discreet.covers",
    "_quiet_error": "discreet.choke",
    "JsonHandler._write": "discreet.export.json",
    "SealingHandler._say": "discreet.export.sealing_handler",
    "GuardedSpanExporter.export": "discreet.export.span_guard",
    to_stderr.__qualname__: to_stderr.__module__,
}
"""Functions below which only sealed text is written."""

_FILTERING: Final = "guarded_handle.<locals>.handle"
"""The one of them that calls filters first; what it has sealed then is in its variable ``stand``, or needs none."""

_FINALIZING: Final = weakref.finalize.__call__.__code__
_SIGNALS: Final = tuple(signal.valid_signals())


class _Sending(threading.local):
    now = False


_sending = _Sending()


class LineStream(io.TextIOBase):
    """Stands in for a text stream: finished lines become records of the logger ``stdout`` or ``stderr``.

    Args:
        target: the stream itself, to which handlers still write.
        name: ``stdout`` or ``stderr``.

    .. versionadded:: 0.1.0
    """

    def __init__(self, target: Any, name: str, layer: Layer) -> None:
        self.target = target
        self._name = name
        self._layer = layer
        self._local = threading.local()
        self._partials: dict[int, Partial] = {}
        self._lock = ForkSafeLock()
        self._buffer: LineBuffer | None = None

    def write(self, text: str, /) -> int:
        """Take a text: pass it on if a handler writes it, else wait for its line's end."""
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        frame = sys._getframe(0).f_back  # noqa: SLF001  # None where the interpreter itself writes
        if not self._layer.active or is_own(frame):
            return self.target.write(text)  # type: ignore[no-any-return]
        self.take(str.__str__(text), frame)
        return len(text)

    def take(self, text: str, frame: FrameType | None) -> None:
        """Add a text of the program to the line that its thread writes. Never raises for our own failures."""
        try:
            if _sending.now:
                # A filter that prints, while its record is about such a line.
                LEDGER.sink(f"{self._name} lines").count_missing("nested")
                return
            self._take(text, *place_of(frame))
        except Exception as error:
            LEDGER.failure(self._name, error)

    def _take(self, text: str, direct: Place | None, author: Place | None) -> None:
        partial = self._partial()
        if partial.pieces and partial.pieces[-1][0].endswith("\r") and not text.startswith("\n"):
            # The terminal's cursor is back at the beginning: what comes overwrites the line.
            partial.clear()
        if "\r" in text:
            text, direct = overwritten(text), None
            if text.startswith("\r") and len(text) > 1:
                partial.clear()
                text = text[1:]
        if partial.is_full(text):
            if any("\n" in piece for piece, _ in partial.pieces):
                self._finish(partial)
            partial.drop()
        partial.add(text, direct, author)
        # A line end within a text waits for the rest of its line: the text can be proven as a whole only.
        if text.endswith("\n"):
            self._finish(partial)

    def _partial(self) -> Partial:
        found: Partial | None = getattr(self._local, "partial", None)
        if found is None:
            found = self._local.partial = Partial()
            ident = threading.get_ident()
            with self._lock:
                # An ended thread's number is given to another one.
                left = self._partials.get(ident)
                self._partials[ident] = found
            if left is not None and left.pieces:
                self._finish(left, whole=True)
        return found

    def _finish(self, partial: Partial, *, whole: bool = False) -> None:
        """Make records of the lines that are finished; of the unfinished one too if this is the ``whole``."""
        pieces, author, dropped = partial.pieces, partial.author, partial.dropped
        partial.clear()
        _sending.now = True
        try:
            if whole or pieces[-1][0].endswith("\n"):
                line = read_line(pieces, active())
                if line is not None:
                    self._send(line, author)
                    return
            *lines, rest = "".join(text for text, _ in pieces).split("\n")
            for one in [*lines, rest] if whole else lines:
                shown = one.rstrip("\r").rpartition("\r")[2]
                if shown.strip() or dropped:
                    self._send(Line(str(of_text(dropped + len(shown))), None, 1, {}), author)
                dropped = 0
            if rest and not whole:
                partial.add(rest, None, author)
        finally:
            _sending.now = False

    def _send(self, found: Line, author: Place | None) -> None:
        attributes: dict[str, Scalar] = {**found.attributes, "stream": self._name}
        place, known = "?", None
        if author is not None and author.module is not None:
            attributes |= {"module": author.module, "line": author.line}
            place = f"{author.module}.{author.code.co_qualname}:{author.line}"
            known = (author.module, author.line)
        if found.withheld:
            LEDGER.withhold(place, self._name, "message", found.withheld, reason="unproven", place=known)
        if not has_handlers(self._name):
            # A program that never configured logging still sees what it prints, as far as it is its own text.
            self.target.write(f"{found.message}\n")
            return
        row = found.row
        send(
            self._name,
            _level(row),
            found.message,
            "output_line",
            row=row,
            attributes=attributes,
            withheld=found.withheld,
        )

    def finish_all(self) -> None:
        """Make records of what was begun and never finished, of all threads."""
        with self._lock:
            partials = list(self._partials.values())
        for left in partials:
            if left.pieces:
                try:
                    self._finish(left, whole=True)
                except Exception as error:
                    LEDGER.failure(self._name, error)

    def forget(self) -> None:
        """Drop unfinished lines: in a forked child they are the parent's."""
        self._partials.clear()
        self._local = threading.local()

    @property
    def buffer(self) -> LineBuffer:
        """The stream for bytes, guarded as this one is."""
        if self._buffer is None:
            self._buffer = LineBuffer(self, self.target.buffer)
        return self._buffer

    @property
    def encoding(self) -> Any:  # type: ignore[override]
        """As the stream itself has it."""
        return self.target.encoding

    @property
    def errors(self) -> Any:  # type: ignore[override]
        """As the stream itself has it."""
        return self.target.errors

    @property
    def newlines(self) -> Any:  # type: ignore[override]
        """As the stream itself has it."""
        return self.target.newlines

    @property
    def closed(self) -> bool:
        """Whether the stream itself is closed."""
        return bool(self.target.closed)

    def flush(self) -> None:
        """Flush the stream itself; an unfinished line waits on."""
        self.target.flush()

    def fileno(self) -> int:
        """Return the stream's file descriptor, past which nothing is guarded."""
        return self.target.fileno()  # type: ignore[no-any-return]

    def isatty(self) -> bool:
        """Tell whether the stream itself is a terminal."""
        return bool(self.target.isatty())

    def readable(self) -> bool:
        """Tell that this is a stream to write to."""
        return False

    def writable(self) -> bool:
        """Tell that this is a stream to write to."""
        return True

    def detach(self) -> Any:
        """Return the guarded stream for bytes: a program that wraps it anew stays guarded."""
        return self.buffer

    def close(self) -> None:
        """Close the stream itself."""
        self.target.close()

    def __del__(self) -> None:
        # That of the base would close the stream itself.
        return

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.target, name)


class LineBuffer(io.BufferedIOBase):
    """Stands in for the bytes below a text stream.

    .. versionadded:: 0.1.0
    """

    def __init__(self, lines: LineStream, target: Any) -> None:
        self._lines = lines
        self._target = target

    def write(self, data: Any, /) -> int:
        """Take bytes: pass them on if a handler writes them, else wait for the line's end."""
        frame = sys._getframe(0).f_back  # noqa: SLF001  # as in LineStream.write
        if not self._lines._layer.active or is_own(frame):  # noqa: SLF001  # the two are one thing
            return self._target.write(data)  # type: ignore[no-any-return]
        found = bytes(data)
        self._lines.take(found.decode(self._lines.encoding or "utf-8", "replace"), frame)
        return len(found)

    def flush(self) -> None:
        """Flush the stream itself."""
        self._target.flush()

    def fileno(self) -> int:
        """Return the stream's file descriptor, past which nothing is guarded."""
        return self._target.fileno()  # type: ignore[no-any-return]

    def isatty(self) -> bool:
        """Tell whether the stream itself is a terminal."""
        return bool(self._target.isatty())

    def writable(self) -> bool:
        """Tell that this is a stream to write to."""
        return True

    @property
    def closed(self) -> bool:
        """Whether the stream itself is closed."""
        return bool(self._target.closed)

    @property
    def raw(self) -> LineBuffer:
        """This stream: what lies below it is not to be written to past it."""
        return self

    def close(self) -> None:
        """Leave the stream open: a wrapper that is thrown away closes what it wraps."""

    def __del__(self) -> None:
        return

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._target, name)


def is_own(frame: FrameType | None) -> bool:
    """Tell whether a handler writes while it handles a sealed record, or we write ourselves.

    Args:
        frame: the innermost frame outside of the stream.
    """
    between: list[CodeType] = []
    while frame is not None:
        code = frame.f_code
        name = code.co_qualname
        module = _OWN.get(name)
        # One of those for any method is below a method of a class that is a handler among other things, too.
        if (
            module is not None
            and frame.f_globals.get("__name__") == module
            and (not name.startswith("_any_") or _has_sealed(frame))
        ):
            # A handler's filters see the original record, and may print it.
            return (name != _FILTERING or "stand" in frame.f_locals) and not interrupts(between)
        between.append(code)
        frame = frame.f_back
    return False


def interrupts(codes: list[CodeType]) -> bool:
    """Tell whether one of these is code that Python runs between any two instructions, whatever the thread does.

    Args:
        codes: of the frames between something and what it may belong to.

    .. versionadded:: 0.1.0
    """
    if any(code.co_name == "__del__" or code is _FINALIZING for code in codes):
        return True
    functions: list[object] = list(gc.callbacks)
    if threading.get_ident() == threading.main_thread().ident:
        functions += map(signal.getsignal, _SIGNALS)
    return any(_code_of(function) in codes for function in functions)


def _code_of(function: object) -> CodeType | None:
    """Return the code that runs when something is called, without asking it."""
    while type(function) is partial:
        function = function.func
    if type(function) is not FunctionType and type(function) is not MethodType:
        function = next(
            (class_dict(cls)["__call__"] for cls in mro(type(function)) if "__call__" in class_dict(cls)), None
        )
    if type(function) is MethodType:
        function = function.__func__
    return function.__code__ if type(function) is FunctionType else None


def _has_sealed(frame: FrameType) -> bool:
    found = frame.f_locals
    values = (*found["args"], *found["kwargs"].values())
    return any(type(value) is SealedRecord for value in values)


def _level(row: RecordRow | None) -> int:
    """Return the level of a line: its event's, else what its codes say."""
    if row is not None and row.event is None:
        if row.error_code is not None or row.error_code_from is not None:
            return logging.ERROR
        if row.warning_code is not None:
            return logging.WARNING
    declared = active().event((row.event if row is not None else None) or "output_line")
    return int(getattr(logging, declared.level)) if declared is not None else logging.INFO
