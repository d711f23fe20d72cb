"""The shapes of texts in contract files, and the readers that several kinds of rows share."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, cast

from packaging.specifiers import InvalidSpecifier, SpecifierSet

from discreet.contract.model import ERROR_CLASSES, RESERVED_ATTRIBUTES, ErrorClass
from discreet.contract.reader import Table, Text, quoted
from discreet.seal.types import ValueType, value_type

__all__ = [
    "ATTRIBUTE",
    "CODE",
    "DISTRIBUTION",
    "DOTTED",
    "EVENT",
    "LEVELS",
    "LOGGER",
    "NAME",
    "RELEASE",
    "SPECIFIER",
    "attribute_name",
    "choice",
    "error_class",
    "specifier",
    "typed",
]

NAME: Final = Text(r"[a-z][a-z0-9_]{0,63}", "Use small letters, digits and underscores.")
CODE: Final = Text(
    r"(?!undeclared\Z)[A-Za-z][A-Za-z0-9_]{0,63}(?:[.-][A-Za-z0-9_]{1,64}){0,7}",
    "Use letters, digits and underscores; the name `undeclared` is taken.",
)
EVENT: Final = Text(
    r"(?!undeclared\Z)[a-z][a-z0-9_]{0,63}(?:\.[a-z][a-z0-9_]{0,63}){0,7}",
    "Use small letters, digits, underscores, and dots between parts; `undeclared` is taken.",
)
LOGGER: Final = Text(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,255}", "Write a logger's name as it is.")
DOTTED: Final = Text(
    r"[A-Za-z_]\w{0,127}(?:\.[A-Za-z_]\w{0,127}){0,15}",
    "Write the name by which it can be imported.",
)
DISTRIBUTION: Final = Text(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9])?", "Write the name on the package index.")
SPECIFIER: Final = Text(r"[ -~]{1,200}", "Write one such as >=0.2.8,<0.4.")
RELEASE: Final = Text(r"[0-9][0-9A-Za-z.+-]{0,31}", "Write a release, such as 0.2.0.")
ATTRIBUTE: Final = Text(
    r"[A-Za-z][A-Za-z0-9_]{0,63}(?:\.[A-Za-z][A-Za-z0-9_]{0,63}){0,7}",
    "Use letters, digits, underscores and dots, and a letter first.",
)
LEVELS: Final = {"DEBUG": 10, "INFO": 20, "WARNING": 30, "ERROR": 40, "CRITICAL": 50}


def choice(row: Table, key: str, values: Iterable[str]) -> str:
    """Return one of several texts from a key that must be there."""
    allowed = tuple(values)
    found = row.choice(key, allowed)
    if found is None:
        row.fail(key, "this key is missing", f"Write one of {', '.join(allowed)}.")
    return found


def error_class(row: Table) -> ErrorClass | None:
    """Return a row's `error_class`, None when it isn't there."""
    return cast("ErrorClass | None", row.choice("error_class", ERROR_CLASSES))


def specifier(table: Table, key: str, text: str) -> str:
    """Return a PEP 440 specifier that can be read."""
    try:
        SpecifierSet(text)
    except InvalidSpecifier:
        table.fail(key, f"{quoted(text)} is no specifier", SPECIFIER.remedy)
    return text


def attribute_name(table: Table, key: str, name: object) -> str:
    """Return an attribute's name that no record has itself."""
    text = table.checked(key, name, ATTRIBUTE)
    if text in RESERVED_ATTRIBUTES:
        table.fail(key, f"every record has {text} itself", "Take another name.")
    return text


def typed(table: Table, key: str, spec: Any) -> ValueType:
    """Return the type that stands at a key, as a name or a table."""
    try:
        return value_type(spec)
    except ValueError as error:
        table.fail(key, str(error), "Give a type's name, or a table of type and options.")
