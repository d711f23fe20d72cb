"""Reads a file of JSON lines as strictly as any parser might."""

import json
from typing import Any


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    names = [name for name, _ in pairs]
    assert len(names) == len(set(names)), f"a key stands twice: {names}"
    return dict(pairs)


def _no_constant(name: str) -> Any:
    raise AssertionError(f"{name} is not JSON")


def strict(text: str) -> list[dict[str, Any]]:
    """Parse each line: one object, no key twice, no NaN or infinity, no other line end inside."""
    assert text.endswith("\n")
    parsed = []
    for line in text.removesuffix("\n").split("\n"):
        assert [line] == line.splitlines(), "a line holds another kind of line end"
        assert line.isprintable(), "a line holds a control character"
        value = json.loads(line, object_pairs_hook=_once, parse_constant=_no_constant)
        assert type(value) is dict
        parsed.append(value)
    return parsed


def names(record: dict[str, Any]) -> tuple[str | None, str | None, str | None]:
    """The three names of a record: event, warning code, error code."""
    return record.get("event"), record.get("warning_code"), record.get("error_code")
