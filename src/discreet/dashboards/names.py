"""What the metrics of `discreet` and their labels are called in Prometheus.

Dots of a metric's name become underscores there, a counter gets the ending ``_total`` and a duration its unit; labels
of the resource come from the Collector's ``resource_to_telemetry_conversion`` or Prometheus'
``promote_resource_attributes``.
"""

from __future__ import annotations

from typing import Final

__all__ = [
    "ACTIVE",
    "CALLS",
    "CALL_ERRORS",
    "CALL_WARNINGS",
    "CONTENT",
    "DURATION",
    "EVENTS",
    "GUARD_FAILURES",
    "PENDING",
    "RECORDS",
    "SERVICE",
    "STARTED",
    "WITHHELD",
]

SERVICE: Final = "service_name"
"""The label that names a service.

.. versionadded:: 0.1.0
"""

STARTED: Final = "discreet_calls_started_total"
"""Counter of calls that began, by ``operation``.

.. versionadded:: 0.1.0
"""

CALLS: Final = "discreet_calls_total"
"""Counter of calls that ended, by ``operation`` and ``outcome``.

.. versionadded:: 0.1.0
"""

ACTIVE: Final = "discreet_calls_active"
"""Gauge of calls that run, by ``operation``.

.. versionadded:: 0.1.0
"""

CALL_WARNINGS: Final = "discreet_calls_warnings_total"
"""Counter of calls with a warning code, by ``operation`` and ``warning_code``.

.. versionadded:: 0.1.0
"""

CALL_ERRORS: Final = "discreet_calls_errors_total"
"""Counter of calls that raised, by ``operation``, ``error_code`` and ``error_class``.

.. versionadded:: 0.1.0
"""

DURATION: Final = "discreet_call_duration_seconds"
"""Histogram of calls by their duration in seconds, by ``operation`` and ``outcome``.

.. versionadded:: 0.1.0
"""

EVENTS: Final = "discreet_events_total"
"""Counter of records, once by ``event``, once by ``warning_code`` and once by ``error_code``; choose one of the three.

.. versionadded:: 0.1.0
"""

WITHHELD: Final = "discreet_withheld_total"
"""Counter of values withheld, by ``reason`` and ``kind``.

.. versionadded:: 0.1.0
"""

RECORDS: Final = "discreet_records_total"
"""Counter of records of a sink, by ``sink``, ``state`` and, for those missing, ``reason``.

.. versionadded:: 0.1.0
"""

PENDING: Final = "discreet_records_pending"
"""Gauge of records that wait for an answer, by ``sink``.

.. versionadded:: 0.1.0
"""

CONTENT: Final = "discreet_content_enabled"
"""Gauge of content loggers, by ``logger``: 1 while it is open.

.. versionadded:: 0.1.0
"""

GUARD_FAILURES: Final = "discreet_guard_failures_total"
"""Counter of records that the guard failed on; every process has it from its start.

.. versionadded:: 0.1.0
"""
