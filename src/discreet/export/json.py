"""JsonFormatter and JsonHandler: sealed records as lines of JSON."""

from __future__ import annotations

import io
import logging
import os
import re
import sys
from collections.abc import Iterable, Mapping
from os import PathLike
from typing import Any, Final, TextIO

from pythonjsonlogger.core import BaseJsonFormatter

from discreet.choke import install, installed
from discreet.contract import activate
from discreet.errors import ConfigurationError
from discreet.export.encode import DEFAULT_MAX_BYTES, encode, plain_line, shortened, timestamp
from discreet.export.line_file import LineFile
from discreet.export.sealing_handler import SealingHandler
from discreet.seal.foreign import READ_SEALED
from discreet.seal.record import Sealed, SealedRecord
from discreet.seal.sealing import seal

__all__ = ["JsonFormatter", "JsonHandler"]

PRESETS: Final[dict[str, dict[str, str]]] = {
    # Elastic Common Schema field reference, 8.x; dotted names are its own flat spelling.
    "ecs": {
        "timestamp": "@timestamp",
        "level": "log.level",
        "logger": "log.logger",
        "event": "event.action",
        "error_code": "error.code",
        "exception_type": "error.type",
        "exception_frames": "error.stack_trace",
        "trace_id": "trace.id",
        "span_id": "span.id",
        "service": "service.name",
        "code_function": "log.origin.function",
        "code_line": "log.origin.file.line",
    },
    # OpenTelemetry logs data model and semantic conventions 1.3x.
    "otel": {
        "timestamp": "timestamp",
        "level": "severity_text",
        "logger": "scope.name",
        "message": "body",
        "event": "event_name",
        "exception_type": "exception.type",
        "exception_frames": "exception.stacktrace",
        "service": "service.name",
        "code_function": "code.function.name",
        "code_line": "code.line.number",
    },
}
_MIN_BYTES: Final = 1024
_FIELD: Final = re.compile(r"[@A-Za-z_][A-Za-z0-9_.@-]{0,63}", re.ASCII)


def _checked_names(names: Mapping[str, Any], place: str) -> None:
    if not isinstance(names, Mapping):
        raise ConfigurationError("must be a mapping of field names", place=place, remedy="Give a JSON object.")
    for key, value in names.items():
        for name in (key, value) if place == "rename_fields" else (key,):
            if type(name) is not str or not _FIELD.fullmatch(name):
                raise ConfigurationError(
                    "a field name must be 1 to 64 of the characters A-Z a-z 0-9 _ . @ -",
                    place=place,
                    remedy="Rename the field.",
                )


class JsonLines:
    """The options that formatter and handler share, and the rendering itself."""

    def __init__(
        self,
        *,
        preset: str | None,
        service: str | None,
        rename_fields: Mapping[str, str] | None,
        static_fields: Mapping[str, Any] | None,
        max_bytes: int,
    ) -> None:
        if preset is not None and (type(preset) is not str or preset not in PRESETS):
            raise ConfigurationError(
                "there is no such preset", place="preset", remedy=f"Use one of {', '.join(sorted(PRESETS))}, or none."
            )
        if type(max_bytes) is not int or max_bytes < _MIN_BYTES:
            raise ConfigurationError(
                "must be a whole number of bytes, 1024 or more", place="max_bytes", remedy="16384 suits containers."
            )
        if service is not None and type(service) is not str:
            raise ConfigurationError("must be a text", place="service", remedy="Give the service's name.")
        _checked_names(rename_fields or {}, "rename_fields")
        _checked_names(static_fields or {}, "static_fields")
        for value in (static_fields or {}).values():
            if type(value) not in (str, int, float, bool) and value is not None:
                raise ConfigurationError(
                    "a value must be a text, a number, true, false or null", place="static_fields", remedy="Flatten it."
                )
        self.service = service
        self.names = {**(PRESETS[preset] if preset else {}), **(rename_fields or {})}
        self.static = dict(static_fields or {})
        self.max_bytes = max_bytes
        self.plain = service is None and not self.names and not self.static

    def line(self, sealed: Sealed, *, content: bool) -> tuple[bytes, bool]:
        """Return the line of a record and whether something was cut.

        Args:
            sealed: the record.
            content: whether this sink may hold what a content logger says.
        """
        values = sealed.fields
        if self.plain and "content" not in values:
            line = plain_line(sealed)
            if len(line) <= self.max_bytes:
                return line, False
        elif values["timestamp"] is None:
            values["timestamp"] = timestamp(sealed.created)
        values = values.copy()
        if self.service is not None:
            values["service"] = self.service
        if "content" in values:
            if content and sealed.content_message is not None:
                values["message"] = sealed.content_message
                values.pop("withheld", None)
            else:
                del values["content"]
        if self.static:
            values = {**self.static, **values}
        if self.names:
            names = self.names
            values = {names.get(name, name): value for name, value in values.items()}
        line = encode(values)
        if len(line) <= self.max_bytes:
            return line, False
        return shortened(values, line, self.max_bytes, self.names), True


