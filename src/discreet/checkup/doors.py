"""The side doors: uncaught exceptions, warnings, printed lines, worker processes, and loops of asyncio."""

from __future__ import annotations

import io
import sys
import threading
import traceback
import warnings
from collections.abc import Iterator
from typing import Any, Final

from discreet.canary import found_in, make
from discreet.checkup.owners import is_of, named
from discreet.checkup.probes import raised
from discreet.checkup.report import DEFECT, Route
from discreet.choke import installed
from discreet.contract import active
from discreet.doors import door_states
from discreet.doors.hooks import Layer
from discreet.doors.line_stream import LineStream
from discreet.doors.lines import Line, Place
from discreet.doors.report import rendering
from discreet.doors.warned import _text
from discreet.seal.exceptions import describe
from discreet.seal.standin import stand_in

__all__ = ["door_routes"]

_NAMES: Final = {
    "sys.excepthook": "uncaught exceptions (sys.excepthook)",
    "threading.excepthook": "uncaught exceptions of threads (threading.excepthook)",
    "sys.unraisablehook": "exceptions that can't be raised (sys.unraisablehook)",
    "warnings": "warnings (warnings.showwarning)",
    "multiprocessing": "worker processes (multiprocessing)",
}
_AGAIN: Final = "Set that tool up first, or call discreet.install() again after it."


def door_routes() -> Iterator[Route]:
    """Yield a route for each door; a single one for all of them while the guard isn't installed."""
    states = door_states()
    if not installed():
        yield Route(
            "door",
            "the guard of the process",
            "open",
            "It isn't installed: uncaught exceptions, warnings, printed lines, logging's own error output, its "
            "handler of last resort, worker processes, and handlers that are added later are not guarded.",
            "Call discreet.install(), or discreet.configure() without install=False.",
        )
        return
    for door, name in _NAMES.items():
        yield _door(door, name, states[door])
    for stream in ("stdout", "stderr"):
        yield _stream(stream, states[f"sys.{stream}"])
    yield from _threads()
    yield from _children()
    yield from _loop()


def _door(door: str, name: str, state: str) -> Route:
    if state == "patched over":
        return Route("door", name, "open", f"{named(_on_top(door))} stands on top of the guard.", _AGAIN)
    if state == "closed":
        return Route("door", name, "open", "The guard doesn't stand there.", "Call discreet.install() again.")
    if door == "multiprocessing":
        return Route("door", name, "guarded", "They get the guard with the process, and tell failures without text.")
    came_out = _uncaught() if door != "warnings" else _warning()
    sent = ("warning",) if door == "warnings" else ("exception", "cause")
    return Route(
        "door", name, "open" if came_out else "guarded", "", DEFECT if came_out else None, sent, tuple(came_out)
    )


def _on_top(door: str) -> object:
    owner: Any = {"sys": sys, "threading": threading, "warnings": warnings}.get(door.partition(".")[0])
    if owner is None:
        from multiprocessing.process import BaseProcess

        return next((found for found in map(vars(BaseProcess).get, ("_bootstrap", "start"))), None)
    return getattr(owner, "showwarning" if owner is warnings else door.partition(".")[2])


def _uncaught() -> list[str]:
    """Return the forms in which a canary comes out of what the hooks write, and hand to those that were there."""
    came_out = []
    for form in ("exception", "cause"):
        canary = make()
        error = LookupError(canary)
        try:
            raise error if form == "exception" else raised(RuntimeError("no answer"), error)
        except (LookupError, RuntimeError) as failed:
            text = rendering("Uncaught exception", describe(failed, failed.__traceback__, active()))
            stand = stand_in(failed, failed.__traceback__)[1]
            text += "".join(traceback.format_exception(stand))
        if found_in(text, canary):
            came_out.append(form)
    return came_out


def _warning() -> list[str]:
    canary = make()
    return ["warning"] if found_in(str(_text(UserWarning(canary))), canary) else []


class _Lines(LineStream):
    """A guarded stream to nowhere, which keeps the lines that it would log."""

    def __init__(self, name: str) -> None:
        self.lines: list[str] = []
        super().__init__(io.StringIO(), name, Layer(None))

    def _send(self, found: Line, author: Place | None) -> None:
        self.lines.append(f"{found.message} {found.attributes}")


def _stream(name: str, state: str) -> Route:
    title = f"lines printed to sys.{name}"
    if state == "closed":
        return Route(
            "stream",
            title,
            "open",
            "They go out as they are.",
            "Call discreet.install(streams=True) or configure(streams=True), set DISCREET_STREAMS=true, or give the "
            "ContentGuard of a configuration streams: true.",
        )
    if state != "guarded":
        stream = getattr(sys, name)
        return Route("stream", title, "open", f"{named(type(stream))} stands in the guard's place.", _AGAIN)
    lines, canary = _Lines(name), make()
    print(canary, file=lines)
    print("No answer to", canary, file=lines)
    lines.write(f"No answer to {canary}\n")
    out = any(found_in(line, canary) for line in lines.lines) or not lines.lines
    return Route(
        "stream", title, "open" if out else "guarded", "", DEFECT if out else None, ("print",), ("print",) * out
    )


def _threads() -> Iterator[Route]:
    """Yield a route for each hook on threads, which has their exceptions before threading.excepthook."""
    for name in ("start", "run", "_bootstrap_inner"):
        found = vars(threading.Thread).get(name)
        if found is not None and not is_of(found, threading) and not named(found).startswith("sentry_sdk."):
            # That one is told together with what else sentry-sdk does.
            yield Route(
                "hook",
                f"threading.Thread.{name}: {named(found)}",
                "cannot see",
                "It may catch the exceptions of threads before the guard does.",
                "Switch that part of the tool off, unless its code shows that it leaves exceptions alone.",
            )


def _children() -> Iterator[Route]:
    """Yield a route for the processes that were started before the guard was there."""
    process = sys.modules.get("multiprocessing.process")
    workers = sys.modules.get("discreet.doors.workers")
    if process is None or workers is None:
        return
    # Asking multiprocessing for its children would wait for those that have ended.
    children = [one for one in list(vars(process)["_children"]) if one not in workers.STARTED]
    alive = [one for one in children if getattr(getattr(one, "_popen", None), "returncode", 0) is None]
    if alive:
        yield Route(
            "process",
            "worker processes that were started before the guard",
            "open",
            f"{len(alive)} of them: nothing of theirs is known here.",
            "Install the guard before they start, or give their pool initializer=discreet.install_in_worker.",
        )


def _loop() -> Iterator[Route]:
    asyncio = sys.modules.get("asyncio")
    if asyncio is None:
        return
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        # No loop runs in this thread. Those of other threads can't be found.
        return
    handler = getattr(loop, "_exception_handler", None)
    if handler is not None:
        yield Route(
            "door",
            f"failures in the running loop: {named(handler)}",
            "cannot see",
            "A handler of the program's own gets the exception itself.",
            "Let it log by logging, which is guarded, and nothing else.",
        )
    else:
        yield Route("door", "failures in the running loop", "guarded", "They are records of the logger asyncio.")
