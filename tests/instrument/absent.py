"""Packages that aren't installed, whatever there is on the machine."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.abc import MetaPathFinder


class _NotInstalled(MetaPathFinder):
    def __init__(self, names: tuple[str, ...], words: str) -> None:
        self.names = names
        self.words = words

    def find_spec(self, name: str, path: object, target: object = None) -> None:
        if name.partition(".")[0] in self.names:
            raise ModuleNotFoundError(f"No module named {name!r}: {self.words}", name=name)


@contextmanager
def absent(*names: str, words: str = "") -> Iterator[None]:
    """Let imports of packages fail, with words in the exception's message."""
    before = {name: module for name, module in sys.modules.items() if name.partition(".")[0] in names}
    for name in before:
        del sys.modules[name]
    finder = _NotInstalled(names, words)
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        sys.modules.update(before)
