"""A report as a table for people."""

from __future__ import annotations

import textwrap
from typing import Final

from discreet.checkup.report import Report, Route, Status

__all__ = ["printable", "table"]

_COLOURS: Final[dict[Status, str]] = {"open": "31;1", "partial": "33", "cannot see": "35", "guarded": "32"}
_STATUS: Final = 12
_MIN_WIDTH: Final = 60


def table(report: Report, *, width: int = 100, colour: bool = False) -> str:
    """Return a report as lines: a summary first, then a route after the other, the worst first.

    Args:
        report: the report.
        width: characters in a line.
        colour: whether to colour the statuses for a terminal.
    """
    width = max(width, _MIN_WIDTH)
    counts = report.counts
    said = [f"{count} {status}" for status, count in counts.items() if count] or ["no routes"]
    versions = report.versions
    about = (
        f"discreet {versions['discreet']}",
        f"Python {versions['python']}",
        f"configuration {report.configuration[:12]}",
        f"{report.time:%Y-%m-%dT%H:%M:%SZ}",
    )
    lines = [f"{len(report.routes)} routes: {', '.join(said)}", *textwrap.wrap(", ".join(about), width), ""]
    for route in report.routes:
        lines += _lines(route, width, colour=colour)
    return "\n".join(lines)


def _lines(route: Route, width: int, *, colour: bool) -> list[str]:
    status = route.status.ljust(_STATUS)
    if colour:
        status = f"\x1b[{_COLOURS[route.status]}m{status}\x1b[0m"
    room = width - _STATUS
    first, *rest = textwrap.wrap(printable(route.name), room, break_on_hyphens=False) or [""]
    lines = [f"{status}{first}", *(f"{'':{_STATUS}}{line}" for line in rest)]
    if route.status == "guarded":
        return lines
    said = [route.detail]
    if route.came_out:
        said.append(f"A canary came out as {', '.join(route.came_out)}.")
    for text, mark in ((" ".join(filter(None, said)), "  "), (route.remedy or "", "  -> ")):
        indent = f"{'':{_STATUS}}{mark}"
        lines += textwrap.wrap(
            printable(text),
            width,
            initial_indent=indent,
            subsequent_indent=" " * len(indent),
            break_on_hyphens=False,
        )
    return lines


def printable(text: str) -> str:
    """Return a text without what a terminal would obey."""
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text)
