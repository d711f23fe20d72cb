"""What ``configure(otlp=...)`` sends."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from discreet.settings import Settings

if TYPE_CHECKING:
    from discreet.export.logs import OtelLogHandler

__all__ = ["log_handler_of", "sends_logs", "sends_spans"]


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
