"""The records of oloproof's runs.

What they say of a run is what oloproof itself says of it. Its own words stay apart: a decision, about the system under
test; status and completeness, about the run; a refusal, before there was one.
"""

from __future__ import annotations

import asyncio
import builtins
import logging
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

from discreet.contract import active
from discreet.instrument.oloproof_progress import Progress
from discreet.instrument.quiet import never_raises
from discreet.seal.exceptions import describe

__all__ = ["tell_comparison", "tell_evaluation", "tell_failure"]

_log: Final = logging.getLogger("oloproof")

_INCOMPLETE: Final = 5
_USAGE: Final = 2

_PRECEDENCE: Final = ("FAIL", "MANUAL_REVIEW", "INSUFFICIENT_EVIDENCE", "PASS")
"""Of the states of a gate's rules, the one that decides: oloproof_core.models.enums.ExitCode."""

_HTTP: Final = re.compile(r"system returned HTTP ([1-5]\d\d)", re.ASCII)
"""What oloproof_core.adapters.http writes; the status isn't kept elsewhere."""

_TIMEOUT: Final = "HarnessTimeout"
"""The class behind the type `Timeout`, as oloproof_core.execution.runner writes it."""


@never_raises
def tell_evaluation(result: Any, duration_ms: float) -> None:
    """Log what became of an evaluation.

    Args:
        result: What `oloproof.evaluate` returned.
        duration_ms: How long it took, in milliseconds.

    .. versionadded:: 0.1.0
    """
    _tell_run(result, {"run_id": result.run.id}, duration_ms)


@never_raises
def tell_comparison(result: Any, duration_ms: float) -> None:
    """Log what became of a comparison and its two runs.

    Args:
        result: What `oloproof.evaluate_comparison` returned.
        duration_ms: How long it took, in milliseconds.

    .. versionadded:: 0.1.0
    """
    for arm, run in (("candidate", result.candidate), ("baseline", result.baseline)):
        _tell_run(run, {"run_id": run.run.id, "arm": arm}, duration_ms)
    runs = {"run_id": result.candidate.run.id, "baseline_run_id": result.baseline.run.id}
    for difference in result.comparison.differences:
        if difference.scope == "global":
            found = {"event": "difference_measured", **runs, **_measured(difference)}
            _log.info(
                "Difference measured: %d of %d pairs observed, %d missing",
                difference.n_observed,
                difference.n_eligible,
                difference.n_missing,
                extra=found,
            )
    found = {"event": "comparison_finished", **runs, "duration_ms": duration_ms, **_decided(result.comparison.gate)}
    _log.info("Comparison finished", extra=found)


@never_raises
def tell_failure(error: BaseException, progress: Progress, duration_ms: float, *, comparison: bool) -> None:
    """Log what became of a run that has no result.

    Args:
        error: What it raised.
        progress: How far it came.
        duration_ms: How long it took, in milliseconds.
        comparison: Whether it was a comparison.

    .. versionadded:: 0.1.0
    """
    facts = describe(error, None, active())
    ours = any(
        kind.__module__ == "oloproof_core.errors" and kind.__name__ == "ConfigError" for kind in type(error).__mro__
    )
    exit_code = _USAGE if ours else _INCOMPLETE if isinstance(error, Exception) else None
    about: dict[str, Any] = {
        **({} if facts.code is None else {"error_code": facts.code}),
        **({} if exit_code is None else {"exit_code": exit_code}),
    }
    if not progress.begun:
        if ours:
            # A limit has nothing to do with quality, and neither has to do with the system under test.
            refusal = "limit" if facts.code == "quota_exceeded" else "configuration"
            _log.error("Run refused before its first case", extra={"event": "run_refused", "refusal": refusal, **about})
        return
    stopped = (
        not isinstance(error, Exception) or facts.code == "run_stopped" or isinstance(error, asyncio.CancelledError)
    )
    about |= {
        "run_status": progress.status or ("CANCELLED" if stopped else "RUN_ERROR"),
        "completeness": progress.completeness or "PARTIAL",
        "duration_ms": duration_ms,
    }
    if "stop_reason" in facts.attributes:
        about["stop_reason"] = facts.attributes["stop_reason"]
    if comparison:
        for arm in ("candidate", "baseline"):
            _log.info("Run ended without a result", extra={"event": "run_finished", "arm": arm, **about})
        kept = {name: value for name, value in about.items() if name not in ("run_status", "completeness")}
        _log.info("Comparison ended without a result", extra={"event": "comparison_finished", **kept})
        return
    if progress.run_id is not None:
        about["run_id"] = progress.run_id
    if progress.cases is not None:
        counts = {"total": progress.cases, "eligible": progress.cases, "observed": progress.observed}
        about |= {**counts, "missing": progress.cases - progress.observed}
    _log.info("Run ended without a result", extra={"event": "run_finished", **about})


