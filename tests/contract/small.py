"""A small contract that uses every part of the format, as tables and as TOML."""

from __future__ import annotations

import copy
import json
from typing import Any

SMALL: dict[str, Any] = {
    "contract": {
        "name": "harbour",
        "format": 1,
        "summary": "Search in the papers of a harbour office.",
        "covers": {"harbour-search": ">=1.0,<3"},
    },
    "loggers": {
        "names": ["harbour", "tide.tables"],
        "content": ["harbour.content"],
        "wrappers": ["harbour.log.say"],
    },
    "attributes": {
        "shelf": {"type": "enum", "values": ["letters", "ledgers"]},
        "pages": "count",
        "took": "duration_ms",
    },
    "events": [
        {"name": "shelf_opened", "level": "INFO", "attributes": ["shelf", "pages"], "meaning": "A shelf is open."},
    ],
    "warning_codes": [
        {"code": "page_missing", "emitted_by": "Shelf", "meaning": "A page is not where it belongs."},
    ],
    "error_codes": [
        {
            "code": "shelf_locked",
            "exception": "harbour.ShelfError",
            "retryable": True,
            "meaning": "Someone has the key.",
        },
        {"code": "office_closed", "error_class": "upstream", "meaning": "Nobody is there."},
    ],
    "exceptions": [
        {
            "class": "harbour.ShelfError",
            "error_class": "upstream",
            "code": "shelf_failed",
            "own_code": True,
            "safe_message": ">=1.5",
            "attributes": {
                "wait": {"type": "duration_s", "from": "header:retry-after"},
                "status": {"type": "http_status", "from": "reply.status"},
                "param": "param",
            },
            "when": [
                {"attribute": "kind", "equals": "burnt", "code": "shelf_lost", "error_class": "internal"},
                {"attribute": "reply.status", "equals": 423, "code": "shelf_locked"},
            ],
        },
    ],
    "records": [
        {
            "logger": "harbour.shelf",
            "template": "Opened {} with {} pages in {{braces}}",
            "event": "shelf_opened",
            "args": [{"as": "shelf"}, {"type": "count", "as": "pages"}],
            "note": "Said once for each shelf.",
        },
        {"logger": "harbour.shelf", "template": "Lost", "level": "ERROR", "error_code": "shelf_lost"},
        {"logger": "harbour.shelf", "template": "Lost", "warning_code": "page_missing"},
        {
            "module": "harbour.old",
            "template": "No page: {}",
            "source": "print",
            "warning_code": "page_missing",
            "error_code_from": "handled",
            "args": [""],
        },
    ],
    "patterns": [
        {
            "logger": "tide.tables",
            "pattern": "(?P<step>rose|fell) by (?P<size>[0-9]+).*",
            "message": "{step} by {size} {{cm}}",
            "groups": {"step": {"type": "enum", "values": ["rose", "fell"]}, "size": {"type": "count", "as": "pages"}},
            "event": "shelf_opened",
        },
    ],
    "retired": [{"kind": "event", "name": "shelf_closed", "since": "0.9"}],
}


def small() -> dict[str, Any]:
    """Return the tables, for a test to change."""
    return copy.deepcopy(SMALL)


def toml(value: Any) -> str:
    """Write tables as TOML: top-level keys one a line, everything below inline."""
    return "".join(f"{_string(key)} = {_inline(item)}\n" for key, item in value.items())


def _string(text: str) -> str:
    # JSON leaves one control character as it is that TOML wants escaped.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _inline(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_string(key)} = {_inline(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_inline(item) for item in value) + "]"
    if isinstance(value, str):
        return _string(value)
    return json.dumps(value)


def other(name: str, **parts: Any) -> str:
    """Write another contract with these parts only."""
    return toml({"contract": {"name": name, "format": 1, "summary": "Another one."}, **parts})
