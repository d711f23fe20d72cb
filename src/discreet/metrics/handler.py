"""OtelMetricHandler: counts of events and codes, of calls, and of what became of records."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any

from discreet.choke import install
from discreet.contract import activate
from discreet.errors import ConfigurationError
from discreet.export.ledger import LEDGER, PROBES
from discreet.export.otlp.settings import METRICS, Endpoint, sdk_disabled
from discreet.export.otlp.settings import endpoint as find_endpoint
from discreet.export.otlp.setup import DEFAULT_SHUTDOWN_S, checked_shutdown
from discreet.export.sending_handler import SendingHandler
from discreet.metrics.pipeline import MetricPipeline
from discreet.seal.record import Sealed, SealedRecord
from discreet.seal.sealing import seal

if TYPE_CHECKING:
    from opentelemetry.sdk.metrics.export import MetricReader

__all__ = ["OtelMetricHandler"]


class OtelMetricHandler(SendingHandler):
    """Count records by event and code, and report these counts and the process's others as OpenTelemetry metrics.

    The metrics are those of the whole process: also of calls that :func:`discreet.observe_call` observes, of values
    withheld, and of what became of the records of every sink. They hold names and codes, and nothing of a record. One
    such handler, on the root logger, is enough.

    Every process has a ``service.instance.id`` of its own on its metrics, also one that is forked from another. There
    all counts begin at 0.

    What is not given comes from OpenTelemetry's variables, such as ``OTEL_EXPORTER_OTLP_ENDPOINT``,
    ``OTEL_METRIC_EXPORT_INTERVAL`` and ``OTEL_METRIC_EXPORT_TIMEOUT``. With ``OTEL_SDK_DISABLED=true`` nothing is
    counted.

    Args:
        reader: who collects the metrics, in place of sending them over OTLP: a ``MetricReader``, which stays with
            this process, or a function that makes one for each process.
        endpoint: the whole URL that requests go to, such as ``http://localhost:4318/v1/metrics``.
        headers: headers of every request, such as for authorization.
        compression: ``"none"``, ``"gzip"`` or ``"deflate"``.
        timeout: seconds that one request may take.
        service: ``service.name`` of the resource. Default: ``OTEL_SERVICE_NAME``.
        shutdown_timeout: seconds that the end of the process may take to send the last counts.
        level: as for any handler.
        name: what the ledger calls this sink.
        guard: whether to guard every handler of the process, as :func:`discreet.install` does.
        contracts: contract files, or names of shipped ones, to make active for the process.
        attributes: application-wide attributes and their types, such as ``{"tenant": "id"}``.

    Raises:
        ConfigurationError: an option or variable has a wrong value, or the extra ``otlp`` is not installed.

    .. versionadded:: 0.1.0
    """

    counts_others = True

    def __init__(
        self,
        *,
        reader: MetricReader | Callable[[], MetricReader] | None = None,
        endpoint: str | Endpoint | None = None,
        headers: Mapping[str, str] | None = None,
        compression: str | None = None,
        timeout: float | None = None,
        service: str | None = None,
        shutdown_timeout: float = DEFAULT_SHUTDOWN_S,
        level: int | str = logging.NOTSET,
        name: str = "metrics",
        guard: bool = False,
        contracts: Iterable[str | PathLike[str]] = (),
        attributes: Mapping[str, Any] | None = None,
    ) -> None:
        if type(guard) is not bool:
            raise ConfigurationError("must be true or false", place="guard", remedy="Leave it out for false.")
        where: Endpoint | None = None
        if isinstance(endpoint, Endpoint):
            where = endpoint
        elif reader is None:
            where = find_endpoint(METRICS, url=endpoint, headers=headers, compression=compression, timeout=timeout)
        if reader is not None and (endpoint, headers, compression, timeout) != (None, None, None, None):
            raise ConfigurationError(
                "a reader sends where it likes", place="endpoint", remedy="Give either a reader or where to send."
            )
        timeout_at_end = checked_shutdown(shutdown_timeout)
        super().__init__(level, sink=name)
        self.shutdown_timeout = timeout_at_end
        self._pipeline: MetricPipeline | None = None
        activate(contracts, attributes)
        if not sdk_disabled():
            self._pipeline = MetricPipeline(
                reader=reader, endpoint=where, service=service, shutdown_timeout=shutdown_timeout
            )
        if guard:
            install()

    def emit(self, record: logging.LogRecord) -> None:
        """Count a record; whatever fails is counted and never raised."""
        sealed = record.sealed if type(record) is SealedRecord else seal(record)
        try:
            if self._pipeline is not None and sealed.logger != PROBES and self._pipeline.count(sealed):
                self.counts.count_observed()
            else:
                self.counts.count_filtered()
        except Exception as error:
            LEDGER.failure("metrics", error)
            self.failed(error, sealed)

    def write_sealed(self, sealed: Sealed) -> None:
        """Count a sealed record."""
        if self._pipeline is not None:
            self._pipeline.count(sealed)

    def force_flush(self, timeout: float = 30.0) -> bool:
        """Collect the metrics, and send them.

        Args:
            timeout: seconds that it may take.

        Returns:
            Whether what was sent has an answer.
        """
        return self._pipeline is None or self._pipeline.flush(timeout)

    def stop(self, timeout: float | None = None, *, wait: bool = True) -> None:
        """Count no more, and send the last counts.

        Args:
            timeout: seconds that it may take; the shutdown's by default.
            wait: whether to return only then.
        """
        if self._pipeline is not None:
            self._pipeline.close(timeout, wait=wait)
