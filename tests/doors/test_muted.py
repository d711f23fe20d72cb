"""Standard error while a hook of another tool is called: silent for the thread that calls it, for nobody else."""

from __future__ import annotations

import io
import sys
import threading

import pytest

from discreet.doors.report import muted_stderr


def test_threads_that_are_muted_at_once_are_heard_again_in_whichever_order_they_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The one that was muted first ends first, while the other still stands on top of it."""
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    both, first_ended = threading.Event(), threading.Event()

    def other() -> None:
        with muted_stderr():
            both.set()
            assert first_ended.wait(30)
            print("other, muted", file=sys.stderr)
        print("other, heard", file=sys.stderr)

    thread = threading.Thread(target=other)
    with muted_stderr():
        thread.start()
        assert both.wait(30)
        print("first, muted", file=sys.stderr)
    print("first, heard", file=sys.stderr)
    first_ended.set()
    thread.join(30)
    print("first, later", file=sys.stderr)

    assert stream.getvalue().splitlines() == ["first, heard", "other, heard", "first, later"]
    assert sys.stderr is stream


def test_who_is_muted_twice_stays_so_until_both_have_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where a hook that is called for one failure fails itself."""
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    with muted_stderr():
        with muted_stderr():
            print("inner", file=sys.stderr)
        print("outer", file=sys.stderr)
    print("heard", file=sys.stderr)

    assert stream.getvalue() == "heard\n"
    assert sys.stderr is stream
