"""The sinks of ``configure()`` that may send: spans, and logs and metrics over OTLP."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from discreet.errors import ConfigurationError
from discreet.settings import Settings

if TYPE_CHECKING:
    from discreet.export.logs import OtelLogHandler
    from discreet.export.spans import OtelSpanHandler
    from discreet.metrics.handler import OtelMetricHandler

__all__ = ["log_handler_of", "metric_handler_of", "sends_logs", "sends_spans", "span_handler_of"]


def sends_spans(settings: Settings) -> bool:
    """Tell whether spans go out over OTLP.

    Args:
        settings: of the call.
    """
    return _sends(settings, "OTEL_TRACES_EXPORTER")


def sends_logs(settings: Settings) -> bool:
    """Tell whether log records go out over OTLP.

    Args:
        settings: of the call.
    """
    return _sends(settings, "OTEL_LOGS_EXPORTER")


def _sends(settings: Settings, variable: str) -> bool:
    if settings.otlp is False or os.environ.get(variable, "").strip().lower() == "none":
        return False
    from discreet.export.otlp.settings import sdk_disabled

    return not sdk_disabled()


def span_handler_of(settings: Settings) -> OtelSpanHandler:
    """Return the handler that makes spans.

    Args:
        settings: of the call.

    Raises:
        ConfigurationError: the exporter or a variable is wrong, or the extra ``otlp`` is missing.
    """
    from discreet.export.spans import OtelSpanHandler

    try:
        handler = OtelSpanHandler(
            exporter=settings.spans,
            service=settings.service,
            otlp=settings.otlp if sends_spans(settings) else False,
            shutdown_timeout=settings.shutdown_timeout,
        )
    except ConfigurationError as error:
        place = "spans" if error.place == "exporter" else error.place
        raise ConfigurationError(error.message, place=place, remedy=error.remedy, code=error.code) from error
    handler.keep_open()
    return handler


def log_handler_of(settings: Settings) -> OtelLogHandler:
    """Return the handler that sends log records.

    Args:
        settings: of the call.

    Raises:
        ConfigurationError: a variable is wrong, or the extra ``otlp`` is missing.
    """
    from discreet.export.logs import OtelLogHandler
    from discreet.export.otlp.settings import LOGS
    from discreet.export.otlp.setup import endpoint_of

    handler = OtelLogHandler(
        endpoint=endpoint_of(settings.otlp, LOGS),
        service=settings.service,
        shutdown_timeout=settings.shutdown_timeout,
    )
    handler.keep_open()
    return handler


def metric_handler_of(settings: Settings) -> OtelMetricHandler | None:
    """Return the handler that counts, None where nothing is to be counted.

    Args:
        settings: of the call.

    Raises:
        ConfigurationError: a variable or the reader is wrong, or the extra ``otlp`` is missing.
    """
    metrics = settings.metrics
    if metrics is False or (metrics is None and settings.otlp is False):
        return None
    over_otlp = metrics is None or metrics is True or isinstance(metrics, str)
    if over_otlp and os.environ.get("OTEL_METRICS_EXPORTER", "").strip().lower() == "none":
        return None
    from discreet.export.otlp.settings import METRICS, sdk_disabled
    from discreet.export.otlp.setup import endpoint_of

    if sdk_disabled():
        return None
    from discreet.metrics.handler import OtelMetricHandler

    where: object = None
    if over_otlp:
        # A URL for all signals holds for this one too, unless it has its own.
        where = metrics if isinstance(metrics, str) else settings.otlp or True
    try:
        handler = OtelMetricHandler(
            reader=None if over_otlp else metrics,
            endpoint=endpoint_of(where, METRICS),
            service=settings.service,
            shutdown_timeout=settings.shutdown_timeout,
        )
    except ConfigurationError as error:
        place = "metrics" if error.place == "reader" else error.place
        raise ConfigurationError(error.message, place=place, remedy=error.remedy, code=error.code) from error
    handler.keep_open()
    return handler
