"""What the dashboard shows of calls and of their codes."""

from __future__ import annotations

from typing import Any, Final

from discreet.dashboards import names
from discreet.dashboards._grafana.guard import NO_BAD, OPEN, of_service, open_now
from discreet.dashboards._grafana.panels import Column, Line, bands, bars, large, lines, steps, sums
from discreet.dashboards.alerts import DEGRADED_SHARE
from discreet.dashboards.queries import DEGRADED, ERRORS, Calls, Share, counted, zero_or

__all__ = ["calls_row", "codes_row", "first_rows"]

_CHOSEN: Final = f'{names.SERVICE}=~"$service",operation=~"$operation"'
_WINDOW: Final = "$window"
_COLOURS: Final = {"ok": "green", "degraded": "yellow", "error": "red", "cancelled": "blue"}
_NO_CALLS: Final = "no calls"
_OF_CALLS: Final = Calls(_CHOSEN, _WINDOW)
_HALF: Final = 12
_UNMEASURED: Final = (
    "Calls that began, never ended and don't run any more: their process was killed. Nothing is known of their "
    "results, so they are in no share; the bands show what they could change. Look why processes end: memory, "
    "time-outs of the server, deployments without a grace period."
)


def first_rows() -> list[tuple[Any, int, int]]:
    """Return the numbers that say whether all is well, each with its width and height.

    .. versionadded:: 0.1.0
    """
    guard = f"sum({counted(names.GUARD_FAILURES, of_service(), _WINDOW)})"
    missing = zero_or(
        counted(names.RECORDS, of_service('state="missing"'), _WINDOW), counted(names.RECORDS, of_service(), _WINDOW)
    )
    total = large(
        "Calls",
        "Calls that came to their end within the window, in whatever way, and those that never will. 'no data': no "
        "process that observes calls was there, which is not 0 calls.",
        [Line(_OF_CALLS.total(), "calls")],
        unit="short",
        colours=steps(base="text"),
    )
    degraded = large(
        "Degraded",
        "The share of results that are correct and came with warnings, such as a quote that was dropped, among "
        "calls with a result, between its bounds. The warning codes say why.",
        _bounded(DEGRADED),
        unit="percentunit",
        colours=steps((0.05, "yellow"), (DEGRADED_SHARE, "orange")),
        nothing=_NO_CALLS,
    )
    errors = large(
        "Errors",
        "The share of calls that raised, between its bounds: no result, which is not a bad result. Cancelled calls "
        "are left out. The table of error codes says why and who can do something.",
        _bounded(ERRORS),
        unit="percentunit",
        colours=steps((0.01, "yellow"), (0.05, "red")),
        nothing=_NO_CALLS,
    )
    lost = large(
        "Unmeasured", _UNMEASURED, [Line(_OF_CALLS.lost(), "calls")], unit="short", colours=steps((1, "purple"))
    )
    p95 = large(
        "p95",
        "95 % of the calls that ended within the window took at most this long. Cancelled calls are left out.",
        [Line(_percentile(0.95, ""), "p95")],
        unit="s",
        colours=steps(base="text"),
        nothing=_NO_CALLS,
    )
    content = large("Content open", OPEN, [Line(open_now(), "loggers")], unit="short", colours=NO_BAD)
    failures = large(
        "Guard failures",
        "Records that the guard could not seal within the window. Nothing of them went out but their names. Each "
        "is a defect: find `guard_failed` among the records, its `error_type` says where, and report it.",
        [Line(guard, "records")],
        unit="short",
        colours=NO_BAD,
    )
    gone = large(
        "Records missing",
        "Records that reached no sink within the window, over all sinks. The row Pipeline has their reasons.",
        [Line(missing, "records")],
        unit="short",
        colours=steps((1, "orange")),
    )
    above = [(total, 4, 4), (degraded, 8, 4), (errors, 8, 4), (lost, 4, 4)]
    return [*above, (p95, 6, 3), (content, 6, 3), (failures, 6, 3), (gone, 6, 3)]


