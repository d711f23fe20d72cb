"""Tells the operator which contracts don't fit what is installed."""

from __future__ import annotations

import logging
from collections.abc import Hashable

from discreet.contract.current import active
from discreet.contract.installed import coverage

__all__ = ["report"]

_told: set[Hashable] = set()


def report(*, again: bool = False) -> None:
    """Log a WARNING for each installed release that its contract doesn't cover and for each broken contract.

    Broken ones are those that installed packages offer by an entry point. ``configure()`` does this itself; who sets
    logging up by ``dictConfig`` calls it afterwards. Each finding is told once in a process.

    Args:
        again: whether to tell also what was told before.

    .. versionadded:: 0.1.0
    """
    log = logging.getLogger("discreet")
    for found in coverage():
        if found.installed is None or found.covered or not _is_new(found, again=again):
            continue
        log.warning(
            "An installed release lies outside what its contract covers",
            extra={
                "event": "contract_loaded",
                "contract": found.contract,
                "distribution": found.distribution,
                "version": found.installed,
            },
        )
    for problem in active().problems:
        if _is_new(str(problem), again=again):
            log.warning(
                "The contract of an installed package is not active: discreet contract list says why",
                exc_info=problem,
                extra={"event": "contract_loaded"},
            )


def _is_new(finding: Hashable, *, again: bool) -> bool:
    # Before it is logged: a handler may itself ask for the report.
    if finding in _told and not again:
        return False
    _told.add(finding)
    return True
