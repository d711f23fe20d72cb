"""configure(): one call that sets up sinks, contracts and the guard, and the handle it returns."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any, Final, TextIO

from discreet.content import close_content_loggers, warn_if_content_is_open
from discreet.contract import Registry, activate, coverage
from discreet.environment import setting
from discreet.errors import ConfigurationError
from discreet.export.json import JsonHandler
from discreet.export.ledger import LEDGER, Ledger
from discreet.export.sealing_handler import SealingHandler
from discreet.forks import ForkSafeLock
from discreet.choke import install as install_guard

if TYPE_CHECKING:
    from opentelemetry.sdk.trace.export import SpanExporter

    from discreet.export.spans import OtelSpanHandler

__all__ = ["Handle", "configure"]


class _Unset:
    """Stands for an argument that was not given, so that the environment decides."""

    def __repr__(self) -> str:
        return "<from the environment>"


UNSET: Final[Any] = _Unset()

_lock = ForkSafeLock()
_current: Handle | None = None


class Handle:
    """What :func:`configure` set up.

    Attributes:
        ledger: the process's counts of records by sink and of values withheld by call site.

    .. versionadded:: 0.1.0
    """

    def __init__(self, handlers: list[SealingHandler], spans: OtelSpanHandler | None) -> None:
        self._handlers = handlers
        self._spans = spans
        self._closed = False
        self.ledger: Ledger = LEDGER

    def flush(self, timeout: float = 5.0) -> bool:
        """Hand on everything that waits in memory.

        Args:
            timeout: seconds that it may take.

        Returns:
            Whether everything was handed on in time.
        """
        for handler in self._handlers:
            handler.flush()
        return self._spans is None or self._spans.force_flush(int(timeout * 1000))

    def close(self, timeout: float = 5.0) -> None:
        """Flush, take the sinks off the root logger and close them. The guard stays installed.

        Args:
            timeout: seconds that flushing may take.
        """
        if self._closed:
            return
        self._closed = True
        self.flush(timeout)
        for handler in self._handlers:
            logging.root.removeHandler(handler)
            handler.retire()
        if self._spans is not None:
            from discreet.export.global_spans import lead_spans_to

            lead_spans_to(None)

    def __enter__(self) -> Handle:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()


def configure(
    *,
    contracts: Iterable[str | PathLike[str]] = UNSET,
    level: int | str = UNSET,
    json: str | PathLike[str] | TextIO | None = UNSET,
    spans: SpanExporter | str | PathLike[str] | None = UNSET,
    attributes: Mapping[str, Any] | None = UNSET,
    content_debug: Iterable[str] = UNSET,
    install: bool = UNSET,
    service: str | None = UNSET,
    routes: Iterable[str] = UNSET,
    match: object = None,
) -> Handle:
    """Set up logging for a service: contracts, a JSON sink, spans and the guard over every handler.

    An argument that is left out comes from its environment variable (``DISCREET_LEVEL`` and so on), else from the
    default. Calling it again replaces what the last call set up.

    Args:
        contracts: contract files to make active beside the shipped ones; names of shipped ones are accepted.
        level: the root logger's level. Default ``"INFO"``.
        json: where lines of JSON go: a path, an open text stream, ``"-"`` for standard output (the default), or
            None for nowhere.
        spans: where spans go: an OpenTelemetry ``SpanExporter``, the path of a file of JSON lines, or None (the
            default) for nowhere.
        attributes: application-wide attributes and their types, such as ``{"tenant": "id"}``.
        content_debug: content loggers on which DEBUG is switched on; all others are set to INFO.
        install: whether every handler of the process is guarded. Default True.
        service: value of the field ``service`` and of the spans' ``service.name``. Default: ``OTEL_SERVICE_NAME``.
        routes: route templates of the application, such as ``/items/{item_id}``, as which access lines show paths.
        match: reserved for a later release.

    Returns:
        A handle with ``flush()``, ``close()`` and ``ledger``.

    Raises:
        ConfigurationError: an argument, a variable or a contract is wrong; nothing was changed then.

    .. versionadded:: 0.1.0
    """
    global _current
    if match is not None:
        raise ConfigurationError("match mode is not available yet", place="match", remedy="Leave the argument out.")
    contracts = _list(_given(contracts, "contracts", ()), "contracts")
    level = _level(_given(level, "level", "INFO"))
    json = _given(json, "json", "-")
    spans = _given(spans, "spans", None)
    attributes = _given(attributes, "attributes", None)
    content_debug = _list(_given(content_debug, "content_debug", ()), "content_debug")
    install = _given(install, "install", True)
    if type(install) is not bool:
        raise ConfigurationError("must be True or False", place="install", remedy="Leave it out for True.")
    service = _given(service, "service", os.environ.get("OTEL_SERVICE_NAME"))
    routes = _list(_given(routes, "routes", ()), "routes")
    with _lock:
        registry = activate(contracts, attributes, routes)
        _check_content(content_debug, registry)
        span_handler: OtelSpanHandler | None = None
        handlers: list[SealingHandler] = []
        if json is not None:
            handlers.append(_json_handler(json, service))
        try:
            if spans is not None:
                from discreet.export.spans import OtelSpanHandler

                span_handler = OtelSpanHandler(exporter=spans, service=service)
                span_handler.keep_open()
                handlers.append(span_handler)
        except BaseException:
            for handler in handlers:
                handler.retire()
            raise
        if _current is not None:
            _current.close()
        if span_handler is not None:
            span_handler.lead_global_spans()
        logging.root.setLevel(level)
        for handler in handlers:
            logging.root.addHandler(handler)
        close_content_loggers(registry, content_debug, level)
        if install:
            install_guard()
        _current = Handle(handlers, span_handler)
    _say_contracts(registry)
    warn_if_content_is_open()
    return _current


def _given(value: Any, name: str, default: Any) -> Any:
    return setting(name, default) if value is UNSET else value


def _list(value: Any, place: str) -> tuple[Any, ...]:
    if isinstance(value, (str, bytes)) or not isinstance(value, Iterable):
        raise ConfigurationError("must be a list", place=place, remedy="Put it in square brackets.")
    return tuple(value)


def _level(value: object) -> int:
    number = logging.getLevelName(value.upper()) if isinstance(value, str) else value
    if type(number) is int and number >= 0:
        return number
    if isinstance(value, str) and value.isdigit():
        return int(value)
    raise ConfigurationError(
        "is not a level", place="level", remedy="Use DEBUG, INFO, WARNING, ERROR, CRITICAL or a number."
    )


def _json_handler(json: Any, service: str | None) -> JsonHandler:
    if json == "-":
        return JsonHandler(stream="-", service=service)
    if isinstance(json, (str, PathLike)):
        try:
            return JsonHandler(filename=json, service=service)
        except ConfigurationError as error:
            raise ConfigurationError(error.message, place="json", remedy=error.remedy) from error
    if not hasattr(json, "write"):
        raise ConfigurationError(
            'must be a path, a text stream, "-" or None', place="json", remedy='Use "-" for standard output.'
        )
    return JsonHandler(stream=json, service=service)


def _check_content(names: Iterable[object], registry: Registry) -> None:
    known = sorted(name for contract in registry.contracts for name in contract.content_loggers)
    for index, name in enumerate(names):
        if name not in known:
            raise ConfigurationError(
                "is no content logger of an active contract",
                place=f"content_debug[{index}]",
                remedy=f"Use one of {', '.join(known)}.",
            )


def _say_contracts(registry: Registry) -> None:
    log = logging.getLogger("discreet")
    outside = [found for found in coverage() if found.installed is not None and not found.covered]
    log.info(
        "Contracts are active",
        extra={"event": "contract_loaded", "contracts": len(registry.contracts), "outside": len(outside)},
    )
    for found in outside:
        log.warning(
            "An installed release lies outside what its contract covers",
            extra={
                "event": "contract_loaded",
                "contract": found.contract,
                "distribution": found.distribution,
                "version": found.installed,
            },
        )
