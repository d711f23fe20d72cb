"""Reading tables of a contract file: each value is checked and each fault says where it is."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NoReturn, TypeVar

from discreet.errors import ContractError

__all__ = ["Table", "Text", "quoted"]

_MAX_QUOTED: Final = 60

_PLAIN_KEY: Final = re.compile(r"[\w.\[\]-]{1,80}", re.ASCII)

_T = TypeVar("_T")


class Text:
    """A shape that a text in a contract file has.

    Args:
        pattern: What the whole text matches.
        remedy: A sentence for whoever wrote another.
    """

    __slots__ = ("pattern", "remedy")

    def __init__(self, pattern: str, remedy: str) -> None:
        self.pattern = re.compile(pattern, re.ASCII)
        self.remedy = remedy


LINE: Final = Text(r"[^\x00-\x1f\x7f-\x9f\u2028\u2029]{1,400}", "Write one line of 1 to 400 characters.")


def quoted(value: object) -> str:
    """Return a value of a contract file for a message, in ASCII and cut."""
    if not isinstance(value, str):
        return f"a value of type {type(value).__name__}"
    text = ascii(value)
    return text if len(text) <= _MAX_QUOTED else f"{text[:_MAX_QUOTED]}..."


class Table:
    """One table of a contract file, with its place.

    `close` must be called when all keys were asked for: it refuses the others.

    Args:
        data: What the file has.
        file: The file, as messages name it.
        path: The place of the table in the file; empty for the whole.
    """

    __slots__ = ("_data", "_known", "file", "path")

    def __init__(self, data: Mapping[str, Any], file: str, path: str = "") -> None:
        self._data = data
        self._known: dict[str, None] = {}
        self.file = file
        self.path = path

    def __contains__(self, key: str) -> bool:
        return key in self._data

    def __iter__(self) -> Iterator[str]:
        """Yield the keys that the file has, without marking them as known."""
        yield from self._data

    def place(self, key: str) -> str:
        """Return the place of a key in the file."""
        shown = key if _PLAIN_KEY.fullmatch(key) else quoted(key)
        return f"{self.path}.{shown}" if self.path else shown

    def fail(self, key: str | None, message: str, remedy: str) -> NoReturn:
        """Raise the error of a fault at a key of this table, or in the table as a whole."""
        raise ContractError(message, file=self.file, key=self.path if key is None else self.place(key), remedy=remedy)

    def close(self) -> None:
        """Refuse keys that nobody asked for."""
        for key in self._data:
            if key not in self._known:
                near = difflib.get_close_matches(key, self._known, 1)
                remedy = (
                    f"Did you mean `{near[0]}`?" if near else f"The keys here are {', '.join(self._known) or 'none'}."
                )
                self.fail(key, "this key is unknown", remedy)

    def take(self, key: str) -> Any:
        """Return the value of a key as it is, None when it isn't there."""
        self._known[key] = None
        return self._data.get(key)

    def text(self, key: str, shape: Text = LINE) -> str:
        """Return the text of a key that must be there."""
        found = self.maybe_text(key, shape)
        if found is None:
            self.fail(key, "this key is missing", f"Add it. {shape.remedy}")
        return found

    def maybe_text(self, key: str, shape: Text = LINE) -> str | None:
        """Return the text of a key, None when it isn't there."""
        value = self.take(key)
        return None if value is None else self.checked(key, value, shape)

    def checked(self, key: str, value: object, shape: Text) -> str:
        """Return a text that stands at a key, if it has the shape."""
        if type(value) is not str:
            self.fail(key, f"this is {quoted(value)}, not a text", shape.remedy)
        if not shape.pattern.fullmatch(value):
            self.fail(key, f"{quoted(value)} can't stand here", shape.remedy)
        return value

    def flag(self, key: str) -> bool | None:
        """Return the truth value of a key, None when it isn't there."""
        value = self.take(key)
        if value is not None and type(value) is not bool:
            self.fail(key, f"this is {quoted(value)}", "Write true or false, without quotes.")
        return value

    def choice(self, key: str, values: tuple[str, ...]) -> str | None:
        """Return one of several texts, None when the key isn't there."""
        value = self.take(key)
        if value is not None and (type(value) is not str or value not in values):
            self.fail(key, f"{quoted(value)} can't stand here", f"Write one of {', '.join(values)}.")
        return value

    def texts(self, key: str, shape: Text) -> tuple[str, ...]:
        """Return a list of different texts; empty when the key isn't there."""
        found: list[str] = []
        for place, value in self.items(key):
            text = self.checked(place, value, shape)
            if text in found:
                self.fail(place, f"{quoted(text)} stands here twice", "Take one out.")
            found.append(text)
        return tuple(found)

    def items(self, key: str) -> Iterator[tuple[str, Any]]:
        """Yield the items of a list with their keys, such as ``args[1]``."""
        value = self.take(key)
        if value is None:
            return
        if type(value) is not list:
            self.fail(key, f"this is {quoted(value)}, not a list", "Write a list in [ ].")
        for i, item in enumerate(value):
            yield f"{key}[{i}]", item

    def at(self, key: str) -> Table:
        """Return the table of a key; an empty one when it isn't there."""
        value = self.take(key)
        return self.below(key, {} if value is None else value)

    def below(self, key: str, value: object) -> Table:
        """Return a value that stands at a key as a table."""
        if type(value) is not dict:
            self.fail(key, f"this is {quoted(value)}, not a table", "Write a table.")
        return Table(value, self.file, self.place(key))

    def rows(self, key: str, read: Callable[[Table], _T]) -> tuple[_T, ...]:
        """Read each table of an array of tables, and refuse what is left of it."""
        found: list[_T] = []
        for place, value in self.items(key):
            table = self.below(place, value)
            found.append(read(table))
            table.close()
        return tuple(found)
