"""What an answer of a collector says of the records that were sent."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Final

__all__ = ["Action", "Answer", "UnansweredError", "Verdict", "judge"]


@dataclass(frozen=True, slots=True)
class Answer:
    """An HTTP answer.

    Args:
        status: its code.
        content_type: the media type alone, in small letters.
        retry_after: seconds that the header of that name asks to wait; None without one.
        body: the beginning of its body, as much as was read.

    .. versionadded:: 0.1.0
    """

    status: int
    content_type: str = ""
    retry_after: float | None = None
    body: bytes = b""


class UnansweredError(Exception):
    """A request without an answer.

    Args:
        reason: ``connection_failed``, ``timeout`` or ``bad_answer``.
        retryable: whether it may be sent again.

    .. versionadded:: 0.1.0
    """

    def __init__(self, reason: str, *, retryable: bool = True) -> None:
        super().__init__(reason)
        self.reason = reason
        self.retryable = retryable


class Action(Enum):
    """What to do next with the records of a request.

    .. versionadded:: 0.1.0
    """

    DONE = "done"
    RETRY = "retry"
    HALVE = "halve"
    GIVE_UP = "give up"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What an answer means.

    Args:
        action: what to do next.
        reason: why records are missing, if they stay so.
        rejected: of a success, how many records the collector did not take.
        retry_after: seconds that it asks to wait.

    .. versionadded:: 0.1.0
    """

    action: Action
    reason: str = ""
    rejected: int = 0
    retry_after: float | None = None


# https://opentelemetry.io/docs/specs/otlp/#retryable-response-codes
_RETRYABLE: Final[Mapping[int, str]] = {
    429: "rate_limited",
    502: "server_error",
    503: "server_error",
    504: "server_error",
}
# One bad record, or too many bytes: half of the records may pass.
_HALVED: Final[Mapping[int, str]] = {400: "refused", 413: "too_large", 422: "refused"}
_REASONS: Final[Mapping[int, str]] = {401: "unauthorized", 403: "unauthorized", 407: "unauthorized", 408: "timeout"}

_SUCCESS: Final = range(200, 300)
_REDIRECT: Final = range(300, 400)
_SERVER: Final = range(500, 600)


def judge(answer: Answer, rejected: Callable[[Answer], int]) -> Verdict:
    """Return what an answer means.

    A success counts only if its body says what it should: a proxy's login page has status 200 too. Redirects are not
    followed, since they could lead records to a place that nobody has configured.

    Args:
        answer: what came back.
        rejected: reads from a success's body how many records were not taken; raises ValueError if it can't.

    .. versionadded:: 0.1.0
    """
    status = answer.status
    if status in _SUCCESS:
        try:
            count = rejected(answer)
        except ValueError:
            count = -1
        # As a number with a sign it can be below 0 too, and would then count records as taken that nobody sent.
        return Verdict(Action.DONE, "rejected", count) if count >= 0 else Verdict(Action.GIVE_UP, "bad_answer")
    if status in _RETRYABLE:
        return Verdict(Action.RETRY, _RETRYABLE[status], retry_after=answer.retry_after)
    if status in _HALVED:
        return Verdict(Action.HALVE, _HALVED[status])
    if status in _REDIRECT:
        return Verdict(Action.GIVE_UP, "redirected")
    if status in _SERVER:
        return Verdict(Action.GIVE_UP, "server_error")
    return Verdict(Action.GIVE_UP, _REASONS.get(status, "refused"))
