"""Contracts: which names a library's logs may use, and which of its values are safe to show."""

from __future__ import annotations

from discreet.contract.current import activate, active, generation, reset
from discreet.contract.model import (
    ArgType,
    Contract,
    ErrorCode,
    Event,
    ExceptionCondition,
    ExceptionRow,
    LoggerPolicy,
    PatternRow,
    RecordRow,
    SafeAttribute,
    WarningCode,
)
from discreet.contract.registry import Registry

# Last: reading files needs the types in discreet.seal, whose package asks for the names above.
from discreet.contract.installed import Coverage, coverage  # isort: skip
from discreet.contract.reporting import report  # isort: skip
from discreet.contract.source import load, load_shipped, load_text, shipped  # isort: skip

__all__ = [
    "ArgType",
    "Contract",
    "Coverage",
    "ErrorCode",
    "Event",
    "ExceptionCondition",
    "ExceptionRow",
    "LoggerPolicy",
    "PatternRow",
    "RecordRow",
    "Registry",
    "SafeAttribute",
    "WarningCode",
    "activate",
    "active",
    "coverage",
    "generation",
    "load",
    "load_shipped",
    "load_text",
    "report",
    "reset",
    "shipped",
]