class JsonFormatter(BaseJsonFormatter):
    """Format sealed records as one flat JSON object each, for handlers of other packages.

    The fields, in this order and absent when there is nothing: ``timestamp``, ``level``, ``logger``, ``message``,
    ``event``, ``warning_code``, ``error_code``, ``error_class``, ``trace_id``, ``span_id``, declared attributes,
    ``exception_type``, ``exception_code``, ``exception_chain``, ``exception_message``, ``exception_frames``,
    ``withheld``, ``code_function``, ``code_line``, ``content``, ``service``, ``truncated``.

    Args:
        fmt, datefmt, style, defaults: refused unless they are what ``logging.config.fileConfig`` passes by itself.
        preset: ``"ecs"`` or ``"otel"`` for their field names; None for the flat ones above, which Loki and
            VictoriaLogs take as they are.
        service: value of the field ``service``.
        rename_fields: other names for fields, as in python-json-logger.
        static_fields: fields that every line gets, as in python-json-logger.
        prefix: text before each line, as in python-json-logger.
        max_bytes: longest line in bytes; what is longer is cut, counted and marked ``truncated``.
        contracts: contract files, or names of shipped ones, to make active for the process.
        attributes: application-wide attributes and their types, such as ``{"tenant": "id"}``.

    Raises:
        ConfigurationError: an option has a wrong value.

    .. versionadded:: 0.1.0
    """

    def __init__(
        self,
        fmt: None = None,
        datefmt: None = None,
        style: str = "%",
        *,
        preset: str | None = None,
        service: str | None = None,
        rename_fields: Mapping[str, str] | None = None,
        static_fields: Mapping[str, Any] | None = None,
        prefix: str = "",
        max_bytes: int = DEFAULT_MAX_BYTES,
        contracts: Iterable[str | PathLike[str]] = (),
        attributes: Mapping[str, Any] | None = None,
        defaults: None = None,
    ) -> None:
        if fmt is not None or datefmt is not None or style != "%" or defaults:
            raise ConfigurationError(
                "the fields of a line are fixed",
                place="fmt",
                remedy="Leave fmt, datefmt, style and defaults out; rename_fields and static_fields change names.",
            )
        if type(prefix) is not str:
            raise ConfigurationError("must be a text", place="prefix", remedy="Leave it out for none.")
        super().__init__(prefix=prefix)
        self._lines = JsonLines(
            preset=preset,
            service=service,
            rename_fields=rename_fields,
            static_fields=static_fields,
            max_bytes=max_bytes,
        )
        activate(contracts, attributes)

    def format(self, record: logging.LogRecord) -> str:
        """Return the line, without a line feed. Never raises for what a record holds."""
        sealed = record.sealed if type(record) is SealedRecord else seal(record)
        lines = self._lines
        line = plain_line(sealed) if lines.plain and "content" not in sealed.fields else b""
        if not line or len(line) > lines.max_bytes:
            # A formatter doesn't know whether its handler stays on the machine. The guard does.
            line, _ = lines.line(sealed, content=type(record) is SealedRecord or installed())
        text = line.decode()[:-1]
        return self.prefix + text if self.prefix else text


READ_SEALED.add(JsonFormatter)


def _install_with(options: Mapping[str, Any]) -> None:
    """Install the guard with options, as a configuration with filters does."""
    from inspect import signature

    from discreet.guard import ContentGuard

    unknown = set(options) - set(signature(ContentGuard).parameters) | ({"name", "scope"} & set(options))
    if unknown:
        raise ConfigurationError(
            "has an option that the guard of a process hasn't",
            place="guard",
            remedy="Give true, or options such as streams, strict, match and routes.",
        )
    ContentGuard(**options)


