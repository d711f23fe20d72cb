"""oloproof's comparisons: two runs and one decision, compared with what oloproof itself reports."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import oloproof
import pytest
from oloproof_core.execution.stop import RunStopped
from oloproof_core.models.budget import Budget

from discreet.export.ledger import LEDGER
from discreet.instrument.oloproof import OloproofInstrumentor
from tests.calls.seen import Seen
from tests.instrument.suite import CANARIES, close_stores, no_worse, options, system
from tests.instrument.told import STOPPED, STOPPED_CALL, call, counts, finished, measured, told

pytestmark = pytest.mark.integration


@pytest.fixture(autouse=True)
def _instrumented(sinks: Seen) -> Iterator[None]:
    OloproofInstrumentor().instrument()
    yield
    if OloproofInstrumentor().is_instrumented_by_opentelemetry:
        OloproofInstrumentor().uninstrument()
    close_stores()
    assert LEDGER.failures == {}
    assert [word for word in CANARIES if word in sinks.out.getvalue()] == []


def compare(folder: Path, **more: Any) -> Any:
    return oloproof.evaluate_comparison(
        candidate_system=system(40, "candidate"),
        baseline_system=system(38, "baseline"),
        policy=no_worse(0.2),
        **options(folder, 40),
        **more,
    )


def test_a_comparison_has_two_runs_and_one_decision(sinks: Seen, tmp_path: Path) -> None:
    """And the interval of each difference."""
    result = compare(tmp_path)
    (difference,) = result.comparison.differences
    runs = {"run_id": result.candidate.run.id, "baseline_run_id": result.baseline.run.id}
    assert told(sinks) == [
        measured(result.candidate, arm="candidate"),
        finished(result.candidate, arm="candidate"),
        measured(result.baseline, arm="baseline"),
        finished(result.baseline, arm="baseline"),
        {
            "level": "INFO",
            "logger": "oloproof",
            "message": "Difference measured: 40 of 40 pairs observed, 0 missing",
            "event": "difference_measured",
            **runs,
            "metric": "quote_in_answer",
            **counts(difference),
            "estimate": pytest.approx(difference.estimate),
            "lower": pytest.approx(difference.interval.lower),
            "upper": pytest.approx(difference.interval.upper),
            "confidence_level": 0.95,
        },
        {
            "level": "INFO",
            "logger": "oloproof",
            "message": "Comparison finished",
            "event": "comparison_finished",
            **runs,
            "decision_state": result.comparison.gate.decisions[0].state.value,
            "release_action": result.comparison.gate.release_action.value,
            "exit_code": result.comparison.gate.exit_code,
        },
        call("oloproof.evaluate_comparison"),
    ]


def test_a_comparison_that_its_budget_stops_decides_nothing(sinks: Seen, tmp_path: Path) -> None:
    """Both runs were cancelled."""
    with pytest.raises(RunStopped):
        compare(tmp_path, budget=Budget(model_calls=7))
    run = {
        "level": "INFO",
        "logger": "oloproof",
        "message": "Run ended without a result",
        "event": "run_finished",
        "run_status": "CANCELLED",
        "completeness": "PARTIAL",
        "exit_code": 5,
        **STOPPED,
    }
    assert told(sinks) == [
        {**run, "arm": "candidate"},
        {**run, "arm": "baseline"},
        {
            "level": "INFO",
            "logger": "oloproof",
            "message": "Comparison ended without a result",
            "event": "comparison_finished",
            "exit_code": 5,
            **STOPPED,
        },
        call("oloproof.evaluate_comparison", outcome="error", **STOPPED_CALL),
    ]


def test_a_comparison_may_be_awaited(sinks: Seen, tmp_path: Path) -> None:
    """It is told of as the other is."""
    result = asyncio.run(
        oloproof.aevaluate_comparison(
            candidate_system=system(40, "candidate"),
            baseline_system=system(10, "baseline"),
            policy=no_worse(0.2),
            **options(tmp_path, 40),
        )
    )
    found = told(sinks)
    assert [one["event"] for one in found] == [
        *("metric_measured", "run_finished") * 2,
        "difference_measured",
        "comparison_finished",
        "call_finished",
    ]
    assert found[-2]["decision_state"] == result.comparison.gate.decisions[0].state.value
    assert found[-1]["outcome"] == "ok"


def test_a_comparison_may_be_stopped_by_the_application(sinks: Seen, tmp_path: Path) -> None:
    """Its own check is asked as before."""
    asked: list[int] = []

    def stop() -> str | None:
        asked.append(1)
        return "timed_out" if len(asked) > 3 else None

    with pytest.raises(RunStopped):
        compare(tmp_path, stop=stop)
    assert [one.get("stop_reason") for one in told(sinks)] == ["timed_out"] * 4
