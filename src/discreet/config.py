"""configure(): one call that sets up sinks, contracts and the guard, and the handle it returns."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Mapping
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final, Self, TextIO

from discreet.call_counts import CALLS, CallCounts
from discreet.choke import install as install_guard
from discreet.choke import installed, is_strict, relax
from discreet.choke import uninstall as uninstall_guard
from discreet.content import Levels, warn_if_content_is_open
from discreet.contract import Registry, coverage, report
from discreet.contract.current import configure as activate_configured
from discreet.contract.current import restore, snapshot
from discreet.doors import close_streams, streams_guarded
from discreet.ending import end_sending
from discreet.errors import ConfigurationError
from discreet.exits import at_exit, not_at_exit
from discreet.export.closing import say_closed
from discreet.export.ledger import LEDGER, Ledger
from discreet.export.sealing_handler import SealingHandler
from discreet.forks import ForkSafeLock
from discreet.json_sink import json_handler_of, new_file_of
from discreet.levels import restore_levels, set_level
from discreet.match_mode import checked, set_match, warn_of_match_mode
from discreet.rate_limit import RateLimit
from discreet.reporter import REPORTER
from discreet.sending import log_handler_of, metric_handler_of, sends_logs, sends_spans, span_handler_of
from discreet.settings import UNSET, read

if TYPE_CHECKING:
    from opentelemetry.sdk.metrics.export import MetricReader
    from opentelemetry.sdk.trace.export import SpanExporter

    from discreet.export.logs import OtelLogHandler
    from discreet.export.spans import OtelSpanHandler
    from discreet.metrics.handler import OtelMetricHandler

__all__ = ["Handle", "configure"]


_lock = ForkSafeLock()
_current: Handle | None = None
_installed: Final[dict[str, object]] = {}
"""The parts of the guard that configure() itself installed, each with what stands in for `logging.Logger.addHandler`
since: that is another one with each guard."""


class Handle:
    """What :func:`configure` set up.

    Attributes:
        ledger: the process's counts of records by sink and of values withheld by call site.
        calls: the process's counts of observed calls by operation.

    .. versionadded:: 0.1.0
    """

    def __init__(
        self,
        handlers: list[SealingHandler],
        spans: OtelSpanHandler | None,
        levels: Levels,
        *,
        logs: OtelLogHandler | None = None,
        metrics: OtelMetricHandler | None = None,
        shutdown_timeout: float = 5.0,
    ) -> None:
        self._handlers = handlers
        self._spans = spans
        self._logs = logs
        self._metrics = metrics
        self._levels = levels
        self._shutdown_timeout = shutdown_timeout
        self._closed = False
        self.ledger: Ledger = LEDGER
        self.calls: CallCounts = CALLS
        at_exit(self._at_exit)

    def flush(self, timeout: float = 5.0) -> bool:
        """Hand on everything that waits in memory.

        Args:
            timeout: seconds that it may take.

        Returns:
            Whether everything was handed on in time.
        """
        end = time.monotonic() + timeout
        for handler in self._handlers:
            handler.flush()
        logs = self._logs is None or self._logs.force_flush(timeout)
        left = max(0.0, end - time.monotonic())
        spans = self._spans is None or self._spans.force_flush(left)
        left = max(0.0, end - time.monotonic())
        return (self._metrics is None or self._metrics.force_flush(left)) and spans and logs

    def close(self, timeout: float | None = None) -> None:
        """Send what waits, take the sinks off the root logger and close them; set levels back to what they were.

        The sinks that stay to the last, those for JSON, get one more record, ``pipeline_closed``, with the counts of
        all; what is missing is said on standard error too. A content logger that was open before is closed all the
        same, and match mode ends. The guard and the contracts stay.

        Args:
            timeout: seconds that sending may take; ``shutdown_timeout`` by default.
        """
        with _lock:
            if self._closed:
                return
            self._closed = True
            self._left_out()
            REPORTER.report()
            set_match("configure", ())
        try:
            self._end(self._shutdown_timeout if timeout is None else timeout, last=True)
        except BaseException:
            # Whoever presses Ctrl-C meanwhile shall hear what is missing, at the end of the process.
            self._closed = False
            at_exit(self._at_exit)
            raise

    def _at_exit(self) -> None:
        """Close what may lose records; lines of JSON are written at once, and somebody may still log some."""
        with _lock:
            if self._closed:
                return
            self._closed = True
        REPORTER.report()
        say_closed(sent=self._end_sending(self._shutdown_timeout))

    def _replaced(self) -> Levels:
        """End for a new set-up, which takes the levels over: between the two no record is lost for its level."""
        if not self._closed:
            self._closed = True
            self._end(self._shutdown_timeout)
        return self._levels

    def set_level(self, logger: str, level: int | str | None, *, minutes: float = 10) -> None:
        """Give a logger another level for a while; the same as :func:`discreet.set_level`, which has the details.

        Args:
            logger: the logger's name.
            level: a level's name or number; None to give it its own level back now.
            minutes: how long it holds.

        Raises:
            InvalidInputError: an argument is wrong, or would open a content logger.
        """
        set_level(logger, level, minutes=minutes)

    def _left_out(self) -> None:
        for limit in {one for handler in self._handlers for one in handler.filters if isinstance(one, RateLimit)}:
            limit.close()

    def _end(self, timeout: float, *, last: bool = False) -> None:
        self._left_out()
        sent = self._end_sending(timeout)
        if last:
            say_closed(sent=sent)
            with _lock:
                restore_levels()
                self._levels.take_back()
        for handler in self._handlers:
            logging.root.removeHandler(handler)
            handler.retire()

    def _end_sending(self, timeout: float) -> bool:
        """Close the sinks that may lose records; tell whether there was any."""
        not_at_exit(self._at_exit)
        sending = [one for one in (self._spans, self._logs, self._metrics) if one is not None]
        # Those that discreet.close() has ended were told of then.
        still_open = [handler for handler in sending if not handler.retired]
        end_sending(sending, timeout, remove=True)
        self._handlers = [handler for handler in self._handlers if handler not in sending]
        self._spans = self._logs = self._metrics = None
        return bool(still_open)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()


def configure(
    *,
    contracts: Iterable[str | PathLike[str]] = UNSET,
    level: int | str = UNSET,
    json: str | PathLike[str] | TextIO | BinaryIO | None = UNSET,
    spans: SpanExporter | str | PathLike[str] | None = UNSET,
    all_spans: bool = UNSET,
    otlp: bool | str = UNSET,
    metrics: bool | str | MetricReader | Callable[[], MetricReader] | None = UNSET,
    shutdown_timeout: float = UNSET,
    attributes: Mapping[str, Any] | None = UNSET,
    content_debug: Iterable[str] = UNSET,
    report_every: float = UNSET,
    rate_limit: str | None = UNSET,
    install: bool = UNSET,
    strict: bool = UNSET,
    streams: bool = UNSET,
    service: str | None = UNSET,
    routes: Iterable[str] = UNSET,
    hosts: Iterable[str] = UNSET,
    match: Iterable[str] = UNSET,
) -> Handle:
    """Set up logging for a service: contracts, a JSON sink, spans and the guard over every handler.

    An argument that is left out comes from its environment variable (``DISCREET_LEVEL`` and so on), else from the
    default. Calling it again replaces what the last call set up.

    Args:
        contracts: contract files to make active beside the shipped ones; names of shipped ones are accepted.
        level: the root logger's level. Default ``"INFO"``.
        json: where lines of JSON go: a path, an open stream, ``"-"`` for standard output (the default), or
            None for nowhere.
        spans: where spans go: an OpenTelemetry ``SpanExporter``, the path of a file of JSON lines, or None (the
            default) for nowhere.
        all_spans: whether the spans of every tracer of the process go there too, guarded. Default True. It sets the
            global tracer provider, unless somebody else has set it before.
        otlp: whether logs, spans and metrics are sent over OTLP: True for what OpenTelemetry's variables say, or the
            base URL of a collector, such as ``"http://localhost:4318"``. Needs the extra ``otlp``. Default False.
        metrics: whether metrics are: True or a base URL as for `otlp`, which decides by default. Or who collects them
            in place of that: a ``MetricReader`` for this process, or a function that makes one for each.
        shutdown_timeout: seconds that the end of the process may take to send what waits. Default 5.
        attributes: application-wide attributes and their types, such as ``{"tenant": "id"}``.
        content_debug: content loggers on which DEBUG is switched on; all others are set to INFO.
        report_every: seconds between two reports of what was withheld, as records ``content_withheld``; the last comes
            when the handle is closed or the process ends. 0 for no reports. Default 600.
        rate_limit: how many records below ERROR each call site may log into the sinks in a time, such as ``"100/min"``
            or ``"20/10s"``; those beyond it are counted as filtered, and their number is told. Default None, no limit.
        install: whether every handler of the process is guarded, and its side doors. Default True.
        strict: whether records are sealed before any handler is called, for tools that read them there, see
            :func:`discreet.install`. Default False.
        streams: whether lines that are written to ``sys.stdout`` and ``sys.stderr`` past logging become sealed records,
            see :func:`discreet.install`. Default False.
        service: value of the field ``service`` and of the spans' ``service.name``. Default: ``OTEL_SERVICE_NAME``.
        routes: route templates of the application, such as ``/items/{item_id}``, as which access lines show paths.
        hosts: hosts that the program talks to, such as ``api.example.org`` or ``*.example.org``, without a port; others
            may be from a customer's link and are shown as ``<host>``.
        match: loggers that, with all below them, let strings through unless the matcher finds a text of the running
            call in them. It is no guard: a paraphrase goes through. Default none.

    Returns:
        A handle with ``flush()``, ``close()``, ``set_level()`` and ``ledger``.

    Raises:
        ConfigurationError: an argument, a variable or a contract is wrong; nothing was changed then.

    .. versionadded:: 0.1.0
    """
    global _current
    settings = read(
        {
            "contracts": contracts,
            "level": level,
            "json": json,
            "spans": spans,
            "all_spans": all_spans,
            "otlp": otlp,
            "metrics": metrics,
            "shutdown_timeout": shutdown_timeout,
            "attributes": attributes,
            "content_debug": content_debug,
            "report_every": report_every,
            "rate_limit": rate_limit,
            "install": install,
            "strict": strict,
            "streams": streams,
            "service": service,
            "routes": routes,
            "hosts": hosts,
            "match": match,
        }
    )
    with _lock, settings.places():
        for part in ("strict", "streams"):
            if getattr(settings, part) and not settings.install:
                raise ConfigurationError("needs the guard", place=part, remedy="Leave install out.")
        before = snapshot()
        handlers: list[SealingHandler] = []
        span_handler: OtelSpanHandler | None = None
        log_handler: OtelLogHandler | None = None
        new_file: Path | None = None
        try:
            registry = activate_configured(settings.contracts, settings.attributes, settings.routes, settings.hosts)
            _check_content(settings.content_debug, registry)
            matching = checked(settings.match)
            if settings.json is not None:
                new_file = new_file_of(settings.json)
                handlers.append(json_handler_of(settings.json, settings.service))
            if settings.spans is not None or sends_spans(settings):
                span_handler = span_handler_of(settings)
                handlers.append(span_handler)
            if sends_logs(settings):
                log_handler = log_handler_of(settings)
                handlers.append(log_handler)
            metric_handler = metric_handler_of(settings)
            if metric_handler is not None:
                handlers.append(metric_handler)
        except BaseException:
            for handler in handlers:
                handler.retire()
            restore(before)
            if new_file is not None and new_file.exists() and not new_file.stat().st_size:
                new_file.unlink()
            raise
        restore_levels()
        limits = [] if settings.rate_limit is None else [RateLimit(settings.rate_limit)]
        for handler in handlers:
            # A filter, because a handler without one has nothing to ask for.
            handler.filters.extend(limits)
        _exchange([] if _current is None else _current._handlers, handlers)  # noqa: SLF001 - the class is this module's
        levels = Levels() if _current is None else _current._replaced()  # noqa: SLF001 - the same
        if span_handler is not None and settings.all_spans:
            span_handler.lead_global_spans()
        levels.give(registry, settings.content_debug, settings.level)
        set_match("configure", matching)
        _set_guard(install=settings.install, strict=settings.strict, streams=settings.streams)
        REPORTER.watch(settings.report_every)
        handle = _current = Handle(
            handlers,
            span_handler,
            levels,
            logs=log_handler,
            metrics=metric_handler,
            shutdown_timeout=settings.shutdown_timeout,
        )
    outside = sum(found.installed is not None and not found.covered for found in coverage())
    logging.getLogger("discreet").info(
        "Contracts are active",
        extra={"event": "contract_loaded", "contracts": len(registry.contracts), "outside": outside},
    )
    report(again=True)
    warn_if_content_is_open()
    warn_of_match_mode()
    return handle


def _exchange(old: list[SealingHandler], new: list[SealingHandler]) -> None:
    """Put new handlers on the root logger and take old ones off at one moment: a record goes to either, not to both."""
    with logging._lock:  # type: ignore[attr-defined]  # noqa: SLF001 - that of addHandler
        # Another list, and not the same changed: a thread may be on its way along that.
        logging.root.handlers = [*(handler for handler in logging.root.handlers if handler not in old), *new]


def _set_guard(*, install: bool, strict: bool, streams: bool) -> None:
    """Install the guard and its parts, or take out what an earlier call installed of them; nobody else's."""
    if not install:
        if _is_ours("guard"):
            uninstall_guard()
            _installed.clear()
        return
    parts = (
        ("guard", True, installed(), uninstall_guard),
        ("strict", strict, is_strict(), relax),
        ("streams", streams, streams_guarded(), close_streams),
    )
    install_guard(strict=strict, streams=streams)
    for part, wanted, there, undo in parts:
        if not wanted:
            if _is_ours(part):
                undo()
            _installed.pop(part, None)
        elif not there:
            _installed[part] = logging.Logger.addHandler


def _is_ours(part: str) -> bool:
    return _installed.get(part) is logging.Logger.addHandler


def _check_content(names: Iterable[object], registry: Registry) -> None:
    known = sorted(name for contract in registry.contracts for name in contract.content_loggers)
    for index, name in enumerate(names):
        if name not in known:
            raise ConfigurationError(
                "is no content logger of an active contract",
                place=f"content_debug[{index}]",
                remedy=f"Use one of {', '.join(known)}.",
            )
