"""Helpers for tests of call sites: what is found for each record, and programs that are written to files."""

from __future__ import annotations

import importlib
import itertools
import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from discreet.seal.callsite import NOWHERE, Site, find
from discreet.seal.compose import read

_numbers = itertools.count()


class Finder(logging.Handler):
    """Keeps what is found for each record, and what may be shown of its message."""

    def __init__(self, wrappers: frozenset[str] = frozenset()) -> None:
        super().__init__()
        self.wrappers = wrappers
        self.sites: list[Site] = []
        self.shown: list[str | None] = []

    def emit(self, record: logging.LogRecord) -> None:
        site = find(record, self.wrappers)
        # A second look comes from what was remembered.
        again = find(record, self.wrappers)
        assert (again.literal, again.parts, again.key) == (site.literal, site.parts, site.key)
        self.sites.append(site)
        self.shown.append(shown(site, record.msg))

    def take(self) -> list[str | None]:
        found, self.shown = self.shown, []
        return found


def shown(site: Site, message: Any) -> str | None:
    """Return the template or text that is proven, None when nothing is."""
    if site is NOWHERE:
        return "nowhere"
    if site.literal is not None:
        assert site.literal is message
        return site.literal
    return None if site.parts is None else read(site.parts, message)[0]


@contextmanager
def finding(wrappers: frozenset[str] = frozenset(), name: str | None = None) -> Iterator[Finder]:
    """Put a finder in place of the handlers of the root logger, or of a named one, and let everything through."""
    logger = logging.getLogger(name)
    finder = Finder(wrappers)
    handlers, level = logger.handlers[:], logger.level
    logger.handlers[:] = [finder]
    logger.setLevel(1)
    try:
        yield finder
    finally:
        logger.handlers[:] = handlers
        logger.setLevel(level)


def imported(folder: Path, text: str, name: str | None = None) -> ModuleType:
    """Write a program to a file and import it as a module of its own."""
    name = name or f"program_{next(_numbers)}"
    (folder / f"{name}.py").write_text(text, encoding="utf-8")
    return load(folder, name)


def load(folder: Path | str, name: str) -> ModuleType:
    """Import a module from a folder or an archive, without leaving traces on the path."""
    sys.path.insert(0, str(folder))
    importlib.invalidate_caches()
    written = sys.dont_write_bytecode
    sys.dont_write_bytecode = True
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(str(folder))
        sys.dont_write_bytecode = written


def fresh_name() -> str:
    """Return a module name that no other test uses."""
    return f"program_{next(_numbers)}"
