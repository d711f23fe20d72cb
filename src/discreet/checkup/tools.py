"""Other tools that log past logging: structlog, loguru and sentry-sdk, where a program uses them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import FunctionType
from typing import Any, Final

from discreet.canary import found_in, make
from discreet.checkup.owners import attributes, is_ours, named
from discreet.checkup.report import DEFECT, Route
from discreet.doors.line_stream import LineStream

__all__ = ["tool_routes"]

_TRUSTED: Final = frozenset({"builtins", "discreet", "json", "orjson", "structlog"})

_TO_LOGGING: Final = frozenset({"structlog.stdlib.LoggerFactory", "logging.getLogger"})
_SENDS_NO_TEXT: Final = frozenset({"argv", "atexit", "dedupe", "excepthook", "logging", "modules"})
"""Integrations of sentry-sdk whose text comes from where the guard stands, or that send none of a call's."""


def tool_routes() -> Iterator[Route]:
    """Yield the routes of tools that this process has loaded."""
    for name, routes in (("structlog", _structlog), ("loguru", _loguru), ("sentry_sdk", _sentry)):
        module = sys.modules.get(name)
        if module is not None:
            yield from routes(module)


def _structlog(structlog: Any) -> Iterator[Route]:
    if not structlog.is_configured():
        if not _used(structlog):
            return
        if type(sys.stdout) is LineStream:
            yield Route("tool", "structlog, not configured", "guarded", "It prints to a stream that is guarded.")
        else:
            yield Route(
                "tool",
                "structlog, not configured",
                "open",
                "Without a configuration it prints events as they are.",
                "Call structlog.configure() with discreet.structlog.processors().",
            )
        return
    config = structlog.get_config()
    chain = list(config["processors"])
    ours = next((index for index, one in enumerate(chain) if is_ours(one) and _seals(one)), None)
    factory = config["logger_factory"]
    name = f"structlog to {named(factory)}"
    before = [one for one in (chain if ours is None else chain[:ours]) if not _is_structlogs(one)]
    if ours is None and named(factory) in _TO_LOGGING:
        yield Route("tool", name, "guarded", "What it makes is handed to logging's handlers, see there.")
    elif ours is None and _prints_guarded(factory):
        yield Route("tool", name, "guarded", "It prints to a stream that is guarded.")
    elif ours is None:
        yield Route(
            "tool",
            name,
            "open",
            "No processor of ours is in the chain.",
            "Put discreet.structlog.processors() before the renderer.",
        )
    else:
        out = _sent(chain[ours:])
        yield Route(
            "tool",
            name,
            "open" if out else "guarded",
            f"{named(chain[ours])} seals what the processors after it get.",
            DEFECT if out else None,
            ("message", "extra") if out is not None else (),
            ("message",) if out else (),
        )
    for one in before:
        yield Route(
            "tool",
            f"structlog processor {named(one)}",
            "cannot see",
            "It gets events before they are sealed.",
            "Put it behind ours, or see from its code that it doesn't write, send or keep what it gets.",
        )


def _prints_guarded(factory: object) -> bool:
    """Tell whether a factory's loggers print to a stream whose lines are sealed."""
    if named(factory) not in ("structlog._output.PrintLoggerFactory", "structlog._output.WriteLoggerFactory"):
        return False
    stream = attributes(factory).get("_file")
    return type(sys.stdout if stream is None else stream) is LineStream


def _used(structlog: Any) -> bool:
    """Tell whether anything but this package has imported structlog."""
    for name, module in sys.modules.copy().items():
        if name.partition(".")[0] in ("structlog", "discreet") or module is None:
            continue
        values = list(attributes(module).values())
        if any(value is structlog or _is_of_structlog(value) for value in values):
            return True
    return False


def _is_of_structlog(value: object) -> bool:
    module = value.__module__ if type(value) is FunctionType else type(value).__module__
    return type(module) is str and module.startswith("structlog.")


def _seals(one: object) -> bool:
    return type(one).__name__ in ("Sealer", "JsonRenderer")


def _is_structlogs(one: object) -> bool:
    found = named(one).partition(".")[0]
    return found == "structlog" or is_ours(one)


def _calls_others(one: object) -> bool:
    """Tell whether a processor was given functions of others, such as a renderer's serializer."""
    values = attributes(one).values()
    inner = [part for value in values for part in (value.values() if type(value) is dict else (value,))]
    return any(callable(part) and named(part).partition(".")[0] not in _TRUSTED for part in inner)


def _sent(chain: list[Any]) -> bool | None:
    """Return whether a canary comes out of processors, None if they run not only structlog's code and ours."""
    if not all(_is_structlogs(one) and not _calls_others(one) for one in chain):
        return None
    canary = make()
    event: Any = {"event": canary, "question": canary, "logger": "discreet.checkup"}
    try:
        for one in chain:
            event = one(None, "info", event)
    except Exception:  # one that drops events, or that needs a logger: its routes aren't tried
        return None
    return found_in(str(event), canary)


def _loguru(loguru: Any) -> Iterator[Route]:
    core = attributes(loguru.logger).get("_core")
    for handler in list((attributes(core).get("handlers") or {}).values()):
        sink = attributes(handler).get("_sink")
        inner = attributes(sink)
        target = inner.get("_handler")
        name = f"loguru's sink {attributes(handler).get('_name')}"
        if target is not None:
            yield Route("tool", name, "guarded", f"It hands on to {named(type(target))}, see there.")
        elif type(inner.get("_stream")) is LineStream:
            yield Route("tool", name, "guarded", "Its stream is guarded line by line.")
        else:
            yield Route(
                "tool",
                name,
                "open",
                "loguru's own messages go there past logging.",
                "Call loguru.logger.remove() and add a discreet.JsonHandler as its sink.",
            )


def _sentry(sentry_sdk: Any) -> Iterator[Route]:
    client = sentry_sdk.get_client()
    if not client.is_active():
        return
    names = sorted(name for name in getattr(client, "integrations", {}) if name not in _SENDS_NO_TEXT)
    if names:
        yield Route(
            "tool",
            "sentry-sdk past logging",
            "open",
            f"Integrations that catch exceptions or keep what a call sends by themselves: {', '.join(names)}.",
            "Call sentry_sdk.init(default_integrations=False, auto_enabling_integrations=False, "
            "integrations=[LoggingIntegration(), ExcepthookIntegration()]).",
        )
    else:
        yield Route("tool", "sentry-sdk past logging", "guarded", "It has text from logging and sys.excepthook only.")
