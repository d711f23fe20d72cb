"""Hooks that somebody has put on logging's own classes and functions."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any, Final

from discreet.checkup.owners import attributes, holds, is_of, is_ours, named, shown_logger
from discreet.checkup.report import Route
from discreet.choke import installed, is_strict, ours
from discreet.covers import is_cover, seals

__all__ = ["handed_to_handlers", "hook_routes", "makes_plain_records", "wraps_guard"]

_MAKING: Final = (
    (logging.Logger, ("debug", "info", "warning", "error", "exception", "critical", "log", "_log", "makeRecord")),
    (logging.LogRecord, ("__init__",)),
    (logging.LoggerAdapter, ("debug", "info", "warning", "error", "exception", "critical", "log", "process")),
)
"""What gets message and arguments while a record is made: nobody can have sealed it by then."""

_OF_OTEL: Final = "opentelemetry.instrumentation.logging.LoggingInstrumentor._instrument.record_factory"
_LATER: Final = "Set that tool up first, then call discreet.uninstall() and discreet.install(strict=True)."


def handed_to_handlers() -> Callable[[logging.LogRecord], logging.LogRecord] | None:
    """Return what Logger.handle does to a record before handlers get it; None if it leaves it as it is."""
    handle = vars(logging.Logger).get("handle")
    if is_strict() and (is_ours(handle) or holds(handle, ours(logging.Logger, "handle"))):
        return lambda record: seals(None, record)[0]
    return None


def wraps_guard(function: object) -> bool:
    """Tell whether a hook on Handler.handle hands on to the guard.

    Args:
        function: the hook.
    """
    guard = ours(logging.Handler, "handle")
    return guard is not None and holds(function, guard)


def makes_plain_records() -> bool:
    """Tell whether nobody but logging itself has a part in making a record."""
    return logging.getLogRecordFactory() is logging.LogRecord and not any(True for _ in _hooked(_MAKING))


def _hooked(classes: Any) -> Iterator[tuple[type, str, Any]]:
    for owner, names in classes:
        for name in names:
            found = vars(owner).get(name)
            if not is_of(found, logging) and not is_ours(found) and not is_cover(found):
                yield owner, name, found


def hook_routes() -> Iterator[Route]:
    """Yield a route for each hook of others that gets records, or what they are made of, before they are sealed."""
    handed = handed_to_handlers()
    handle = vars(logging.Logger)["handle"]
    if not is_of(handle, logging) and not is_ours(handle):
        yield _hook("Logger.handle", handle, "open", _LATER)
    call = vars(logging.Logger)["callHandlers"]
    if not is_of(call, logging) and not is_ours(call):
        if handed is None:
            remedy = _LATER if is_strict() else "Call discreet.install(strict=True)."
            yield _hook("Logger.callHandlers", call, "open", remedy)
        else:
            yield Route("hook", f"logging.Logger.callHandlers: {named(call)}", "guarded", "It gets sealed copies.")
    below = vars(logging.Handler)["handle"]
    if not is_of(below, logging) and not is_ours(below) and handed is None:
        yield _hook("Handler.handle", below, "open", "Set that tool up first, then call discreet.install().")
    for owner, name, found in _hooked(_MAKING):
        yield _before(f"{owner.__name__}.{name}", found)
    for name in ("debug", "info", "warning", "error", "exception", "critical", "log"):
        found = vars(logging)[name]
        if not is_of(found, logging):
            yield _before(name, found)
    yield from _choosing()
    factory = logging.getLogRecordFactory()
    if _adds_trace_ids(factory):
        yield Route("hook", f"logging.setLogRecordFactory: {named(factory)}", "guarded", "It adds ids of the trace.")
    elif factory is not logging.LogRecord and not is_ours(factory):
        yield _before("setLogRecordFactory", factory)
    yield from _logger_classes(strict=handed is not None)
    if installed():
        yield _error_output()


def _choosing() -> Iterator[Route]:
    for owner in (logging.Filterer, logging.Logger):
        chosen = vars(owner).get("filter")
        if chosen is not None and not is_of(chosen, logging):
            yield _hook(f"{owner.__name__}.filter", chosen, "open", "Do it in a handler, which gets sealed copies.")


def _adds_trace_ids(factory: object) -> bool:
    """Tell whether a record factory is that of OpenTelemetry's instrumentation, on Python's own and without a hook."""
    if type(factory) is not FunctionType or named(factory) != _OF_OTEL:
        return False
    cells = dict(zip(factory.__code__.co_freevars, factory.__closure__ or (), strict=True))
    hook = vars(factory.__globals__["LoggingInstrumentor"]).get("_log_hook")
    return hook is None and "old_factory" in cells and cells["old_factory"].cell_contents is logging.LogRecord


def _logger_classes(*, strict: bool) -> Iterator[Route]:
    """Yield a route for each class or logger that has its own way to handle a record."""
    told: set[str] = set()
    for logger in [logging.root, *logging.root.manager.loggerDict.copy().values()]:
        if not isinstance(logger, logging.Logger):
            continue
        places = [cls for cls in type(logger).__mro__ if cls.__module__ != "logging" and cls is not object]
        own = attributes(logger)
        found = [(named(cls), vars(cls)) for cls in places] + [(shown_logger(logger), own)]
        for where, values in found:
            for name in ("handle", "callHandlers", "filter", *_MAKING[0][1]):
                value = values.get(name)
                if value is None or is_ours(value) or f"{where}.{name}" in told:
                    continue
                told.add(f"{where}.{name}")
                if name == "filter" or name in _MAKING[0][1]:
                    yield _before(f"{where}.{name}", value, of="")
                elif name == "handle" or not strict:
                    yield _hook(
                        f"{where}.{name}",
                        value,
                        "open",
                        "Call discreet.install(strict=True)." if name == "callHandlers" else "Do it in a handler.",
                    )


def _hook(where: str, value: object, status: Any, remedy: str) -> Route:
    name = where if where.partition(".")[0] not in ("Logger", "Handler", "Filterer") else f"logging.{where}"
    return Route("hook", f"{name}: {named(value)}", status, "It gets records before they are sealed.", remedy)


def _before(where: str, value: object, of: str = "logging.") -> Route:
    return Route(
        "hook",
        f"{of}{where}: {named(value)}",
        "cannot see",
        "It gets message and arguments before there is a record to seal.",
        "Read its code: it must not write, send or keep what it gets.",
    )


def _error_output() -> Route:
    found = vars(logging.Handler)["handleError"]
    name = "logging's own error output (Handler.handleError)"
    if is_ours(found) or not logging.raiseExceptions:
        return Route("door", name, "guarded", "It tells classes only." if is_ours(found) else "It is switched off.")
    return Route(
        "door",
        name,
        "partial",
        f"{named(found)} stands in its place. It gets sealed records, and the text of what a handler fails with.",
        "Call discreet.uninstall() and then discreet.install() again.",
    )
