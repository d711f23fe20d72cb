"""What verbatim 0.2.8 swallows: failures of items, fallbacks, and what it drops, as they happen in a call."""

from __future__ import annotations

import os
import sys
from collections import Counter
from contextvars import ContextVar
from importlib.util import find_spec
from types import FrameType, TracebackType
from typing import Any, Final, NamedTuple

from discreet.call import Call
from discreet.contract import active
from discreet.doors.report import send
from discreet.instrument.quiet import never_raises
from discreet.seal.exceptions import describe
from discreet.seal.peek import traceback_of

__all__ = ["TALLY", "UNREAD", "Failure", "Tally", "frame_of", "handled_in", "is_own"]

_WARNING: Final = 30
_FRAMES: Final = 6
_UPSTREAM: Final = "upstream"


class Failure(NamedTuple):
    """What failed, and what it is called.

    .. versionadded:: 0.1.0
    """

    error: BaseException | None
    code: str | None
    error_class: str | None


class Tally:
    """What was swallowed in one call. Nothing of it raises: what fails is counted.

    Args:
        call: The call.
        outer: That of the call around it.

    .. versionadded:: 0.1.0
    """

    def __init__(self, call: Call | None, outer: Tally | None) -> None:
        self._call = call
        self._outer = outer
        self._warnings: Counter[str] = Counter()
        self._items: list[Failure] = []
        self._violations: list[Failure] = []
        self.blank = False
        """Whether the last reply had no text."""
        self.raised: BaseException | None = None
        """What a part of the call raised last."""
        self.named: tuple[BaseException, tuple[str, str]] | None = None
        """An exception that a call inside it raised, with the code and class that it gave it."""
        self.whole: Failure | None = None
        """Why the call has no result, though it returns."""

    @never_raises
    def warn(self, code: str) -> None:
        """Count a warning.

        Args:
            code: Its code.

        .. versionadded:: 0.1.0
        """
        self._warnings[code] += 1

    @never_raises
    def item_failed(self, error: BaseException | None, *, of_llm: bool = True) -> None:
        """Count an item that failed.

        Args:
            error: Why.
            of_llm: Whether it was the LLM's part.

        .. versionadded:: 0.1.0
        """
        failure = self._named(error, of_llm=of_llm)
        self._items.append(failure)
        if failure.error_class != _UPSTREAM:
            self._violations.append(failure)

    @never_raises
    def item_told(self, code: object) -> None:
        """Count an item of which the library itself has said that it failed.

        Args:
            code: The error code that it gave.

        .. versionadded:: 0.1.0
        """
        failure = Failure(None, *self._declared(code))
        self._items.append(failure)
        if failure.error_class != _UPSTREAM:
            self._violations.append(failure)

    @never_raises
    def fell_back(self, code: str, error: BaseException | None, *, of_llm: bool = True) -> None:
        """Count a fallback.

        Args:
            code: Its warning code.
            error: What it was for; None for a reply without text.
            of_llm: Whether the LLM's part had failed.

        .. versionadded:: 0.1.0
        """
        self.warn(code)
        failure = self._named(error, of_llm=of_llm)
        if failure.error_class != _UPSTREAM:
            self._violations.append(failure)

    @never_raises
    def ended_with(self, code: object) -> None:
        """Take the last event of a stream that failed.

        Args:
            code: The code that it has, if it has one.

        .. versionadded:: 0.1.0
        """
        if type(code) is str:
            self.whole = Failure(None, *self._declared(code))
        elif self.raised is not None:
            self.whole = self._named(self.raised, of_llm=True, foreign="internal_error")
        else:
            self.whole = Failure(None, "internal_error", "internal")

    def close(self, items: int | None = None) -> None:
        """Tell the call.

        Args:
            items: How many items it had.

        .. versionadded:: 0.1.0
        """
        self._tell(items)
        self.forget()

    def forget(self) -> None:
        """Let go of the exceptions: of one that went through a call, the traceback has the frame that has this.

        .. versionadded:: 0.1.0
        """
        self._items, self._violations = [], []
        self.raised = self.named = self.whole = None

    @never_raises
    def _tell(self, items: int | None) -> None:
        failed = len(self._items)
        if failed and items is not None and failed >= items and self.whole is None:
            self.whole = self._items[0]
        if self._call is not None:
            for code, count in self._warnings.items():
                self._call.warn(code, count)
            self._call.result(None, items=items, failed=failed)
            if self.whole is not None:
                self._call.fail(self.whole.error, code=self.whole.code, error_class=self.whole.error_class)
        if self.whole is not None and self._outer is not None and self._outer.whole is None:
            self._outer.whole = self.whole
        if self._violations:
            first = self._violations[0]
            send(
                "discreet",
                _WARNING,
                "verbatim went on after a failure that its contract says is raised",
                "contract_violated",
                attributes={"count": len(self._violations)},
                error_code=first.code,
                error_class=first.error_class,
            )

    @staticmethod
    def _declared(code: object) -> tuple[str | None, str | None]:
        if type(code) is not str:
            return None, None
        return code, active().error_class(code) if active().is_error_code(code) else None

    def _named(self, error: BaseException | None, *, of_llm: bool, foreign: str = "client_failed") -> Failure:
        if error is None:
            return Failure(None, "empty_reply", _UPSTREAM)
        facts = describe(error, None, active())
        if facts.code is not None:
            return Failure(error, facts.code, facts.error_class)
        if not of_llm:
            return Failure(error, None, None)
        if self.blank:
            return Failure(error, "empty_reply", _UPSTREAM)
        if foreign == "internal_error":
            return Failure(error, foreign, "internal")
        # What the library's own code can't do with a reply is the reply's fault; anything else came out of a client.
        return Failure(error, "invalid_reply" if is_own(traceback_of(error)) else foreign, _UPSTREAM)


def is_own(traceback: TracebackType | None) -> bool:
    """Tell whether an exception was raised by the library's own code.

    Args:
        traceback: The exception's.

    .. versionadded:: 0.1.0
    """
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
    return traceback is not None and traceback.tb_frame.f_code.co_filename.startswith(_folders())


def _folders() -> tuple[str, ...]:
    if not _found_folders:
        for package in ("verbatim_core", "verbatim_rag"):
            spec = find_spec(package)
            places = spec.submodule_search_locations if spec is not None else None
            _found_folders.extend(place + os.sep for place in places or ())
    return tuple(_found_folders)


_found_folders: list[str] = []


def frame_of(file: str) -> FrameType | None:
    """Return the innermost running frame of a file of the library.

    Args:
        file: The end of its path.

    .. versionadded:: 0.1.0
    """
    frame: FrameType | None = sys._getframe(1)  # noqa: SLF001 -- the only way to know who asks
    for _ in range(_FRAMES):
        if frame is None or frame.f_code.co_filename.endswith(file):
            return frame
        frame = frame.f_back
    return None


def handled_in(frame: FrameType) -> BaseException | None:
    """Return the exception that is being handled, if it was caught in a frame.

    Args:
        frame: The frame.

    .. versionadded:: 0.1.0
    """
    error = sys.exc_info()[1]
    traceback = None if error is None else traceback_of(error)
    return error if traceback is not None and traceback.tb_frame is frame else None


TALLY: Final[ContextVar[Tally | None]] = ContextVar("discreet_verbatim_tally", default=None)
"""That of the innermost call."""

UNREAD: Final[ContextVar[list[Any] | None]] = ContextVar("discreet_verbatim_unread", default=None)
"""Takes the exception of a reply that the LLM client couldn't read and made nothing of."""
