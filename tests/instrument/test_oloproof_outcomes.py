"""What becomes of oloproof's runs, each in a lane of its own: whole records and spans, and oloproof's own word."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any, NamedTuple

import oloproof
import pytest
from oloproof.evaluators import evaluator
from oloproof_cli.exit_codes import classify
from oloproof_core.adapters.http import HttpAdapter
from oloproof_core.billing.admission import QuotaExceeded
from oloproof_core.errors import ConfigError, EvidenceIntegrityError
from oloproof_core.execution.retry import RetryPolicy
from oloproof_core.models.budget import Budget
from oloproof_core.models.decision import IntervalThresholdRule, ReleasePolicy

from discreet.contract.source import load_shipped
from discreet.export.ledger import LEDGER
from discreet.instrument.oloproof import OloproofInstrumentor
from tests.calls.seen import Seen
from tests.instrument import whole
from tests.instrument.suite import CANARIES, QUESTION, at_least, close_stores, no_worse, options, server, system
from tests.instrument.told import counts, finished, measured, told

pytestmark = pytest.mark.integration


@pytest.fixture(autouse=True)
def _instrumented(sinks: Seen) -> Iterator[None]:
    OloproofInstrumentor().instrument()
    yield
    OloproofInstrumentor().uninstrument()
    close_stores()
    assert LEDGER.failures == {}
    written = sinks.out.getvalue() + "".join(span.to_json() for span in sinks.exporter.get_finished_spans())
    assert [word for word in CANARIES if word in written] == []


def rule(**more: Any) -> ReleasePolicy:
    about = {"id": "quotes", "metric": "quote_in_answer", "direction": "min", "threshold": 0.8}
    return ReleasePolicy(rules=(IntervalThresholdRule(**about, **more),))


def run(folder: Path, policy: ReleasePolicy | None = None, *, cases: int = 40, right: int = 40, **more: Any) -> Any:
    given = {**options(folder, cases), "policy": policy or at_least(0.8), **more}
    return oloproof.evaluate(**{"system": system(right), **given})


class Decided(NamedTuple):
    """A decision about the system: the run is whole."""

    state: str
    exit_code: int
    act: Callable[[Path], Any]


DECIDED = [
    Decided("PASS", 0, run),
    Decided("FAIL", 1, lambda folder: run(folder, right=10)),
    Decided("INSUFFICIENT_EVIDENCE", 3, lambda folder: run(folder, cases=8)),
    Decided("MANUAL_REVIEW", 4, lambda folder: run(folder, rule(requires_manual_review=True))),
    Decided("PASS", 6, lambda folder: run(folder, at_least(0.8).model_copy(update={"require_approval": True}))),
]


@pytest.mark.parametrize("row", DECIDED, ids=lambda row: f"{row.state}-{row.exit_code}")
def test_a_decision_is_a_result(row: Decided, sinks: Seen, tmp_path: Path) -> None:
    """Whatever it is: the call has done what it should, and its span is no error."""
    result = row.act(tmp_path)
    assert (result.run.gate.exit_code, str(result.decisions[0].state)) == (row.exit_code, row.state)
    assert told(sinks)[:2] == [measured(result), finished(result, row.state)]
    metric = {name: value for name, value in measured(result).items() if name not in {"level", "logger", "message"}}
    inside = whole.inside(metric.pop("event"), "oloproof", "INFO", **metric)
    assert whole.ended(sinks) == [whole.call("oloproof.evaluate", events=[inside])]


def test_a_system_that_returns_http_500_in_13_8_percent_of_calls_has_missing_cases(sinks: Seen, tmp_path: Path) -> None:
    """16 of 116, without retries: the interval takes them in, and nobody calls them wrong answers."""
    with server(dict.fromkeys(range(16), 99)) as (url, statuses):
        result = run(
            tmp_path,
            cases=116,
            system=HttpAdapter(name="harbour", version="1", url=url),
            retry_policy=RetryPolicy(attempts=1),
        )
    assert statuses == {500: 16, 200: 100}
    (metric,) = result.metrics
    assert counts(metric) == {"total": 116, "eligible": 116, "observed": 100, "missing": 16}
    assert (metric.estimate, metric.interval.lower <= 100 / 116, metric.observed_failures) == (1.0, True, 0)
    errored, *others = told(sinks)
    assert (errored["event"], errored["status"], errored["count"]) == ("case_errored", 500, 16)
    assert others[:2] == [measured(result), finished(result, result.decisions[0].state.value)]
    assert (others[2]["outcome"], others[1]["exit_code"]) == ("ok", result.run.gate.exit_code)


def budget(folder: Path) -> None:
    run(folder, budget=Budget(model_calls=7))


def broken_evaluator(folder: Path) -> None:
    @evaluator(criterion="quote_in_answer", version="1")
    def wrong(case: Any) -> str:
        return QUESTION

    run(folder, evaluators=[wrong])


def failing_store(error: Exception) -> Callable[[Path], None]:
    def act(folder: Path) -> None:
        store = options(folder, 4)["store"]

        def put_analysis(record: object) -> None:
            raise error

        store.put_analysis = put_analysis
        run(folder, cases=4, store=store)

    return act


def cancelled(folder: Path) -> None:
    async def main() -> None:
        begun = asyncio.Event()

        @oloproof.system(name="harbour", version="1")
        async def answer(case: dict[str, Any]) -> dict[str, str]:
            begun.set()
            await asyncio.sleep(60)
            return {}

        task = asyncio.create_task(oloproof.aevaluate(system=answer, **options(folder, 3)))
        await begun.wait()
        task.cancel()
        await task

    asyncio.run(main())


def no_dataset(folder: Path) -> None:
    run(folder, dataset=folder / "Brandvold.jsonl")


def without_allowance(folder: Path) -> Any:
    store = options(folder, 4)["store"]

    def refuse() -> None:
        raise QuotaExceeded("Brandvold", managed=True)

    store.transaction = refuse
    return store


def no_allowance(folder: Path) -> None:
    run(folder, store=without_allowance(folder))


class Broken(NamedTuple):
    """Something else than a decision, with what oloproof calls it."""

    lane: str
    act: Callable[[Path], None]
    code: str | None
    error_class: str | None
    run_status: str | None = None
    facts: dict[str, Any] = {}
    cause: str = ""
    outcome: str = "error"


BUDGET = {"stop_reason": "budget_exhausted"}
SETTING = ("configuration_error", "configuration")
BROKEN = [
    Broken("run", budget, "run_stopped", "internal", "CANCELLED", BUDGET),
    Broken("run", broken_evaluator, "evaluator_contract_error", "configuration", "RUN_ERROR"),
    Broken(
        "run",
        failing_store(EvidenceIntegrityError(QUESTION)),
        "evidence_integrity_error",
        "internal",
        "RUN_ERROR",
    ),
    Broken("run", failing_store(sqlite3.OperationalError(QUESTION)), None, None, "RUN_ERROR"),
    Broken("run", cancelled, None, None, "CANCELLED", outcome="cancelled"),
    Broken("configuration", no_dataset, *SETTING, cause="FileNotFoundError"),
    Broken("limit", no_allowance, "quota_exceeded", "configuration"),
]


@pytest.mark.parametrize("row", BROKEN, ids=lambda row: f"{row.lane}-{row.code}-{row.act.__name__}")
def test_what_is_no_decision_has_none(row: Broken, sinks: Seen, tmp_path: Path) -> None:
    """Its exit code is the one that oloproof gives; a refusal says which kind it is, and a run how far it came."""
    with pytest.raises(BaseException) as caught:  # whatever it is
        row.act(tmp_path)
    error = caught.value
    code = int(classify(error)[0]) if isinstance(error, Exception) else None
    coded = {} if row.code is None else {"error_code": row.code, "error_class": row.error_class}
    exit_code = {} if code is None else {"exit_code": code}
    record, *_ = [line for line in told(sinks) if line["logger"] == "oloproof"]
    if row.run_status is None:
        expected = {"level": "ERROR", "event": "run_refused", "refusal": row.lane}
        expected["message"] = "Run refused before its first case"
    else:
        missing = record["missing"]
        assert record.pop("run_id").startswith("run_")
        assert record.pop("observed") + missing == record.pop("eligible") == record.pop("total")
        expected = {"level": "INFO", "event": "run_finished", "missing": missing}
        expected |= {"message": "Run ended without a result", "run_status": row.run_status, "completeness": "PARTIAL"}
    assert record == {"logger": "oloproof", **expected, **coded, **exit_code, **row.facts}

    kind = f"{type(error).__module__}.{type(error).__name__}"
    facts = {
        **coded,
        "exception_type": kind,
        **({} if row.code is None else {"exception_code": row.code}),
        **({"exception_chain": f"{kind} < {row.cause}"} if row.cause else {}),
        **row.facts,
    }
    if row.code is not None:
        facts["retryable"] = False
    refused = whole.inside("run_refused", "oloproof", "ERROR", refusal=row.lane, **coded, **exit_code)
    inside = [] if row.run_status else [refused]
    assert whole.ended(sinks) == [whole.call("oloproof.evaluate", row.outcome, events=inside, **facts)]


@pytest.mark.parametrize("row", [row for row in BROKEN if row.run_status is None], ids=lambda row: row.lane)
def test_a_comparison_is_refused_in_the_same_lanes(row: Broken, sinks: Seen, tmp_path: Path) -> None:
    """There is one refusal, and no run of either system."""
    given = options(tmp_path, 4)
    if row.lane == "limit":
        given["store"] = without_allowance(tmp_path)
    else:
        given["dataset"] = tmp_path / "Brandvold.jsonl"
    with pytest.raises(ConfigError):
        oloproof.evaluate_comparison(
            candidate_system=system(4, "candidate"),
            baseline_system=system(4, "baseline"),
            policy=no_worse(0.2),
            **given,
        )
    refused, ended = told(sinks)
    assert (refused["event"], refused["refusal"], refused["exit_code"]) == ("run_refused", row.lane, 2)
    assert (ended["operation"], ended["outcome"]) == ("oloproof.evaluate_comparison", "error")
    assert (refused["error_code"], ended["error_code"]) == (row.code, row.code)


def test_no_failure_of_the_system_shares_an_outcome_with_one_of_the_infrastructure(sinks: Seen, tmp_path: Path) -> None:
    """Neither in a record nor in a metric: whoever counts one of them counts none of the others."""
    lanes: dict[str, list[dict[str, Any]]] = {}
    acts = [("decision", DECIDED[1].act), *((row.lane, row.act) for row in BROKEN if row.act is not cancelled)]
    for number, (lane, act) in enumerate(acts):
        begun = len(told(sinks))
        (folder := tmp_path / str(number)).mkdir()
        with nullcontext() if lane == "decision" else pytest.raises(Exception):  # any of them
            act(folder)
        lanes.setdefault(lane, []).extend(told(sinks)[begun:])
    names = ("decision_state", "release_action", "run_status", "refusal", "exit_code", "outcome")
    seen = {lane: {name: {one[name] for one in rows if name in one} for name in names} for lane, rows in lanes.items()}
    assert seen == {
        "decision": {
            "decision_state": {"FAIL"},
            "release_action": {"BLOCK"},
            "run_status": {"DECIDED"},
            "refusal": set(),
            "exit_code": {1},
            "outcome": {"ok"},
        },
        "run": {
            "decision_state": set(),
            "release_action": set(),
            "run_status": {"CANCELLED", "RUN_ERROR"},
            "refusal": set(),
            "exit_code": {2, 5},
            "outcome": {"error"},
        },
        "configuration": {
            "decision_state": set(),
            "release_action": set(),
            "run_status": set(),
            "refusal": {"configuration"},
            "exit_code": {2},
            "outcome": {"error"},
        },
        "limit": {
            "decision_state": set(),
            "release_action": set(),
            "run_status": set(),
            "refusal": {"limit"},
            "exit_code": {2},
            "outcome": {"error"},
        },
    }
    assert sinks.points("discreet.calls") == {
        ("oloproof.evaluate", "error"): len([row for row in BROKEN if row.act is not cancelled]),
        ("oloproof.evaluate", "ok"): 1,
    }


def test_each_state_of_a_decision_and_of_a_run_that_ended_is_seen_here() -> None:
    """The contract says which there are; the other ones are of runs that go on, and of one that was decided early."""
    attributes = load_shipped("oloproof").attributes
    states, statuses = (dict(attributes[name].options)["values"] for name in ("decision_state", "run_status"))
    assert {row.state for row in DECIDED} == set(states)
    going_on = {"CREATED", "VALIDATING", "RUNNING", "EVALUATING", "ANALYZING"}
    assert {"DECIDED", *(row.run_status for row in BROKEN if row.run_status)} == {*statuses} - going_on - {
        "DECIDED_EARLY"
    }
