"""What a call gives: a correct result, and in its `warnings` why it is less than it could be."""

from __future__ import annotations

from dataclasses import dataclass

from pilotbook.names import WarningCode

__all__ = ["Answer", "Quote", "ResultWarning"]


@dataclass(frozen=True, slots=True)
class ResultWarning:
    """Why a result is degraded, though correct. The message has no text of a customer."""

    code: WarningCode
    message: str


@dataclass(frozen=True, slots=True)
class Quote:
    """A passage, word for word; `note` is the number of its note in the order of file names."""

    note: int
    text: str


@dataclass(frozen=True, slots=True)
class Answer:
    """The passages that fit best, best first; none when nothing fits."""

    quotes: tuple[Quote, ...]
    warnings: tuple[ResultWarning, ...] = ()
