"""discreet's part in a chain of structlog's processors: event dicts that hold no customer text."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterable, Mapping
from os import PathLike
from typing import Any, Final

import structlog

from discreet.contract import activate
from discreet.errors import ConfigurationError
from discreet.export.encode import DEFAULT_MAX_BYTES
from discreet.export.json import JsonLines
from discreet.export.ledger import LEDGER
from discreet.seal import compose, percent
from discreet.seal.event_dict import seal_event
from discreet.seal.event_forms import TEXT_KEY, SealedEvent, SealedText, event_of, handed_out
from discreet.seal.pieces import Composed, parts_of, percent_value
from discreet.seal.record import Sealed
from discreet.seal.sealing import seal, withhold_all

__all__ = ["JsonRenderer", "Sealer", "processors"]

_LEVELS: Final[Mapping[str, int]] = {
    "debug": logging.DEBUG,
    "info": logging.INFO,
    "msg": logging.INFO,
    "log": logging.INFO,
    "warn": logging.WARNING,
    "warning": logging.WARNING,
    "err": logging.ERROR,
    "error": logging.ERROR,
    "exception": logging.ERROR,
    "failure": logging.ERROR,
    "critical": logging.CRITICAL,
    "fatal": logging.CRITICAL,
}
_FORMATTING: Final = structlog.stdlib.ProcessorFormatter.format.__code__
_NO_ARGS: Final[tuple[Any, ...]] = ()


def processors(
    contracts: Iterable[str | PathLike[str]] = (),
    attributes: Mapping[str, Any] | None = None,
    *,
    routes: Iterable[str] = (),
    hosts: Iterable[str] = (),
    service: str | None = None,
) -> list[structlog.typing.Processor]:
    """Return the processors that seal event dicts; only a renderer should come after them.

    They take in what is bound to the context, and replace the event dict by one with the fields of our lines of JSON:
    the text is ``message``, and ``event`` is the contract's name for what happened.

    Args:
        contracts: contract files, or names of shipped ones, to make active for the process.
        attributes: application-wide attributes and their types, such as ``{"tenant": "id"}``.
        routes: route templates of the application, such as ``/items/{item_id}``.
        hosts: hosts that the program talks to, which the types `host` and `origin` show.
        service: value of the field ``service``.

    Raises:
        ConfigurationError: an option has a wrong value.

    .. versionadded:: 0.1.0
    """
    return [
        structlog.contextvars.merge_contextvars,
        Sealer(contracts=contracts, attributes=attributes, routes=routes, hosts=hosts, service=service),
    ]


class Sealer:
    """A processor that annotates and seals event dicts, of structlog's loggers and inside ``ProcessorFormatter``.

    It never raises. What it returns is a new dict; the one that it got is not changed.

    Args:
        contracts, attributes, routes, hosts, service: as for :func:`processors`.

    Raises:
        ConfigurationError: an option has a wrong value.

    .. versionadded:: 0.1.0
    """

    def __init__(
        self,
        *,
        contracts: Iterable[str | PathLike[str]] = (),
        attributes: Mapping[str, Any] | None = None,
        routes: Iterable[str] = (),
        hosts: Iterable[str] = (),
        service: str | None = None,
    ) -> None:
        if service is not None and type(service) is not str:
            raise ConfigurationError("must be a text", place="service", remedy="Give the service's name.")
        self._service = service
        activate(contracts, attributes, routes, hosts)

    def __call__(self, logger: Any, method_name: str, event_dict: Any) -> SealedEvent:
        """Return the sealed event dict."""
        formatting = sys._getframe(1).f_code is _FORMATTING  # noqa: SLF001  # tells foreign records from events
        try:
            sealed = _sealed(logger, method_name, event_dict, formatting=formatting)
            return event_of(sealed, self._service)
        except Exception as error:
            # The guard failed: everything of the event is withheld, and the failure is counted, never raised.
            LEDGER.failure("structlog", error)
            LEDGER.withhold("?", "<withheld>", "record", reason="failed")
            return event_of(withhold_all({"levelno": _levelno(method_name)}), self._service)


def _sealed(logger: Any, method_name: object, event_dict: Any, *, formatting: bool) -> Sealed:
    if type(event_dict) is SealedEvent:
        return event_dict.sealed
    record = event_dict.get("_record") if formatting else None
    if isinstance(record, logging.LogRecord):
        d = record.__dict__
        if event_dict.get("_from_structlog") is not True:
            return _foreign(record, event_dict)
        return seal_event(
            event_dict,
            name=d.get("name"),
            levelno=d["levelno"] if type(d.get("levelno")) is int else logging.INFO,
            level=d.get("levelname"),
            created=d.get("created"),
        )
    handed = handed_out(event_dict.get("event")) if formatting else None
    if handed is not None:
        return handed
    if method_name == "exception" and "exc_info" not in event_dict:
        # As structlog.dev.set_exc_info does it.
        event_dict = {**event_dict, "exc_info": True}
    sealed = seal_event(event_dict, name=_logger_name(logger, event_dict), levelno=_levelno(method_name))
    sealed.keys = (sealed.keys or frozenset()) | {TEXT_KEY}
    return sealed


def _foreign(record: logging.LogRecord, event_dict: Any) -> Sealed:
    """Seal a record of logging's own inside ``ProcessorFormatter``, which has taken arguments and exception off it."""
    msg: Any = record.__dict__.get("msg")
    if type(msg) is SealedText:
        return msg.sealed
    args = event_dict.get("positional_args")
    original = logging.makeLogRecord({**record.__dict__, "exc_info": event_dict.get("exc_info")})
    original.args = args if args is not None else _NO_ARGS
    sealed = seal(original)
    text = event_dict.get("event")
    if not args and sealed.message is msg and type(text) is str and text != msg:
        # The arguments are in the text only; numbers can be read from it as from any composed message.
        made = percent_value(msg, None, None)
        if isinstance(made, Composed) and percent.parse(msg).directives:
            parts = parts_of(made.pieces)
            if compose.fits(parts, text):
                sealed.fields["message"], gone = compose.read(parts, text)
                if gone:
                    sealed.fields["withheld"] = sealed.withheld + gone
    return sealed


