"""ConsoleFormatter: sealed records for people, one line each."""

from __future__ import annotations

import logging
import os
import re
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from os import PathLike
from types import TracebackType
from typing import Any, Final, Literal, TextIO

from discreet.choke import installed
from discreet.contract import activate, active
from discreet.errors import ConfigurationError
from discreet.export.ledger import LEDGER
from discreet.seal.exceptions import ExceptionFacts, describe
from discreet.seal.record import Sealed, SealedRecord, without_content
from discreet.seal.sealing import seal

__all__ = ["ConsoleFormatter", "escaped"]

LOGGER_WIDTH: Final = 28
"""Columns for the logger's name; a longer one pushes its own line to the right.

.. versionadded:: 0.1.0
"""

FAILED: Final = "<record withheld: the formatter failed>"
"""What stands for a record that the formatter could not render.

.. versionadded:: 0.1.0
"""

# Controls break lines or steer a terminal, the bidirectional ones reorder what is read, and a
# lone surrogate can't be written at all.
_UNSAFE: Final = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_NAMED: Final = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_PLAIN: Final = re.compile(r"[^\s\"=]+")

_RESET: Final = "\x1b[0m"
_DIM: Final = "\x1b[2m"
_CYAN: Final = "\x1b[36m"
_RED: Final = "\x1b[31m"
_YELLOW: Final = "\x1b[33m"
_LEVEL_COLORS: Final = ((50, "\x1b[1;31m"), (40, _RED), (30, _YELLOW), (20, "\x1b[32m"), (0, _DIM))
_KEY_COLORS: Final = {"event": _CYAN, "warning_code": _YELLOW, "error_code": _RED}


class ConsoleFormatter(logging.Formatter):
    """Render sealed records for a person: one physical line each, in columns.

    Time, level, logger, message, then event, codes and declared attributes as ``key=value``,
    then the exception: its chain with codes, and its last frames. It has a layout of its own,
    so that an INI file's `format` can't be honoured.

    Args:
        fmt: Must be left out; it is where INI files and `class` entries put a format string.
        datefmt: A `time.strftime` format; hours to milliseconds when it is left out.
        style: Only the default is known.
        color: Whether to use colours. By default if `stream` is a terminal that can, and the
            environment variable ``NO_COLOR`` is empty or not set (https://no-color.org).
        stream: Where the lines will go, for `color`: ``"stderr"``, ``"stdout"`` or a stream.
        utc: Whether times are in UTC rather than local.
        frames: How many of an exception's innermost frames to show.
        contracts: Contracts to make active, as for every component.
        attributes: Attributes to declare for all loggers, as for every component.

    Raises:
        ConfigurationError: An option has a wrong value.

    .. versionadded:: 0.1.0
    """

    def __init__(
        self,
        fmt: str | None = None,
        datefmt: str | None = None,
        style: Literal["%", "{", "$"] = "%",
        *,
        color: bool | None = None,
        stream: TextIO | str = "stderr",
        utc: bool = True,
        frames: int = 3,
        contracts: Iterable[str | PathLike[str]] = (),
        attributes: Mapping[str, Any] | None = None,
    ) -> None:
        if fmt is not None or style != "%":
            raise ConfigurationError("this formatter has a layout of its own", place="fmt", remedy="Leave it out.")
        if datefmt is not None and type(datefmt) is not str:
            raise ConfigurationError("must be a text", place="datefmt", remedy='Give a format such as "%H:%M:%S".')
        if color is not None and type(color) is not bool:
            raise ConfigurationError("must be true, false or null", place="color", remedy="Leave it out to find out.")
        if type(utc) is not bool:
            raise ConfigurationError("must be true or false", place="utc", remedy="Leave it out for UTC.")
        if type(frames) is not int or frames < 0:
            raise ConfigurationError("must be a whole number from 0", place="frames", remedy="3 suits a terminal.")
        activate(contracts, attributes)
        super().__init__(None, datefmt)
        self._utc = utc
        self._frames = frames
        target = _stream(stream)
        self._color = _can_color(target) if color is None else color

    def format(self, record: logging.LogRecord) -> str:
        """Return the line of a record, without a line feed."""
        try:
            sealed = record.sealed if type(record) is SealedRecord else seal(record)
            if sealed.content and type(record) is not SealedRecord and not installed():
                # A formatter doesn't know whether its handler stays on the machine. The guard does.
                sealed = without_content(sealed)
            return self.line(sealed)
        except Exception as error:
            # logging would print the message and its arguments to stderr instead.
            LEDGER.failure("console", error)
            return FAILED

    def line(self, sealed: Sealed) -> str:
        """Return the line of a sealed record.

        Args:
            sealed: The record.
        """
        message = sealed.content_message if sealed.content else None
        level = next(color for floor, color in _LEVEL_COLORS if max(0, sealed.levelno) >= floor)
        parts = [
            self._paint(self._time(sealed.created), _DIM),
            self._paint(f"{escaped(sealed.level):<8}", level),
            self._paint(f"{escaped(sealed.logger):<{LOGGER_WIDTH}}", _DIM),
            escaped(sealed.message if message is None else message),
            *self._pairs(sealed),
        ]
        if sealed.exception is not None:
            parts.append(self._paint(f"! {_exception(sealed.exception, self._frames)}", _RED))
        return " ".join(parts)

    def _time(self, created: float) -> str:
        found = time.gmtime(created) if self._utc else time.localtime(created)
        if self.datefmt is not None:
            return escaped(time.strftime(self.datefmt, found))
        milliseconds = int(created % 1 * 1000)
        return f"{time.strftime('%H:%M:%S', found)}.{milliseconds:03d}{'Z' * self._utc}"

    def _pairs(self, sealed: Sealed) -> Iterator[str]:
        pairs: dict[str, object] = {
            "event": sealed.event,
            "warning_code": sealed.warning_code,
            "error_code": sealed.error_code,
            "error_class": sealed.error_class,
        }
        pairs = {key: value for key, value in pairs.items() if value is not None}
        for key, scalar in sealed.attributes.items():
            pairs.setdefault(key, scalar)
        if sealed.content:
            pairs["content"] = True
        elif sealed.withheld:
            pairs["withheld"] = sealed.withheld
        for key, value in pairs.items():
            color = _KEY_COLORS.get(key)
            shown = _value(value)
            yield (self._paint(f"{escaped(key)}=", _DIM) + (shown if color is None else self._paint(shown, color)))

    def _paint(self, text: str, color: str) -> str:
        return f"{color}{text}{_RESET}" if self._color else text

    def formatException(  # noqa: N802 - logging's name
        self,
        ei: tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None],
    ) -> str:
        """Return type, codes and frames of an exception, without its text."""
        if ei[1] is None:
            return ""
        return _exception(describe(ei[1], ei[2], active()), self._frames)

    def formatStack(self, stack_info: str) -> str:  # noqa: N802 - logging's name
        """Return that there is a stack: its source lines may hold anything."""
        return "<stack withheld>"