class JsonHandler(SealingHandler):
    """Write sealed records as lines of JSON, as bytes and with one write call each: the fast way.

    Args:
        filename: path of the file to append to; made when it is missing, and within a second after it was renamed.
        stream: a text or binary stream; ``"-"`` or None with no ``filename`` means standard output, looked up at
            each record.
        level: as for any handler.
        name: what the ledger calls this sink.
        guard: whether to guard every handler of the process, as :func:`discreet.install` does; for configurations
            that have no filters, such as INI files. Or the options of :class:`discreet.ContentGuard`, such as
            ``{"streams": True}``.
        preset, service, rename_fields, static_fields, max_bytes, contracts, attributes: as for
            :class:`JsonFormatter`.

    Raises:
        ConfigurationError: an option has a wrong value, or the file can't be opened.

    .. versionadded:: 0.1.0
    """

    def __init__(
        self,
        filename: str | PathLike[str] | None = None,
        stream: TextIO | io.IOBase | str | None = None,
        *,
        level: int | str = logging.NOTSET,
        name: str = "json",
        guard: bool | Mapping[str, Any] = False,
        preset: str | None = None,
        service: str | None = None,
        rename_fields: Mapping[str, str] | None = None,
        static_fields: Mapping[str, Any] | None = None,
        max_bytes: int = DEFAULT_MAX_BYTES,
        contracts: Iterable[str | PathLike[str]] = (),
        attributes: Mapping[str, Any] | None = None,
    ) -> None:
        if filename is not None and stream is not None:
            raise ConfigurationError(
                "filename and stream exclude each other", place="stream", remedy="Give one of them."
            )
        if isinstance(stream, str) and stream != "-":
            raise ConfigurationError('must be a stream or "-"', place="stream", remedy="Give a path as filename.")
        if type(guard) is not bool and not isinstance(guard, Mapping):
            raise ConfigurationError(
                "must be true, false or the guard's options", place="guard", remedy="Leave it out for false."
            )
        if stream is not None and not isinstance(stream, str) and not hasattr(stream, "write"):
            raise ConfigurationError("has no write method", place="stream", remedy='Give an open stream or "-".')
        self._lines = JsonLines(
            preset=preset,
            service=service,
            rename_fields=rename_fields,
            static_fields=static_fields,
            max_bytes=max_bytes,
        )
        self._stream: Any = None if isinstance(stream, str) else stream
        self._file: LineFile | None = None
        # What the doctor shows as the place of this sink.
        self._path: str | None = None
        activate(contracts, attributes)
        if isinstance(guard, Mapping):
            _install_with(guard)
        super().__init__(level, sink=name)
        # Last, so that a wrong option leaves no open file behind.
        if filename is not None:
            try:
                self._file = LineFile(filename)
                self._path = self._file.path
            except (OSError, TypeError, ValueError) as error:
                raise ConfigurationError(
                    f"can't open the file for appending ({type(error).__name__})",
                    place="filename",
                    remedy="Check that its folder exists and may be written to.",
                ) from error
        if guard is True:
            install()

    def handle(self, record: logging.LogRecord) -> Any:
        """Filter, seal, count and write a record."""
        if self.filters or type(self) is not JsonHandler:
            return super().handle(record)
        # The same as the base's emit, without its calls: this is what every record of a service runs through.
        sealed = seal(record)
        try:
            lines = self._lines
            cut = False
            line = plain_line(sealed) if lines.plain and "content" not in sealed.fields else b""
            if not line or len(line) > lines.max_bytes:
                line, cut = lines.line(sealed, content=True)
            counts = self.counts
            lock: Any = self.lock
            # Half of what a with statement takes.
            lock.acquire()
            try:
                file = self._file
                if file is not None and file.looked <= sealed.created < file.look_again and not file.torn:
                    written = os.write(file.fd, line)
                    if written < len(line):
                        file.finish(line, written)
                else:
                    self._write(line)
                counts.observed += 1
                if cut:
                    counts.cut += 1
            finally:
                lock.release()
        except Exception as error:
            self.failed(error, sealed)
        return True

    handle.__discreet_seals__ = True  # type: ignore[attr-defined]  # install() leaves this class alone

    def write_sealed(self, sealed: Sealed) -> None:
        """Write one record.

        Raises:
            OSError: the file or stream refused it; the caller counts it.
        """
        line, cut = self._lines.line(sealed, content=True)
        self._write(line)
        if cut:
            self.counts.count_cut()

    def _write(self, line: bytes) -> None:
        if self._file is not None:
            if self._file.fd < 0 and self.retired:
                raise BrokenPipeError("the sink is closed")
            self._file.write(line)
            return
        stream: Any = self._stream if self._stream is not None else sys.stdout
        if stream is None or getattr(stream, "closed", False):
            raise BrokenPipeError("the stream is closed")
        if isinstance(stream, io.TextIOWrapper):
            # JSON is UTF-8, whatever a terminal or a locale says. What was printed before goes out before.
            stream.flush()
            stream = stream.buffer
        if isinstance(stream, io.TextIOBase):
            stream.write(line.decode())
        elif isinstance(stream, io.IOBase):
            stream.write(line)
        else:
            # A stand-in for a stream, such as a test's: it says by its own error which of the two it takes.
            try:
                stream.write(line.decode())
            except TypeError:
                stream.write(line)
        flush = getattr(stream, "flush", None)
        if flush is not None:
            flush()

    def close(self) -> None:
        """Close the file that this handler opened; a stream that was given stays open.

        As with logging's own FileHandler a later record opens the file again: ``dictConfig`` closes every handler of
        the process, also those that stay where they are.
        """
        with self.guarding():
            if self._file is not None:
                self._file.close()
        super().close()
