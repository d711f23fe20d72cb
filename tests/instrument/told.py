"""The records that tell of oloproof's runs: those that came, and those that it says there should be."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.calls.seen import CHANGING, Seen


def told(sinks: Seen) -> list[dict[str, Any]]:
    """The records of oloproof's logger, and of calls, without times."""
    lines = [json.loads(line) for line in sinks.out.getvalue().splitlines()]
    found = [line for line in lines if line["logger"] == "oloproof" or line.get("event") == "call_finished"]
    for line in found:
        for name in (*CHANGING, "exception_frames"):
            line.pop(name, None)
        assert line.pop("duration_ms", 0) >= 0
        if line["event"] == "call_finished":
            line["message"] = line["message"].partition(",")[0]
    return found


def counts(metric: Any) -> dict[str, int]:
    return {
        "total": metric.n_total,
        "eligible": metric.n_eligible,
        "observed": metric.n_observed,
        "missing": metric.n_missing,
    }


def measured(result: Any, **more: Any) -> dict[str, Any]:
    """The record of an evaluation's metric, from what oloproof says of it."""
    (metric,) = result.metrics
    seen = f"{metric.n_observed} of {metric.n_eligible}"
    return {
        "level": "INFO",
        "logger": "oloproof",
        "message": f"Metric measured: {seen} cases observed, {metric.n_missing} missing",
        "event": "metric_measured",
        "run_id": result.run.id,
        **more,
        "metric": metric.metric,
        "metric_type": "BINARY_RATE",
        **counts(metric),
        "estimate": pytest.approx(metric.estimate),
        "lower": pytest.approx(metric.interval.lower),
        "upper": pytest.approx(metric.interval.upper),
        "confidence_level": 0.95,
    }


def finished(result: Any, state: str | None = None, **more: Any) -> dict[str, Any]:
    """The record of an evaluation's run."""
    (metric,) = result.metrics
    gate = result.run.gate
    seen = f"{metric.n_observed} of {metric.n_eligible}"
    return {
        "level": "INFO",
        "logger": "oloproof",
        "message": f"Run finished: {seen} cases observed, {metric.n_missing} missing",
        "event": "run_finished",
        "run_id": result.run.id,
        **more,
        "run_status": result.run.status.value,
        "completeness": result.run.completeness.value,
        **({} if gate is None else {"release_action": gate.release_action.value, "exit_code": gate.exit_code}),
        **({} if state is None else {"decision_state": state}),
        **counts(metric),
    }


def call(operation: str = "oloproof.evaluate", outcome: str = "ok", **more: Any) -> dict[str, Any]:
    return {
        "level": "INFO",
        "logger": "discreet",
        "message": f"{operation}: {outcome}",
        "event": "call_finished",
        "operation": operation,
        "outcome": outcome,
        **more,
    }


STOPPED = {"error_code": "run_stopped", "error_class": "internal", "stop_reason": "budget_exhausted"}
STOPPED_CALL = {
    **STOPPED,
    "retryable": False,
    "exception_type": "oloproof_core.execution.stop.RunStopped",
    "exception_code": "run_stopped",
}