def _levelno(method_name: object) -> int:
    return _LEVELS.get(method_name, logging.INFO) if type(method_name) is str else logging.INFO


def _logger_name(logger: Any, event_dict: Any) -> str | None:
    """Return the name of the logger that structlog wraps, None when it has none."""
    kind = type(logger)
    if issubclass(kind, logging.Logger) or kind.__module__ == "structlog._output":
        # Both keep it as plain data; another class's attribute could be anything.
        name = getattr(logger, "name", None)
        if type(name) is str:
            return name
    for key in ("logger", "logger_name"):
        name = event_dict.get(key)
        if type(name) is str:
            return name
    return None


class JsonRenderer:
    """Render a sealed event dict as one of our lines of JSON: always valid, one physical line, of limited length.

    Its text stays readable for the process's guard when structlog hands it on to logging, which the text of another
    renderer does not.

    Args:
        as_bytes: whether to return bytes, for ``structlog.BytesLogger``.
        preset, service, rename_fields, static_fields, max_bytes: as for :class:`discreet.JsonFormatter`.

    Raises:
        ConfigurationError: an option has a wrong value.

    .. versionadded:: 0.1.0
    """

    def __init__(
        self,
        *,
        as_bytes: bool = False,
        preset: str | None = None,
        service: str | None = None,
        rename_fields: Mapping[str, str] | None = None,
        static_fields: Mapping[str, Any] | None = None,
        max_bytes: int = DEFAULT_MAX_BYTES,
    ) -> None:
        self._as_bytes = as_bytes
        self._lines = JsonLines(
            preset=preset,
            service=service,
            rename_fields=rename_fields,
            static_fields=static_fields,
            max_bytes=max_bytes,
        )

    def __call__(self, logger: Any, method_name: str, event_dict: Any) -> str | bytes:
        """Return the line, without a line feed."""
        try:
            if type(event_dict) is SealedEvent:
                sealed = event_dict.sealed
            else:
                sealed = _sealed(logger, method_name, event_dict, formatting=False)
            line, _ = self._lines.line(sealed, content=False)
        except Exception as error:
            # The guard failed: everything of the event is withheld, and the failure is counted, never raised.
            LEDGER.failure("structlog", error)
            LEDGER.withhold("?", "<withheld>", "record", reason="failed")
            sealed = withhold_all({"levelno": _levelno(method_name)})
            line, _ = self._lines.line(sealed, content=False)
        return line[:-1] if self._as_bytes else SealedText(line[:-1].decode(), sealed)
