"""OtelLogHandler: sealed records as OTLP log records, sent from a thread of its own."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any, Final

from discreet.choke import install
from discreet.contract import activate
from discreet.errors import ConfigurationError
from discreet.export.feedback import by_an_exporter
from discreet.export.otlp.settings import LOGS, Endpoint, sdk_disabled
from discreet.export.otlp.settings import endpoint as find_endpoint
from discreet.export.otlp.setup import DEFAULT_SHUTDOWN_S, checked_shutdown, open_batches, part
from discreet.export.resource import log_resource
from discreet.export.sending_handler import SendingHandler
from discreet.seal.record import Sealed, SealedRecord, without_content
from discreet.seal.sealing import seal

if TYPE_CHECKING:
    from discreet.export.otlp.batches import Batches

__all__ = ["OtelLogHandler"]

_WARNING: Final = logging.WARNING


class OtelLogHandler(SendingHandler):
    """Send sealed records as OpenTelemetry logs, by OTLP over HTTP.

    A record's fields have the names that they have in a line of JSON. The message is the body, and time, severity,
    trace and span stand where OTLP has places for them; an event is both the record's ``event_name`` and its attribute
    ``event``.

    A log call never waits for the network: records wait in a bounded queue, and a thread sends them in batches. What
    the collector has acknowledged is counted as observed; until then a record is missing as ``pending``, and what it
    doesn't acknowledge stays missing, with a reason. What is logged by exporting is never exported.

    What is not given comes from OpenTelemetry's variables, such as ``OTEL_EXPORTER_OTLP_ENDPOINT``. With
    ``OTEL_SDK_DISABLED=true`` nothing is sent, and records are counted as filtered.

    Args:
        endpoint: the whole URL that requests go to, such as ``http://localhost:4318/v1/logs``.
        headers: headers of every request, such as for authorization.
        compression: ``"none"``, ``"gzip"`` or ``"deflate"``.
        timeout: seconds that one request may take.
        content: whether DEBUG records of open content loggers are sent with what they say, customer text.
        service: ``service.name`` of the resource. Default: ``OTEL_SERVICE_NAME``.
        shutdown_timeout: seconds that the end of the process may take to send what waits.
        level: as for any handler.
        name: what the ledger calls this sink.
        guard: whether to guard every handler of the process, as :func:`discreet.install` does.
        contracts: contract files, or names of shipped ones, to make active for the process.
        attributes: application-wide attributes and their types, such as ``{"tenant": "id"}``.

    Raises:
        ConfigurationError: an option or variable has a wrong value, or the extra ``otlp`` is not installed.

    .. versionadded:: 0.1.0
    """

    counts_late = True

    def __init__(
        self,
        *,
        endpoint: str | Endpoint | None = None,
        headers: Mapping[str, str] | None = None,
        compression: str | None = None,
        timeout: float | None = None,
        content: bool = False,
        service: str | None = None,
        shutdown_timeout: float = DEFAULT_SHUTDOWN_S,
        level: int | str = logging.NOTSET,
        name: str = "otlp_logs",
        guard: bool = False,
        contracts: Iterable[str | PathLike[str]] = (),
        attributes: Mapping[str, Any] | None = None,
    ) -> None:
        for place, value in (("content", content), ("guard", guard)):
            if type(value) is not bool:
                raise ConfigurationError("must be true or false", place=place, remedy="Leave it out for false.")
        where = (
            endpoint
            if isinstance(endpoint, Endpoint)
            else find_endpoint(LOGS, url=endpoint, headers=headers, compression=compression, timeout=timeout)
        )
        timeout_at_end = checked_shutdown(shutdown_timeout)
        super().__init__(level, sink=name)
        self.shutdown_timeout = timeout_at_end
        self._content = content
        self._batches: Batches[Any] | None = None
        self._waiting: Any = None
        activate(contracts, attributes)
        if not sdk_disabled():
            encode = part("_encode")
            self._waiting = encode.Log
            encoder = encode.LogEncoder(log_resource(service))
            self._batches = open_batches(LOGS, where, encoder, self.counts, shutdown_timeout)
        if guard:
            install()

    def handle(self, record: logging.LogRecord) -> Any:
        """Filter, seal, count and queue a record."""
        if self.filters or type(self) is not OtelLogHandler:
            return super().handle(record)
        self.emit(record)
        return True

    handle.__discreet_seals__ = True  # type: ignore[attr-defined]  # install() leaves this class alone

    def emit(self, record: logging.LogRecord) -> None:
        """Let a record wait for its turn; whatever fails is counted and never raised."""
        batches = self._batches
        if batches is None or by_an_exporter(record):
            self.counts.count_filtered()
            return
        sealed = record.sealed if type(record) is SealedRecord else seal(record)
        try:
            fields = sealed.fields
            message = fields["message"]
            if "content" in fields:
                if self._content and sealed.content_message is not None:
                    message = sealed.content_message
                else:
                    # What waits in memory must not hold what may not leave.
                    sealed = without_content(sealed)
            batches.put(self._waiting(sealed, message), urgent=sealed.levelno >= _WARNING)
        except Exception as error:
            self.failed(error, sealed)

    def write_sealed(self, sealed: Sealed) -> None:
        """Let a sealed record wait for its turn."""
        if self._batches is not None:
            self._batches.put(self._waiting(without_content(sealed), sealed.message))

    def force_flush(self, timeout: float = 30.0) -> bool:
        """Send what waits.

        `flush`, which `dictConfig` and `logging.shutdown` call under logging's locks, does nothing: the thread that
        would be waited for may itself be logging.

        Args:
            timeout: seconds that it may take.

        Returns:
            Whether everything that waited has an answer.
        """
        return self._batches is None or self._batches.flush(timeout)

    def begin_retiring(self, timeout: float) -> None:
        """Take no more, and send what waits within a time.

        Args:
            timeout: seconds.
        """
        self.stop(timeout, wait=False)

    def stop(self, timeout: float | None = None, *, wait: bool = True) -> None:
        """Take no more, and send what waits.

        Args:
            timeout: seconds that it may take; the shutdown's by default.
            wait: whether to return only then.
        """
        if self._batches is not None:
            self._batches.close(timeout, wait=wait)
