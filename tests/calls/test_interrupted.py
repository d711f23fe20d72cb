"""A signal handler that raises while a call begins or ends, as those of time limits do."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any

import pytest
from opentelemetry import context

import discreet
from discreet.call import Call
from discreet.call_counts import CALLS
from discreet.scope import current
from tests.calls.seen import QUESTION, Seen


class TimeLimit(BaseException):
    """What the handler raises."""


def interrupted(run: Callable[[], object], code: CodeType, place: int) -> bool:
    """Run something, interrupt a function there, and tell whether it has so many places.

    Python calls signal handlers where a function of Python's begins, and not between any two lines: a lock is let go
    of by a `with` block.
    """
    seen = 0

    def trace(frame: FrameType, event: str, _: object) -> None:
        nonlocal seen
        if event == "call" and frame.f_back is not None and frame.f_back.f_code is code:
            seen += 1
            if seen > place:
                raise TimeLimit

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        run()
    except TimeLimit:
        return True
    finally:
        sys.settrace(before)
    return False


def block() -> None:
    with discreet.observe_call("harbour.find", question=QUESTION):
        pass


@discreet.observe_call("harbour.find", "question")
def function(question: str) -> None:
    """Asks nobody."""


@pytest.mark.parametrize("run", [block, lambda: function(QUESTION)], ids=["block", "function"])
@pytest.mark.parametrize("method", [Call.begin, Call._tell], ids=["begins", "ends"])
def test_a_call_that_is_interrupted_is_over(run: Callable[[], object], method: Callable[..., Any], sinks: Seen) -> None:
    """Wherever: its texts and its span aren't current any more, and it runs no longer in the counts."""
    around = context.get_current()
    place = 0
    while interrupted(run, method.__code__, place):
        assert (current(), context.get_current()) == (None, around)
        assert sum(counts.active for counts in CALLS.snapshot().values()) == 0
        place += 1
    assert place > len(("text scope", "count", "span"))
