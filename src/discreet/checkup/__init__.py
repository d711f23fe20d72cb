"""The doctor: every route that a record, an exception or a printed line can take in this process."""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from importlib import metadata
from typing import Any

from discreet.checkup.report import STATUSES, UNKNOWN, Report, Route, Status
from discreet.export.ledger import LEDGER
from discreet.seal.classes import shown_class

__all__ = ["Report", "Route", "Status", "doctor"]


def doctor(*, allow_partial: bool = False) -> Report:
    """Find every route by which text can leave this process through its logs, and say whether it is guarded.

    A random canary sentence is sent down each route, and caught before anything is written: no handler, stream,
    exporter or hook is called with it, nothing is replaced meanwhile, and no count of the ledger changes. So it can be
    called in a running service, while its other threads log.

    Args:
        allow_partial: whether routes that are partial, or that can't be seen, pass too.

    Returns:
        A report with ``routes``, ``exit_code`` and ``as_dict()``; its ``str()`` is for people.

    .. versionadded:: 0.1.0
    """
    from discreet.checkup.doors import door_routes
    from discreet.checkup.handlers import handler_routes
    from discreet.checkup.hooks import hook_routes
    from discreet.checkup.settings import setting_routes
    from discreet.checkup.spans import span_routes
    from discreet.checkup.tools import tool_routes

    parts = {
        "handlers": handler_routes,
        "hooks on logging": hook_routes,
        "side doors": door_routes,
        "spans": span_routes,
        "other tools": tool_routes,
        "settings": setting_routes,
    }
    found = [route for what, routes in parts.items() for route in _looked(what, routes)]
    order = {status: index for index, status in enumerate(STATUSES)}
    found.sort(key=lambda route: order[route.status])
    return Report(tuple(found), _versions(), datetime.now(UTC), allow_partial)


def _looked(what: str, routes: Callable[[], Iterable[Route]]) -> list[Route]:
    found: list[Route] = []
    try:
        found.extend(routes())
    except Exception as error:  # whatever another tool's objects do: what was found so far is told
        LEDGER.failure("doctor", error)
        found.append(
            Route(
                "tool",
                f"{what}: not all was looked at",
                "cannot see",
                f"Looking at it failed with {shown_class(type(error))}.",
                UNKNOWN,
            )
        )
    return found


def _versions() -> dict[str, Any]:
    from discreet.contract import active, coverage

    try:
        release = metadata.version("discreet")
    except metadata.PackageNotFoundError:
        release = "(not installed)"
    covered = coverage()
    return {
        "python": platform.python_version(),
        "discreet": release,
        "contracts": {one.name: {"format": one.format, "covers": dict(one.covers)} for one in active().contracts},
        "libraries": {one.distribution: one.installed for one in covered if one.installed is not None},
    }
