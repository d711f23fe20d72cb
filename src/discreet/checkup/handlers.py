"""Handlers: each one that a record can reach, on a logger, behind another handler, or on none for now."""

from __future__ import annotations

import logging
import logging.handlers
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, Final, NamedTuple

from discreet.checkup.hooks import handed_to_handlers, makes_plain_records, wraps_guard
from discreet.checkup.owners import attributes, found_on, is_of, is_ours, named, place, shown_logger
from discreet.checkup.probes import Catcher, Outcome, is_guard, send, text_of
from discreet.checkup.report import UNKNOWN, Route
from discreet.choke import installed
from discreet.covers import exempt, is_cover, seals
from discreet.doors.last_resort import LastResort
from discreet.export.json import JsonHandler
from discreet.export.sealing_handler import SealingHandler
from discreet.guard import ContentGuard
from discreet.seal.foreign import record_for
from discreet.seal.record import SealedRecord

__all__ = ["handler_routes", "loggers", "present"]

_KNOWN_FILTERS: Final = frozenset(
    {
        "asgi_correlation_id.log_filters.CeleryTracingIdsFilter",
        "asgi_correlation_id.log_filters.CorrelationIdFilter",
        "django.utils.log.RequireDebugFalse",
        "django.utils.log.RequireDebugTrue",
        "logging.Filter",
        "openai._utils._logs.SensitiveHeadersFilter",
        "opentelemetry.sdk._shared_internal.DuplicateFilter",
        "sentry_sdk.debug._DebugFilter",
    }
)
"""Filters of others that are known to hand nothing on."""

_MAX_HANDLERS: Final = 1_000


class Found(NamedTuple):
    """A handler, and where it was found.

    Attributes:
        handler: the handler, or what is used as one.
        where: the loggers that have it, the handler it stands behind, or that it is on none.
        on_logger: whether a logger has it.
    """

    handler: Any
    where: str
    on_logger: bool


def loggers() -> list[logging.Logger]:
    """Return all loggers of the process, the root logger first."""
    known = logging.root.manager.loggerDict.copy()
    found = [one for _, one in sorted(known.items()) if isinstance(one, logging.Logger)]
    return [logging.root, *found]


def present() -> list[Found]:
    """Return all handlers that there are: those on loggers first, then those behind them, then all others."""
    places: dict[int, tuple[Any, list[str]]] = {}
    for logger in loggers():
        for handler in list(logger.handlers):
            places.setdefault(id(handler), (handler, []))[1].append(shown_logger(logger))
    found = [Found(handler, f"on {', '.join(names)}", on_logger=True) for handler, names in places.values()]
    default = getattr(logging, "_defaultLastResort", None)
    if logging.lastResort is not None and (logging.lastResort is not default or installed()):
        # Python's own is told together with the guard that is missing.
        found.append(Found(logging.lastResort, "as logging.lastResort", on_logger=True))
    seen = {id(one.handler) for one in found}
    for one in found:
        if len(found) > _MAX_HANDLERS:
            break
        for inner in _behind(one.handler):
            if id(inner) not in seen and inner is not default:
                seen.add(id(inner))
                found.append(Found(inner, f"behind {named(type(one.handler))}", on_logger=False))
    for reference in list(logging._handlerList):  # type: ignore[attr-defined]  # noqa: SLF001 -- no other list
        handler = reference()
        if handler is not None and id(handler) not in seen and handler is not default and not _is_closed(handler):
            found.append(Found(handler, "on no logger now", on_logger=False))
    return [one for one in found if type(one.handler) is not logging.NullHandler and not exempt(one.handler)]


def _is_closed(handler: Any) -> bool:
    own = attributes(handler)
    return own.get("_closed") is True or own.get("retired") is True


def _behind(handler: Any) -> Iterator[Any]:
    """Yield the handlers that a handler keeps: the target of a MemoryHandler, those of a queue's listener."""
    own = attributes(handler)
    pending = list(own.values())
    listener = own.get("listener")
    if listener is not None:
        pending += list(attributes(listener).values())
    for value in pending:
        for one in value if type(value) in (list, tuple) else (value,):
            if issubclass(type(one), logging.Handler):
                yield one


def handler_routes() -> Iterator[Route]:
    """Yield a route for each handler, and one for each filter that sees records before the guard does."""
    everything = present()
    for found in everything:
        yield _route(found)
    seen: dict[str, list[str]] = {}
    for found in everything:
        own = attributes(found.handler)
        for one in [*(own.get("filters") or ()), *_own_filter(found.handler)]:
            seen.setdefault(_filter_name(one), []).append(f"{named(type(found.handler))} {found.where}")
    for logger in loggers():
        for one in list(logger.filters):
            seen.setdefault(_filter_name(one), []).append(f"logger {shown_logger(logger)}")
    for name, places in sorted(seen.items()):
        if name and name not in _KNOWN_FILTERS:
            yield Route(
                "handler",
                f"filter {name} of {places[0]}",
                "cannot see",
                "It gets each record before the guard does, and its code can do with it what it likes.",
                "Read its code: it must not write, send or keep what a record holds.",
            )


