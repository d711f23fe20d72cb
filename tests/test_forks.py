"""Locks that a forked child can use, and that no signal handler leaves locked."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

from discreet.forks import ForkSafeLock


def is_free(lock: ForkSafeLock) -> bool:
    """Tell whether another thread can have the lock."""
    got: list[bool] = []

    def take() -> None:
        got.append(lock.acquire(blocking=False))
        if got[0]:
            lock.release()

    thread = threading.Thread(target=take)
    thread.start()
    thread.join()
    return got[0]


def functions_of(call: Callable[[], None]) -> list[str]:
    """Return the names of the Python functions that a call goes through, at whose beginning a handler may raise."""
    found: list[str] = []

    def trace(frame: FrameType, event: str, _: Any) -> None:
        found.append(frame.f_code.co_name)

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
    finally:
        sys.settrace(before)
    return found


def test_taking_and_giving_back_is_no_function_of_pythons() -> None:
    """Python runs signal handlers when a function begins: what one raises would leave the lock taken for ever."""
    lock = ForkSafeLock()

    def call() -> None:
        with lock, lock:
            pass

    assert functions_of(call) == ["call"]
    assert is_free(lock)


def test_a_lock_is_free_for_others_only_when_it_was_given_back_as_often() -> None:
    """It is reentrant."""
    lock = ForkSafeLock()
    with lock:
        with lock:
            pass
        assert not is_free(lock)
    assert is_free(lock)


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_forked_child_has_the_lock_that_a_thread_of_its_parent_holds() -> None:
    """That thread isn't there to give it back."""
    lock = ForkSafeLock()
    held, release = threading.Event(), threading.Event()

    def hold() -> None:
        with lock:
            held.set()
            release.wait(60)

    thread = threading.Thread(target=hold)
    thread.start()
    assert held.wait(60)
    pid = os.fork()
    if pid == 0:
        os._exit(7 if lock.acquire(timeout=60) else 1)
    status = os.waitpid(pid, 0)[1]
    release.set()
    thread.join()
    assert os.waitstatus_to_exitcode(status) == 7
    assert is_free(lock)
