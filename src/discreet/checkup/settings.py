"""Settings that let text through on purpose, or that nobody has tested: content loggers, contracts, patterns, keys."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from importlib.machinery import ExtensionFileLoader, SourcelessFileLoader
from typing import Any, Final

from discreet.checkup.handlers import present
from discreet.checkup.owners import named, place
from discreet.checkup.report import Route
from discreet.content import open_content_loggers
from discreet.contract import active, coverage, load_shipped, shipped
from discreet.export.sealing_handler import SealingHandler
from discreet.match_mode import match_prefixes
from discreet.seal.foreign import is_local
from discreet.seal.peek import module_dict
from discreet.seal.types import ValueType
from discreet.seal.types.ids import KeyedDigest

__all__ = ["setting_routes"]

_MIN_KEY: Final = 16


def setting_routes() -> Iterator[Route]:
    """Yield a route for each setting that lets something through, and each that can't be relied on."""
    yield from _content()
    for prefix in match_prefixes():
        yield Route(
            "setting",
            f"match mode of logger {prefix or 'root'} and below",
            "partial",
            "Texts go out unless they agree with a text of the running call: paraphrases and translations do.",
            "Take the prefix out of match, or accept it.",
        )
    yield from _contracts()
    yield from _types()
    yield from _without_source()


def _content() -> Iterator[Route]:
    for name in open_content_loggers():
        sinks = sorted(set(_reached(name)))
        where = f" They go to {', '.join(sinks)}." if sinks else " No handler takes them now."
        yield Route(
            "setting",
            f"content logger {name} at DEBUG",
            "open",
            f"Its DEBUG records hold customer text.{where}",
            "Set its level to INFO when you have seen what you needed.",
        )


def _reached(name: str) -> Iterator[str]:
    """Yield the handlers that write a content logger's records whole."""
    on_way: set[int] = set()
    logger: logging.Logger | None = logging.getLogger(name)
    while logger is not None:
        on_way.update(map(id, logger.handlers))
        logger = logger.parent if logger.propagate else None
    for found in present():
        handler: Any = found.handler
        if id(handler) in on_way and (issubclass(type(handler), SealingHandler) or is_local(handler)):
            yield f"{named(type(handler))} {place(handler)}".strip()
        elif id(handler) in on_way:
            yield f"{named(type(handler))} (sealed)"


def _contracts() -> Iterator[Route]:
    for found in coverage():
        if found.installed is not None and not found.covered:
            yield Route(
                "setting",
                f"{found.distribution} {found.installed} under the contract {found.contract}",
                "partial",
                f"The contract was written for {found.specifier}: what it declares safe may be something else by now.",
                "Install a release that is covered, or a newer contract.",
            )
    for problem in active().problems:
        yield Route(
            "setting",
            f"contract {problem.file}",
            "partial",
            f"It could not be made active: {problem.message}",
            "Mend or remove it.",
        )


def _declared() -> Iterator[tuple[str, ValueType]]:
    """Yield what the operator's own contracts and attributes type. What is shipped was read with its library."""
    registry = active()
    for name, kind in registry.attributes.items():
        yield f"attribute {name}", kind
    ours = [load_shipped(name) for name in shipped()]
    for one in registry.contracts:
        if one in ours:
            continue
        for name, kind in one.attributes.items():
            yield f"attribute {name} of the contract {one.name}", kind
        for row in one.records:
            for arg in row.args:
                if arg.type is not None:
                    yield f"a value of {row.key!r} of the contract {one.name}", arg.type
        for declared in one.exceptions:
            for safe in declared.attributes:
                yield f"attribute {safe.name} of {declared.class_name}", safe.type


def _types() -> Iterator[Route]:
    for name, kind in _declared():
        if kind.wide:
            yield Route(
                "setting",
                f"{name}: {kind}",
                "partial",
                "Its pattern lets through more than ids of the usual forms.",
                "Use the type id without a pattern, or hmac.",
            )
        if type(kind) is KeyedDigest:
            options = dict(kind.options)
            variable = str(options.get("key_env", "DISCREET_HMAC_KEY"))
            if len(os.environ.get(variable, "").encode("utf-8", "surrogateescape")) < _MIN_KEY:
                yield Route(
                    "setting",
                    f"{name}: {kind}",
                    "guarded",
                    f"Without a key of {_MIN_KEY} bytes in {variable} it is withheld.",
                    f"Set {variable} if you want it in the logs.",
                )


def _without_source() -> Iterator[Route]:
    """Yield a route for each module with a logger of its own whose code nobody can read."""
    known = logging.root.manager.loggerDict.copy()
    for name in sorted(name for name, logger in known.items() if isinstance(logger, logging.Logger)):
        module = module_dict(name)
        loader = type(getattr((module or {}).get("__spec__"), "loader", None))
        if module is not None and loader in (SourcelessFileLoader, ExtensionFileLoader):
            what = "bytecode alone" if loader is SourcelessFileLoader else "machine code"
            yield Route(
                "setting",
                f"module {name} without source",
                "cannot see",
                f"It is {what}: its records are sealed, and whether it writes past logging can't be read.",
                "Install it with its source, or ask its authors what it writes.",
            )
