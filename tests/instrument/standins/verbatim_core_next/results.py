"""Results and what is wrong with them."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field

logger = logging.getLogger("verbatim_core.extractors")


@dataclass(frozen=True)
class ResultWarning:
    """Why a result is degraded, though correct."""

    code: str
    message: str


@dataclass
class Extraction:
    """Spans by chunk."""

    spans: dict[str, list[str]]
    warnings: list[ResultWarning] = field(default_factory=list)


@dataclass
class QueryResponse:
    """An answer."""

    answer: str
    warnings: list[ResultWarning] = field(default_factory=list)


def told(code: str, count: int) -> None:
    """Log that a result is degraded: once for each code."""
    if count:
        about = {"event": "fallback_used", "warning_code": code, "count": count}
        logger.warning("A result is degraded: %s, %d times", code, count, extra=about)
