"""discreet: logs of retrieval-augmented systems that speak a contract and hold no customer text."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from discreet.doors.last_resort import open_door as _guard_last_resort

if TYPE_CHECKING:
    from discreet.calls import observe_call
    from discreet.checkup import doctor
    from discreet.choke import install, uninstall
    from discreet.config import Handle, configure
    from discreet.declared import public
    from discreet.doors.child import install_in_worker
    from discreet.ending import close
    from discreet.errors import (
        ConfigurationError,
        ContractError,
        DiscreetError,
        InvalidInputError,
        UpstreamError,
    )
    from discreet.events import EventFilter
    from discreet.export.console import ConsoleFormatter
    from discreet.export.json import JsonFormatter, JsonHandler
    from discreet.export.ledger import Ledger
    from discreet.export.log_guard import GuardedLogRecordExporter
    from discreet.export.logs import OtelLogHandler
    from discreet.export.span_guard import GuardedSpanExporter
    from discreet.export.spans import OtelSpanHandler
    from discreet.guard import ContentGuard
    from discreet.levels import set_level
    from discreet.metrics.handler import OtelMetricHandler
    from discreet.rate_limit import RateLimit
    from discreet.scope import customer_text

__all__ = [
    "ConfigurationError",
    "ConsoleFormatter",
    "ContentGuard",
    "ContractError",
    "DiscreetError",
    "EventFilter",
    "GuardedLogRecordExporter",
    "GuardedSpanExporter",
    "Handle",
    "InvalidInputError",
    "JsonFormatter",
    "JsonHandler",
    "Ledger",
    "OtelLogHandler",
    "OtelMetricHandler",
    "OtelSpanHandler",
    "RateLimit",
    "UpstreamError",
    "close",
    "configure",
    "customer_text",
    "doctor",
    "install",
    "install_in_worker",
    "observe_call",
    "public",
    "set_level",
    "uninstall",
]

_HOMES = {
    "ConfigurationError": "discreet.errors",
    "ConsoleFormatter": "discreet.export.console",
    "ContentGuard": "discreet.guard",
    "ContractError": "discreet.errors",
    "DiscreetError": "discreet.errors",
    "EventFilter": "discreet.events",
    "GuardedLogRecordExporter": "discreet.export.log_guard",
    "GuardedSpanExporter": "discreet.export.span_guard",
    "Handle": "discreet.config",
    "InvalidInputError": "discreet.errors",
    "JsonFormatter": "discreet.export.json",
    "JsonHandler": "discreet.export.json",
    "Ledger": "discreet.export.ledger",
    "OtelLogHandler": "discreet.export.logs",
    "OtelMetricHandler": "discreet.metrics.handler",
    "OtelSpanHandler": "discreet.export.spans",
    "RateLimit": "discreet.rate_limit",
    "UpstreamError": "discreet.errors",
    "close": "discreet.ending",
    "configure": "discreet.config",
    "customer_text": "discreet.scope",
    "doctor": "discreet.checkup",
    "install": "discreet.choke",
    "install_in_worker": "discreet.doors.child",
    "observe_call": "discreet.calls",
    "public": "discreet.declared",
    "set_level": "discreet.levels",
    "uninstall": "discreet.choke",
}

# A process that never calls a set-up, such as a worker, prints its warnings by logging's handler of last resort.
_guard_last_resort()


if not TYPE_CHECKING:  # a type checker would take any name for an attribute that may be there

    def __getattr__(name: str) -> Any:
        # Loaded on first use, so that a program pays only for the parts that it has configured.
        home = _HOMES.get(name)
        if home is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        found = getattr(import_module(home), name)
        globals()[name] = found
        return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
