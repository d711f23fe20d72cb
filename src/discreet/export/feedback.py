"""Keeps what is logged by exporting out of what is exported."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from opentelemetry import context as otel_context

__all__ = ["SUPPRESS_KEYS", "by_an_exporter", "exporting", "is_exporting"]

# The SDK sets the first key while it exports, contrib's `suppress_instrumentation()` sets both
# (opentelemetry/instrumentation/utils.py). The API's name for it is private; there is no other.
SUPPRESS_KEYS: Final = tuple(
    key
    for key in (
        getattr(otel_context, "_SUPPRESS_INSTRUMENTATION_KEY", None),
        "suppress_instrumentation",
    )
    if key is not None
)
"""Keys of OpenTelemetry's context that are set where something is being exported.

.. versionadded:: 0.1.0
"""


class _Here(threading.local):
    exporting = False


_here: Final = _Here()


@contextmanager
def exporting() -> Iterator[None]:
    """Mark what this thread does as exporting: records and spans of it are never exported.

    .. versionadded:: 0.1.0
    """
    before = _here.exporting
    context = otel_context.get_current()
    for key in SUPPRESS_KEYS:
        context = otel_context.set_value(key, True, context)  # noqa: FBT003 - the API's own signature
    token = otel_context.attach(context)
    _here.exporting = True
    try:
        yield
    finally:
        _here.exporting = before
        otel_context.detach(token)


def is_exporting() -> bool:
    """Tell whether this thread is exporting, ours or the SDK's.

    .. versionadded:: 0.1.0
    """
    if _here.exporting:
        return True
    context = otel_context.get_current()
    return bool(context) and any(context.get(key) for key in SUPPRESS_KEYS)


def by_an_exporter(record: logging.LogRecord) -> bool:
    """Tell whether a record is logged by what exports, so that exporting it would feed itself.

    Args:
        record: any record; only its logger's name is looked at.

    .. versionadded:: 0.1.0
    """
    name = record.__dict__.get("name") if isinstance(record, logging.LogRecord) else None
    if type(name) is str and name.startswith("opentelemetry") and (len(name) == 13 or name[13] == "."):  # noqa: PLR2004 - the length of the name
        return True
    return is_exporting()
