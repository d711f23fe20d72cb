"""Renders the pages under docs/reference from the contracts and types themselves.

`make docs` writes them; a test holds the written ones to what this module renders.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from discreet.contract import Contract, load_shipped, shipped
from discreet.contract.model import ExceptionDeclaration
from discreet.seal import types
from discreet.seal.types import ValueType

FOLDER = Path(__file__).parent.parent.parent / "docs" / "reference"
NOTHING = "—"


def pages() -> dict[str, str]:
    """File name to text, for every page of the reference."""
    contracts = [load_shipped(name) for name in sorted(shipped())]
    return {
        "README.md": _index(contracts),
        "types.md": _types(),
        **{f"{contract.name}.md": _contract(contract) for contract in contracts},
    }


def write() -> None:
    """Write every page and remove those that are no more."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    rendered = pages()
    for file in FOLDER.glob("*.md"):
        if file.name not in rendered:
            file.unlink()
    for name, text in rendered.items():
        (FOLDER / name).write_text(text, encoding="utf-8")


def _cell(text: object) -> str:
    return " ".join(str(text).split()).replace("|", "\\|") or NOTHING


def _code(text: str | None) -> str:
    return f"`{text}`" if text else NOTHING


def _codes(names: Iterable[str]) -> str:
    return ", ".join(_code(name) for name in names) or NOTHING


def _table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
    lines = [f"| {' | '.join(_cell(cell) for cell in row)} |" for row in rows]
    if not lines:
        return []
    return [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}", *lines, ""]


def _section(title: str, table: list[str]) -> list[str]:
    return [f"## {title}", "", *table] if table else []


def _typed(kind: ValueType | None) -> str:
    if kind is None:
        return NOTHING
    options = []
    for name, value in kind.options:
        shown = ", ".join(map(str, value)) if isinstance(value, tuple) else value
        options.append(f"{name}: {shown}")
    link = f"[`{kind.name}`](types.md#{kind.name})"
    return f"{link} ({'; '.join(options)})" if options else link


def _index(contracts: list[Contract]) -> str:
    rows = [(f"[{it.name}]({it.name}.md)", _codes(it.loggers), it.summary) for it in contracts]
    return "\n".join(
        [
            "# Reference",
            "",
            "The contracts that discreet ships, each active for its own loggers, and the",
            "[closed types](types.md) of their attributes.",
            "",
            *_table(("contract", "loggers", "what it is"), rows),
        ]
    )


def _types() -> str:
    lines = [
        "# Closed types",
        "",
        "A contract gives a type to each attribute, to each argument of a message and to each safe",
        "attribute of an exception. A value that isn't of the type is withheld. There is no type for",
        "free text.",
        "",
    ]
    for name in sorted(types.TYPE_NAMES):
        lines += [f"## {name}", "", *_prose(types._TYPES[name]), ""]
    return "\n".join(lines)


def _prose(cls: type[ValueType]) -> list[str]:
    """The class's docstring as Markdown, its arguments as the options of the type."""
    text, _, options = (inspect.getdoc(cls) or "").partition("\nArgs:\n")
    text = re.sub(r"\n*\.\. versionadded.*", "", text).strip()
    lines = text.replace("``", "`").splitlines()
    if options:
        lines += ["", "Options:", ""]
        for option in inspect.cleandoc(options).split("\n\n")[0].splitlines():
            started = re.match(r"(\w+): (.*)", option)
            lines.append(f"- `{started[1]}`: {started[2]}" if started else f"  {option.strip()}")
    return [line.replace("``", "`") for line in lines]


def _contract(contract: Contract) -> str:
    templates = [row for row in contract.records if not row.means_nothing]
    facts = [
        ("loggers, each with its children", _codes(contract.loggers)),
        ("content loggers", _codes(contract.content_loggers)),
        ("written for", _codes(f"{name} {spec}" for name, spec in contract.covers.items())),
        ("message templates known", len(contract.records)),
        ("of them with a meaning", len(templates)),
        ("computed messages known by pattern", len(contract.patterns)),
    ]
    lines = [f"# Contract {contract.name}", "", contract.summary, "", *_table(("", ""), facts)]
    lines += _section(
        "Events",
        _table(
            ("event", "level", "attributes", "when"),
            [(_code(it.name), it.level, _codes(it.attributes), it.meaning) for it in contract.events],
        ),
    )
    lines += _section(
        "Warning codes",
        _table(
            ("warning code", "from", "meaning"),
            [(_code(it.code), it.emitted_by or NOTHING, it.meaning) for it in contract.warning_codes],
        ),
    )
    lines += _section(
        "Error codes",
        _table(
            ("error code", "exception", "error class", "retryable", "meaning"),
            [
                (_code(it.code), _code(it.exception), it.error_class or NOTHING, _retryable(it.retryable), it.meaning)
                for it in contract.error_codes
            ],
        ),
    )
    lines += _section(
        "Exceptions",
        _table(
            ("class", "error class", "code", "attributes"),
            [
                (_code(it.class_name), it.error_class or NOTHING, _exception_codes(it), _attributes_of(it))
                for it in contract.exceptions
            ],
        ),
    )
    lines += _section(
        "Attributes",
        _table(("attribute", "type"), [(_code(name), _typed(kind)) for name, kind in contract.attributes.items()]),
    )
    lines += _section(
        "Retired names",
        _table(("name", "what it was", "since"), [(_code(it.name), it.kind, it.since) for it in contract.retired]),
    )
    return "\n".join(lines)


def _retryable(value: bool | None) -> str:
    return {True: "yes", False: "no", None: NOTHING}[value]


def _exception_codes(row: ExceptionDeclaration) -> str:
    codes = [_code(row.code)] if row.code else []
    codes += [f"{_code(when.code)} if its `{when.attribute}` is `{when.equals}`" for when in row.conditions]
    if row.own_code:
        codes.append("its own")
    if row.code_of_cause:
        codes.append("its cause's")
    return ", ".join(codes) or NOTHING


def _attributes_of(row: ExceptionDeclaration) -> str:
    return ", ".join(f"{_code(it.name)} {_typed(it.type)}" for it in row.attributes) or NOTHING


if __name__ == "__main__":
    write()