def _tell_run(result: Any, about: dict[str, Any], duration_ms: float) -> None:
    run = result.run
    kinds, counts = _cases(result)
    for kind, count in kinds.items():
        found = {name: value for name, value in kind if value is not None}
        _log.warning(
            "Cases could not be measured: %d", count, extra={"event": "case_errored", **about, **found, "count": count}
        )
    for metric in run.metrics:
        if metric.scope == "global":
            _log.info(
                "Metric measured: %d of %d cases observed, %d missing",
                metric.n_observed,
                metric.n_eligible,
                metric.n_missing,
                extra={
                    "event": "metric_measured",
                    **about,
                    "metric_type": str(metric.type),
                    **_measured(metric),
                },
            )
    _log.info(
        "Run finished: %d of %d cases observed, %d missing",
        counts["observed"],
        counts["eligible"],
        counts["missing"],
        extra={
            "event": "run_finished",
            **about,
            "run_status": str(run.status),
            "completeness": str(run.completeness),
            **_decided(run.gate),
            **counts,
            "duration_ms": duration_ms,
        },
    )


def _decided(gate: Any) -> dict[str, Any]:
    if gate is None:
        return {}
    states = {str(decision.state) for decision in gate.decisions}
    state = next((state for state in _PRECEDENCE if state in states), None)
    return {
        **({} if state is None else {"decision_state": state}),
        "release_action": str(gate.release_action),
        "exit_code": int(gate.exit_code),
    }


def _measured(metric: Any) -> dict[str, Any]:
    interval = metric.interval
    found = {
        "metric": metric.metric,
        "total": metric.n_total,
        "eligible": metric.n_eligible,
        "observed": metric.n_observed,
        "missing": metric.n_missing,
        "estimate": metric.estimate,
        "lower": None if interval is None else interval.lower,
        "upper": None if interval is None else interval.upper,
        "confidence_level": metric.confidence_level,
    }
    return {name: value for name, value in found.items() if value is not None}


Kind = tuple[tuple[str, Any], ...]


def _cases(result: Any) -> tuple[Counter[Kind], dict[str, int]]:
    """Return how many cases had an error of each kind, and the counts of the run's cases.

    As in oloproof's metrics, a case that early stopping left out is missing: its answer isn't known either.
    """
    kinds: Counter[Kind] = Counter()
    total = observed = 0
    for case in result.cases():
        total += 1
        found = set(_errors(case.link, result.evidence)) if case.link is not None else set()
        kinds.update(found)
        if case.link is not None and not found:
            observed += 1
    counts = {"total": total, "eligible": total, "observed": observed, "missing": total - observed}
    early = result.run.early_stopping
    if early is not None and early.stopped:
        counts["not_needed"] = early.cases_not_needed
    return kinds, counts


def _errors(link: Any, evidence: Any) -> Iterator[Kind]:
    # A case may be measured several times.
    for sample in link.samples():
        execution = evidence.executions[sample.execution_id]
        if str(execution.status) != "OK":
            # Its judgments would only repeat that.
            yield (("stage", "execution"), ("execution_status", str(execution.status)), *_error(execution.error))
            continue
        for judgment_id in sample.judgment_ids.values():
            judgment = evidence.judgments[judgment_id]
            if str(judgment.status) == "ERROR":
                yield (("stage", "judgment"), ("judgment_status", "ERROR"), *_error(judgment.error))


def _error(error: Any) -> Kind:
    """Return what may be shown of an error: oloproof keeps the bare name of its class, and its text."""
    if error is None:
        return ()
    name = _TIMEOUT if error.type == "Timeout" else error.type
    for contract in active().contracts:
        for row in contract.exceptions if contract.name == "oloproof" else ():
            if row.class_name.rpartition(".")[2] == name:
                status = _HTTP.fullmatch(error.message) if name == "TransientError" else None
                return (
                    ("error_type", row.class_name),
                    ("error_code", row.code),
                    ("status", None if status is None else int(status[1])),
                )
    kind = vars(builtins).get(name)
    return (("error_type", name),) if isinstance(kind, type) and issubclass(kind, BaseException) else ()
