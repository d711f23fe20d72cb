"""The counts of calls and the shares that follow from them, computed by Prometheus' own tool."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from discreet.dashboards import names
from discreet.dashboards.queries import DEGRADED, ERRORS, Calls, counted, zero_or
from tests.dashboards.promtool import complaints, series, value

pytestmark = [pytest.mark.integration, pytest.mark.servers]

CALLS = Calls('service_name="answers"', "15m")


def process(name: str, **samples: str) -> dict[str, str]:
    """The series of one process: `started`, `active` and outcomes."""
    labels = f'service_name="answers",operation="answer",service_instance_id="{name}"'
    whole = {"started": names.STARTED, "active": names.ACTIVE}
    return {
        f"{whole[key]}{{{labels}}}" if key in whole else f'{names.CALLS}{{{labels},outcome="{key}"}}': values
        for key, values in samples.items()
    }


# Runs all the time; in minute 50 ten calls began and nine ended.
LONG = process(
    "long",
    started="100x49 110x20",
    active="1x49 2x20",
    ok="90x49 94x20",
    degraded="5x49 8x20",
    error="3x49 4x20",
    cancelled="1x49 2x20",
)
# Seen from minute 50 on and killed after minute 54, with two calls running.
KILLED = process(
    "killed",
    started="_x50 5x4",
    active="_x50 2x4",
    ok="_x50 2x4",
    degraded="_x50 0x4",
    error="_x50 1x4",
    cancelled="_x50 0x4",
)
# Killed long before, with ten calls running.
GONE = process("gone", started="50x20", active="10x20", ok="40x20", degraded="0x20", error="0x20", cancelled="0x20")

EXPECTED: list[tuple[str, Callable[[], str], float]] = [
    ("started", CALLS.started, 15),
    ("ok", lambda: CALLS.ended("ok"), 6),
    ("lost", CALLS.lost, 2),
    ("total", CALLS.total, 14),
    ("eligible for degraded", lambda: CALLS.eligible(DEGRADED), 13),
    ("observed for degraded", lambda: CALLS.observed(DEGRADED), 9),
    ("missing for degraded", lambda: CALLS.missing(DEGRADED), 4),
    ("degraded at least", lambda: CALLS.least(DEGRADED), 3 / 13),
    ("degraded", lambda: CALLS.share(DEGRADED), 3 / 9),
    ("degraded at most", lambda: CALLS.most(DEGRADED), 7 / 13),
    ("eligible for errors", lambda: CALLS.eligible(ERRORS), 13),
    ("observed for errors", lambda: CALLS.observed(ERRORS), 11),
    ("missing for errors", lambda: CALLS.missing(ERRORS), 2),
    ("errors at least", lambda: CALLS.least(ERRORS), 2 / 13),
    ("errors", lambda: CALLS.share(ERRORS), 2 / 11),
    ("errors at most", lambda: CALLS.most(ERRORS), 4 / 13),
]


def test_counts_are_exact_with_processes_that_come_and_are_killed(tmp_path: Path) -> None:
    """Whole numbers: the first value of a new series counts, and calls of a killed process are missing, not gone."""
    asked = [value(query(), 60, expected) for _, query, expected in EXPECTED]

    assert (
        complaints(
            tmp_path, [], [{"interval": "1m", "input_series": series(LONG | KILLED | GONE), "promql_expr_test": asked}]
        )
        == ""
    )


def test_four_counts_add_up_and_the_share_lies_within_its_bounds() -> None:
    """What the figures of the test above say of each other."""
    found = {name: expected for name, _, expected in EXPECTED}

    for share in ("degraded", "errors"):
        assert found[f"observed for {share}"] + found[f"missing for {share}"] == found[f"eligible for {share}"]
        assert found[f"{share} at least"] <= found[share] <= found[f"{share} at most"]


def test_no_process_is_no_data_and_a_process_without_calls_is_zero(tmp_path: Path) -> None:
    """Counts of nobody are absent; those of an idle process are 0, and there is no share of no calls."""
    idle = process("idle", started="0x60", active="0x60", ok="0x60", degraded="0x60", error="0x60", cancelled="0x60")
    counts = [CALLS.total(), CALLS.lost(), CALLS.eligible(DEGRADED), CALLS.missing(ERRORS)]
    shares = [
        query for share in (DEGRADED, ERRORS) for query in (CALLS.least(share), CALLS.share(share), CALLS.most(share))
    ]
    with_idle = [*(value(query, 60, 0) for query in counts), *(value(query, 60, None) for query in shares)]
    with_none = [value(query, 60, None) for query in (*counts, *shares)]

    assert (
        complaints(
            tmp_path,
            [],
            [
                {"interval": "1m", "input_series": series(idle), "promql_expr_test": with_idle},
                {"interval": "1m", "input_series": series({"up": "1x60"}), "promql_expr_test": with_none},
            ],
        )
        == ""
    )


def test_a_gap_in_what_prometheus_got_is_no_new_process(tmp_path: Path) -> None:
    """After a gap of twenty minutes only what was counted since counts, not all that there ever was."""
    gap = process("gap", started="100x20 _x20 107x40")

    assert (
        complaints(
            tmp_path,
            [],
            [{"interval": "1m", "input_series": series(gap), "promql_expr_test": [value(CALLS.started(), 45, 7)]}],
        )
        == ""
    )


def test_steps_add_up_to_what_was_counted(tmp_path: Path) -> None:
    """Bars of one minute each hold every call once, those of the first sight of a process too."""
    born = process("born", started="_x3 2 2 5 9 9")
    query = counted(names.STARTED, 'service_name="answers"', "1m")
    asked = [value(query, minute, expected) for minute, expected in ((3, 2), (4, 0), (5, 3), (6, 4), (7, 0))]

    assert complaints(tmp_path, [], [{"interval": "1m", "input_series": series(born), "promql_expr_test": asked}]) == ""


def test_what_never_happened_is_zero_where_something_is_counted(tmp_path: Path) -> None:
    """A sink that never missed a record has no such series, which is 0 and not unknown."""
    sink = {f'{names.RECORDS}{{service_name="answers",sink="json",state="observed"}}': "0+5x60"}
    missing = counted(names.RECORDS, 'state="missing"', "15m")

    assert (
        complaints(
            tmp_path,
            [],
            [
                {
                    "interval": "1m",
                    "input_series": series(sink),
                    "promql_expr_test": [
                        value(missing, 60, None),
                        value(zero_or(missing, counted(names.RECORDS, "", "15m")), 60, 0),
                    ],
                }
            ],
        )
        == ""
    )
