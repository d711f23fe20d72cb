"""The ledger as tables for people."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from discreet.export.ledger import SHOWN

__all__ = ["calls_table", "table"]

_SITES: Final = 40
_GAP: Final = "  "


def table(counts: Mapping[str, Any]) -> str:
    """Return the tables: sinks, what was withheld by call site, what was shown all the same, what failed.

    Args:
        counts: what :meth:`discreet.Ledger.as_dict` returned.

    .. versionadded:: 0.1.0
    """
    withheld = [row for row in counts["withheld"] if row["kind"] not in SHOWN]
    public = [row for row in counts["withheld"] if row["kind"] == "public"]
    through = [row for row in counts["withheld"] if row["kind"] == "let_through"]
    total = sum(row["count"] for row in withheld)
    parts = [
        _titled("Records by sink", _sinks(counts["sinks"])),
        _titled(f"Withheld: {total:,}", _sites(withheld, ("count", "kind", "reason", "site"))),
        _titled("Declared public", _sites(public, ("count", "site"))),
        _titled("Let through by match mode", _sites(through, ("count", "site"))),
        _titled("Failures of the guard", _rows(counts["failures"], ("count", "error", "where"))),
        _titled(
            "Names that no contract declares",
            [("count", "kind"), *((str(count), kind) for kind, count in counts["undeclared"].items())],
        ),
    ]
    return "\n".join(part for part in parts if part) or "Nothing was counted yet.\n"


def calls_table(counts: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the table of calls: how many of each operation were started, and how they ended.

    Args:
        counts: what ``as_dict()`` of the calls' counts returned.

    .. versionadded:: 0.1.0
    """
    columns = ("started", "ok", "degraded", "error", "cancelled", "active", "missing")
    rows: list[tuple[str, ...]] = [("operation", *columns)]
    rows += [(name, *(f"{found[column]:,}" for column in columns)) for name, found in sorted(counts.items())]
    return _titled("Calls by operation", rows) or "No call was observed yet.\n"


def _titled(title: str, rows: Sequence[Sequence[str]]) -> str:
    """Return rows, of which the first is the head, in columns under a title; nothing if there is only the head."""
    if len(rows) < 2:  # noqa: PLR2004  # the head and one more
        return ""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    numbers = [all(cell.replace(",", "").isdigit() for cell in column[1:]) for column in zip(*rows, strict=True)]
    lines = [title]
    for row in rows:
        cells = [
            cell.rjust(width) if number else cell.ljust(width)
            for cell, width, number in zip(row, widths, numbers, strict=True)
        ]
        lines.append((_GAP + _GAP.join(cells)).rstrip())
    return "\n".join(lines) + "\n"


def _rows(found: Iterable[Mapping[str, Any]], columns: tuple[str, ...]) -> list[tuple[str, ...]]:
    rows = [columns]
    rows += [tuple(f"{row[name]:,}" if name == "count" else str(row[name]) for name in columns) for row in found]
    return rows


def _sites(found: Sequence[Mapping[str, Any]], columns: tuple[str, ...]) -> list[tuple[str, ...]]:
    rows = _rows(found[:_SITES], columns)
    rest = found[_SITES:]
    if rest:
        more = sum(row["count"] for row in rest)
        blank = [""] * (len(columns) - 2)
        rows.append((f"{more:,}", *blank, f"({len(rest)} rows more)"))
    return rows


def _sinks(sinks: Mapping[str, Mapping[str, Any]]) -> list[tuple[str, ...]]:
    columns = ("total", "eligible", "filtered", "observed", "missing")
    rows: list[tuple[str, ...]] = [("sink", *columns, "why missing")]
    for name, counts in sinks.items():
        if counts["total"]:
            why = ", ".join(f"{reason} {count:,}" for reason, count in counts["missing_by_reason"].items())
            rows.append((name, *(f"{counts[column]:,}" for column in columns), why))
    return rows
