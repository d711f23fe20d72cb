"""What the dashboard shows of the content guard and of the ways that records take."""

from __future__ import annotations

from typing import Any, Final

from discreet.dashboards import names
from discreet.dashboards._grafana.panels import Column, Line, bars, lines, steps, sums
from discreet.dashboards.queries import counted, now, zero_or

__all__ = ["NO_BAD", "OPEN", "guard_row", "of_service", "open_now", "pipeline_row"]

NO_BAD: Final = steps((1, "red"))
"""Colours of a count that should be 0.

.. versionadded:: 0.1.0
"""

OPEN: Final = (
    "Content loggers at DEBUG: their records hold what customers wrote, in every sink that takes content. Set them "
    "back to INFO once you have read what you needed. 'no data': no process says anything, which is not 0."
)
"""What an open content logger means, and what to do.

.. versionadded:: 0.1.0
"""

_WINDOW: Final = "$window"
_STEP: Final = "$__interval"
_SINK: Final = "sink"


def of_service(more: str = "") -> str:
    """Return the labels of the services that are chosen.

    Args:
        more: Which of their series.

    .. versionadded:: 0.1.0
    """
    return ",".join(part for part in (f'{names.SERVICE}=~"$service"', more) if part)


def open_now() -> str:
    """Return the number of content loggers that are open in some process.

    .. versionadded:: 0.1.0
    """
    return f"sum({now(names.CONTENT, of_service(), f'{names.SERVICE},logger', 'max')})"


def guard_row() -> list[tuple[Any, int, int]]:
    """Return the panels of the content guard, each with its width and height.

    .. versionadded:: 0.1.0
    """
    one_each = now(names.CONTENT, of_service(), f"{names.SERVICE},logger", "max")
    content = lines(
        "Open content loggers",
        OPEN,
        [Line(one_each, f"{{{{{names.SERVICE}}}}} {{{{logger}}}}")],
        unit="short",
        whole=True,
    )
    failures = bars(
        "Guard failures",
        "Records that the guard could not seal; all of such a record is withheld. Each is a defect to be reported: "
        "`guard_failed` among the records has its `error_type`.",
        [Line(counted(names.GUARD_FAILURES, of_service(), _STEP, names.SERVICE), f"{{{{{names.SERVICE}}}}}")],
    )
    withheld = bars(
        "Withheld values",
        "Values that were left out of records. `unproven` and `undeclared` are the guard's daily work; a contract "
        "lets a value out that you need. `matched` is a customer's text that was let through and caught: find the "
        "call site by `content_withheld`. `failed` goes with a guard failure.",
        [Line(counted(names.WITHHELD, of_service(), _STEP, "reason,kind"), "{{reason}} {{kind}}")],
    )
    return [(content, 8, 8), (failures, 8, 8), (withheld, 8, 8)]


def pipeline_row() -> list[tuple[Any, int, int]]:
    """Return the panels of sinks, each with its width and height.

    .. versionadded:: 0.1.0
    """
    observed = _records("observed")
    missing = _records("missing")
    pending = now(names.PENDING, of_service(), _SINK)
    # A sink that writes at once has no series of what waits.
    waits = zero_or(pending, observed)
    # One that never missed a record has no series of what is missing.
    lost = zero_or(missing, observed)
    filtered = zero_or(_records("filtered"), observed)
    sinks = sums(
        "Records by sink",
        "Within the window. `eligible` = `observed` + `missing` + `pending`; `total` = `eligible` + `filtered`. "
        "`observed` is acknowledged: written, or taken by the collector. `pending` waits for the answer, now. What is "
        "missing came nowhere by this sink; the graph beside has the reasons.",
        [
            Column(f"{observed} + {lost} + {waits} + {filtered}", "total"),
            Column(f"{observed} + {lost} + {waits}", "eligible"),
            Column(observed, "observed"),
            Column(lost, "missing"),
            Column(waits, "pending"),
            Column(filtered, "filtered"),
        ],
        rows={_SINK: _SINK},
        sort="missing",
    )
    reasons = bars(
        "Missing by reason",
        "Records that reached no sink. `queue_full` and `timeout`: the collector is too slow or away; "
        "`connection_failed`: nobody listens; `refused`, `too_large`, `unauthorized`: it doesn't want them; "
        "`shutdown`: the process had no time; `write_failed`: the disk. 'none' at 0 says that records are counted "
        "and none is missing.",
        [
            Line(
                counted(names.RECORDS, of_service('state="missing"'), _STEP, f"{_SINK},reason"), "{{sink}} {{reason}}"
            ),
            Line(f"0 * {counted(names.RECORDS, of_service(), _STEP)}", "none"),
        ],
    )
    return [(sinks, 12, 8), (reasons, 12, 8)]


def _records(state: str) -> str:
    return counted(names.RECORDS, of_service(f'state="{state}"'), _WINDOW, _SINK)
