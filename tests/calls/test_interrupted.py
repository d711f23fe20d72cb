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


def interrupted(run: Callable[[], object], code: CodeType, line: int) -> bool:
    """Run something, interrupt it before a line of a function, and tell whether it has so many."""
    seen = 0

    def trace(frame: FrameType, event: str, _: object) -> Any:
        nonlocal seen
        if frame.f_code is not code:
            return None
        if event == "line":
            seen += 1
            if seen > line:
                raise TimeLimit
        return trace

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
    """At whatever line: its texts and its span aren't current any more, and it runs no longer in the counts."""
    around = context.get_current()
    line = 0
    while interrupted(run, method.__code__, line):
        assert (current(), context.get_current()) == (None, around)
        assert sum(counts.active for counts in CALLS.snapshot().values()) == 0
        line += 1
    assert line > len(("text scope", "count", "span", "context"))