def calls_row() -> list[tuple[Any, int, int]]:
    """Return the panels of calls, each with its width and height.

    .. versionadded:: 0.1.0
    """
    by_outcome = counted(names.CALLS, _CHOSEN, "$__interval", "outcome")
    outcomes = bars(
        "Calls by outcome",
        "Calls by what they came to, when they ended. `ok`: a result; `degraded`: a correct result with warnings; "
        "`error`: it raised, and there is no result; `cancelled`: the caller left. Calls that never ended are in "
        "'Unmeasured calls'.",
        [Line(_only(by_outcome, outcome), outcome, colour) for outcome, colour in _COLOURS.items()],
    )
    latency = lines(
        "Latency",
        "How long calls took, by operation: half of them at most p50, 95 % at most p95, within the window. Dots are "
        "single calls; follow one to its trace. Cancelled calls are left out.",
        [Line(_percentile(at, "operation"), f"{{{{operation}}}} p{round(at * 100)}") for at in (0.5, 0.95)],
        unit="s",
        exemplars=True,
    )
    unmeasured = lines(
        "Unmeasured calls",
        _UNMEASURED,
        [Line(Calls(_CHOSEN, _WINDOW, "operation").lost(), "{{operation}}")],
        unit="short",
        whole=True,
    )
    degraded = _band(
        "Degraded share",
        "The line: degraded results among calls with a result. The band: what the share can be if calls without a "
        "result, by an error or because they never ended, would have been degraded, from none of them to all. A "
        "band that widens says that the line stands on fewer calls. Dashed: an alert is given once the whole band "
        "is above. Look at the warning codes.",
        DEGRADED,
        "yellow",
        DEGRADED_SHARE,
    )
    errors = _band(
        "Error share",
        "The line: calls that raised among those that ended, without the cancelled ones. The band: what the share "
        "can be if calls that never ended would have raised, from none of them to all. Look at the error codes.",
        ERRORS,
        "red",
    )
    return [(outcomes, _HALF, 8), (latency, _HALF, 8), (degraded, 8, 8), (errors, 8, 8), (unmeasured, 8, 8), _counts()]


def codes_row() -> list[tuple[Any, int, int]]:
    """Return the tables of codes, each with its width and height.

    .. versionadded:: 0.1.0
    """
    both = (
        "Rates come from calls. Records tell of calls that nobody observes too, and one call may log several; a "
        "declared code that never came has 0. The row at the end says what each means."
    )
    warnings = sums(
        "Warning codes",
        f"Why results were degraded, within the window. {both}",
        [
            Column(counted(names.CALL_WARNINGS, _CHOSEN, _WINDOW, "warning_code"), "calls"),
            Column(counted(names.EVENTS, of_service('warning_code!=""'), _WINDOW, "warning_code"), "records"),
        ],
        rows={"warning_code": "warning code"},
        sort="records",
    )
    by = "error_code,error_class"
    errors = sums(
        "Error codes",
        f"Why calls raised, within the window, and who can do something: `input` the caller, `configuration` the "
        f"operator, `upstream` a service, `internal` the authors. {both}",
        [
            Column(counted(names.CALL_ERRORS, _CHOSEN, _WINDOW, by), "calls"),
            Column(counted(names.EVENTS, of_service('error_code!=""'), _WINDOW, by), "records"),
        ],
        rows={"error_code": "error code", "error_class": "class"},
        sort="records",
    )
    return [(warnings, _HALF, 9), (errors, _HALF, 9)]


def _counts() -> tuple[Any, int, int]:
    panel = sums(
        "The counts behind the shares",
        "Within the window. `total` = `eligible` + cancelled; `eligible` = `observed` + `missing`. A result can only "
        "be seen to be degraded if there is one; an error needs no result. With `missing` above a tenth of "
        "`eligible`, trust the bounds and not the share.",
        [
            Column(_rows(lambda _: _OF_CALLS.total()), "total"),
            Column(_rows(_OF_CALLS.eligible), "eligible"),
            Column(_rows(_OF_CALLS.observed), "observed"),
            Column(_rows(_OF_CALLS.missing), "missing"),
            Column(_rows(_OF_CALLS.least), "at least", "percentunit"),
            Column(_rows(_OF_CALLS.share), "share", "percentunit"),
            Column(_rows(_OF_CALLS.most), "at most", "percentunit"),
        ],
        rows={"share": "share of"},
    )
    return panel, 24, 5


def _rows(query: Any) -> str:
    return " or ".join(
        f'label_replace({query(share)}, "share", "{share.outcome}", "", "")' for share in (DEGRADED, ERRORS)
    )


def _band(title: str, description: str, share: Share, colour: str, alert: float | None = None) -> Any:
    calls = _OF_CALLS
    return bands(
        title, description, calls.least(share), calls.share(share), calls.most(share), colour=colour, alert=alert
    )


def _bounded(share: Share) -> list[Line]:
    of = _OF_CALLS
    return [Line(of.least(share), "at least"), Line(of.share(share), "share"), Line(of.most(share), "at most")]


def _only(query: str, outcome: str) -> str:
    return query.replace(_CHOSEN, f'{_CHOSEN},outcome="{outcome}"')


def _percentile(at: float, by: str) -> str:
    labels = f'{_CHOSEN},outcome!="cancelled"'
    buckets = counted(f"{names.DURATION}_bucket", labels, _WINDOW, f"le,{by}".rstrip(","))
    count = counted(f"{names.DURATION}_count", labels, _WINDOW, by)
    # Without calls it would be no number, and not nothing.
    return f"histogram_quantile({at}, {buckets}) and on({by}) ({count} > 0)"