def _own_filter(handler: Any) -> list[Any]:
    """Return the method by which a handler chooses its records, if that isn't logging's."""
    found = found_on(handler, "filter") if issubclass(type(handler), logging.Handler) else None
    # What stands in the place of Filterer's own is told by itself.
    usual = found is None or is_of(found, logging) or found is vars(logging.Filterer)["filter"]
    return [] if usual else [found]


def _filter_name(one: Any) -> str:
    own = attributes(one).get("filter")
    if own is not None:
        # Of a known class, and with another method.
        return named(own)
    return "" if type(one) is ContentGuard or is_ours(one) else named(one)


def _route(found: Found) -> Route:
    handler = found.handler
    where = place(handler) if issubclass(type(handler), logging.Handler) else ""
    name = f"{named(type(handler))}{f' {where}' if where else ''} {found.where}"
    if type(handler) is LastResort:
        name = "loggers without handlers (logging.lastResort)"
    outcome, how = _tried(found)
    if outcome is None:
        return Route("handler", name, "open", how, _REMEDY)
    if outcome.failed:
        return Route(
            "handler", name, "cannot see", f"{how} A record that was sent to it failed.", UNKNOWN, outcome.sent
        )
    if outcome.came_out:
        return Route("handler", name, "open", how, _REMEDY, outcome.sent, outcome.came_out)
    return Route("handler", name, "guarded", f"{how}{_note(handler)}", None, outcome.sent)


_REMEDY: Final = "Call discreet.install() once it is there, or log with discreet.JsonHandler in its place."


def _note(handler: Any) -> str:
    formatter = attributes(handler).get("formatter")
    if formatter is None or _is_known(formatter):
        return ""
    return f" What its formatter {named(type(formatter))} adds by itself can't be seen."


def _is_known(formatter: object) -> bool:
    module = type(formatter).__module__
    return type(formatter) is logging.Formatter or is_ours(formatter) or module.startswith("pythonjsonlogger.")


def _tried(found: Found) -> tuple[Outcome | None, str]:
    """Return what came out of a handler, None if its own code would have to be run with a canary; and how it gets it.

    What Logger.handle hands on counts only for handlers that a logger has.
    """
    handler = found.handler
    handle = found_on(handler, "handle")
    first = handed_to_handlers() if found.on_logger else None
    caught: list[logging.LogRecord] = []

    def give(record: logging.LogRecord) -> None:
        record = first(record) if first is not None else record
        if way is None:
            caught.append(seals(handler if issubclass(type(handler), logging.Handler) else None, record)[0])
        else:
            caught.extend(way(record))

    def texts() -> list[str]:
        found = [_written(handler, record) for record in caught]
        caught.clear()
        return found

    way: Any = None
    how = "It gets sealed copies."
    if issubclass(type(handler), (SealingHandler, LastResort)) and is_ours(handle):
        emit = found_on(handler, "emit")
        own = is_ours(emit) or is_cover(emit) or is_of(emit, logging)
        if not own and first is None:
            return None, f"{named(emit)} gets records before they are sealed."
        how = "It seals by itself." if own else how
        way = _sealing(handler) if own else _as_it_is
    elif is_cover(handle) and handle is vars(logging.Handler).get("handle"):
        way = _through(handle, handler)
    elif is_cover(handle):
        # The guard's part comes first in it. The rest is code of others.
        way = None
    elif is_of(handle, logging):
        how = "A guard among its filters seals what it gets." if _guards(handler) else "No guard stands before it."
        way = _through(handle, handler)
    elif first is not None:
        way = _as_it_is
    elif handle is vars(logging.Handler).get("handle") and wraps_guard(handle):
        # What comes before the guard is a route of its own.
        way = None
    else:
        return None, f"{named(handle)} gets records before they are sealed."
    return send(give, texts, hooked=not makes_plain_records()), how


def _guards(handler: Any) -> bool:
    return any(is_guard(one) for one in attributes(handler).get("filters") or ())


def _as_it_is(record: logging.LogRecord) -> list[logging.LogRecord]:
    return [record]


def _sealing(handler: Any) -> Any:
    def way(record: logging.LogRecord) -> list[logging.LogRecord]:
        return [record_for(handler, record)]

    return way


def _through(handle: Any, handler: Any) -> Any:
    def way(record: logging.LogRecord) -> list[logging.LogRecord]:
        catcher = Catcher(handler)
        handle(catcher, record)
        return catcher.caught

    return way


def _written(handler: Any, record: logging.LogRecord) -> str:
    """Return all that a handler gets, and what a formatter that is known makes of it."""
    text = text_of(record)
    if type(handler) is JsonHandler and isinstance(record, SealedRecord):
        text += "\n" + handler._lines.line(record.sealed, content=True)[0].decode()  # noqa: SLF001  # it writes this
    formatter = attributes(handler).get("formatter")
    if type(formatter) is logging.Formatter and is_of(found_on(formatter, "format"), logging):
        # A format that asks for what a record hasn't, or a bad one: the handler writes nothing then.
        with suppress(AttributeError, KeyError, TypeError, ValueError):
            text += "\n" + formatter.format(record)
    return text
