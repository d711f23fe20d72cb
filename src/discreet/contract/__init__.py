"""Contracts: which names a library's logs may use, and which of its values are safe to show."""

from __future__ import annotations

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
    template_key,
)
from discreet.contract.registry import Registry

__all__ = [
    "ArgType",
    "Contract",
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
    "template_key",
]