def escaped(text: str) -> str:
    """Return a text that stays on one line and can't steer a terminal.

    Args:
        text: Any text.

    .. versionadded:: 0.1.0
    """
    return _UNSAFE.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    named = _NAMED.get(match[0])
    if named is not None:
        return named
    code = ord(match[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"  # noqa: PLR2004 - one byte


def _value(value: object) -> str:
    if value is None:
        return "null"
    if type(value) is bool:
        return "true" if value else "false"
    text = escaped(str(value))
    if type(value) is not str or _PLAIN.fullmatch(text):
        return text
    return '"' + text.replace('"', '\\"') + '"'


def _exception(facts: ExceptionFacts, frames: int) -> str:
    links = []
    for index, name in enumerate(facts.chain or (facts.type,)):
        code = facts.codes[index] if index < len(facts.codes) else None
        links.append(name if code is None else f"{name}[{code}]")
    text = " < ".join(links)
    if facts.message is not None:
        text = f"{text}: {facts.message}"
    shown = facts.frames[-frames:] if frames else ()
    if shown:
        text = f"{text} at {' > '.join(shown)}"
    return escaped(text)


def _stream(stream: TextIO | str) -> TextIO | None:
    if isinstance(stream, str):
        if stream not in {"stderr", "stdout"}:
            raise ConfigurationError("there is no such stream", place="stream", remedy='Use "stderr" or "stdout".')
        return sys.stderr if stream == "stderr" else sys.stdout
    return stream


def _can_color(stream: TextIO | None) -> bool:
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    isatty = getattr(stream, "isatty", None)
    try:
        return isatty is not None and bool(isatty())
    except ValueError:
        # A closed stream is no terminal.
        return False
