"""sys.excepthook and threading.excepthook: exceptions that nobody catches."""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any

from discreet.doors.hooks import Hook, Layer, once
from discreet.doors.report import Stand, tell, to_stderr, was_handed_on
from discreet.export.ledger import LEDGER
from discreet.seal.names import thread_name

__all__ = ["close_door", "door_state", "open_door", "run_guarded"]


def _main(layer: Layer) -> Callable[..., None]:
    def excepthook(kind: type[BaseException], exc: BaseException, traceback: TracebackType | None) -> None:
        if not layer.active:
            layer.before(kind, exc, traceback)
            return

        def previous(stand: Stand | None) -> None:
            if stand is not None and layer.before is not sys.__excepthook__ and callable(layer.before):
                with _last(exc, stand):
                    layer.before(*stand)

        run_guarded("sys.excepthook", exc, lambda: _uncaught("main", "", kind, exc, traceback, previous))

    return excepthook


@contextmanager
def _last(exc: BaseException, stand: Stand) -> Iterator[None]:
    """Let ``sys.last_exc`` and what else Python keeps for a debugger be the stand-in, if they are the exception's."""
    given = vars(sys)
    safe = {"last_type": stand[0], "last_value": stand[1], "last_traceback": stand[2], "last_exc": stand[1]}
    before = {name: given[name] for name in safe if name in given}
    if before.get("last_value") is not exc and before.get("last_exc") is not exc:
        yield
        return
    given.update((name, safe[name]) for name in before)
    try:
        yield
    finally:
        given.update((name, value) for name, value in before.items() if given.get(name) is safe[name])


def _thread(layer: Layer) -> Callable[..., None]:
    def excepthook(args: Any, /) -> None:
        if not layer.active:
            layer.before(args)
            return
        if args.exc_type is SystemExit:
            # As Python does: a thread may end itself, and nothing is said.
            return

        given = _given_name(args.thread)
        name = thread_name(given)

        def previous(stand: Stand | None) -> None:
            if layer.before is not threading.__excepthook__ and callable(layer.before):
                safe = stand if stand is not None else (args.exc_type, None, None)
                # The thread itself has its name, and what a class of the program's put on it.
                plain = type(args.thread) is threading.Thread and name == given
                thread = args.thread if args.thread is None or plain else _StandInThread(name, args.thread)
                layer.before(threading.ExceptHookArgs((*safe, thread)))

        where = f" in thread {name}" if name is not None else " in a thread"
        run_guarded(
            "threading.excepthook",
            args.exc_value,
            lambda: _uncaught("thread", where, args.exc_type, args.exc_value, args.exc_traceback, previous),
        )

    return excepthook


def _given_name(thread: Any) -> Any:
    """Return a thread's name without calling code of its class."""
    return object.__getattribute__(thread, "__dict__").get("_name") if isinstance(thread, threading.Thread) else None


class _StandInThread(threading.Thread):
    """Stands for a thread whose name, or class, may hold text: it never runs."""

    def __init__(self, name: str | None, thread: Any) -> None:
        given = object.__getattribute__(thread, "__dict__") if isinstance(thread, threading.Thread) else {}
        super().__init__(name=name or "Thread", daemon=given.get("_daemonic") is True)
        number, native = given.get("_ident"), given.get("_native_id")
        self._numbers = (number if type(number) is int else None, native if type(native) is int else None)

    @property
    def ident(self) -> int | None:
        """The thread's own."""
        return self._numbers[0]

    @property
    def native_id(self) -> int | None:
        """The thread's own."""
        return self._numbers[1]

    def is_alive(self) -> bool:
        """Whether it runs: who hears of it is called by it."""
        return True


def _uncaught(
    place: str,
    where: str,
    kind: type[BaseException],
    exc: BaseException | None,
    traceback: TracebackType | None,
    previous: Callable[[Stand | None], None],
) -> None:
    # Somebody who presses Ctrl-C has not made the program fail.
    level = None if issubclass(kind, KeyboardInterrupt) else logging.CRITICAL
    tell(
        f"Uncaught exception{where}",
        "Uncaught exception",
        "uncaught_exception",
        level,
        exc,
        kind,
        traceback,
        previous,
        place=place,
    )


def run_guarded(hook: str, exc: BaseException | None, work: Callable[[], None]) -> None:
    """Run a hook's work so that nothing is raised out of it: Python would print both exceptions with their texts.

    Args:
        hook: the hook's name.
        exc: the exception that it was called for.
        work: what it does.

    Raises:
        SystemExit: a hook of another tool ends the process, with the code that it gives, 1 for a text.
    """
    with once(hook) as first:
        if not first:
            if exc is not None and not was_handed_on(exc):
                # Something fails while a failure is told: it is only counted, or there would be no end.
                LEDGER.failure(hook, exc)
            return
        code: object = None
        try:
            work()
            return
        except SystemExit as stop:
            code = stop.code
        except BaseException as error:
            # Also Ctrl-C for the second time.
            LEDGER.failure(hook, error)
            to_stderr("--- Uncaught exception --- its rendering failed\n")
            return
    raise SystemExit(code if code is None or type(code) is int else 1)


_HOOKS = {
    "sys.excepthook": Hook(sys, "excepthook", _main),
    "threading.excepthook": Hook(threading, "excepthook", _thread),
}


def open_door() -> None:
    """Render uncaught exceptions our way.

    .. versionadded:: 0.1.0
    """
    for hook in _HOOKS.values():
        hook.open()


def close_door() -> None:
    """Put the hooks back.

    .. versionadded:: 0.1.0
    """
    for hook in _HOOKS.values():
        hook.close()


def door_state() -> dict[str, str]:
    """Return each hook's state."""
    return {name: hook.state() for name, hook in _HOOKS.items()}
