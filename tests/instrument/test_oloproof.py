"""oloproof's runs: whole records and spans, compared with what oloproof itself reports."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import oloproof
import pytest
from oloproof.evaluators import evaluator
from oloproof_core.adapters.http import HttpAdapter
from oloproof_core.billing.admission import QuotaExceeded
from oloproof_core.errors import ConfigError
from oloproof_core.execution.events import ListSink
from oloproof_core.execution.retry import RetryPolicy
from oloproof_core.execution.stop import RunStopped
from oloproof_core.models.budget import Budget
from opentelemetry.trace import StatusCode

import discreet
from discreet.call_counts import CALLS
from discreet.export.ledger import LEDGER
from discreet.instrument.oloproof import OloproofInstrumentor
from tests.calls.seen import Seen
from tests.instrument.suite import CANARIES, QUESTION, at_least, close_stores, options, server, system
from tests.instrument.told import STOPPED, STOPPED_CALL, call, counts, finished, measured, told

pytestmark = pytest.mark.integration

FUNCTIONS = ("evaluate", "aevaluate", "evaluate_comparison", "aevaluate_comparison")


@pytest.fixture(autouse=True)
def _instrumented(sinks: Seen) -> Iterator[None]:
    OloproofInstrumentor().instrument()
    yield
    if OloproofInstrumentor().is_instrumented_by_opentelemetry:
        OloproofInstrumentor().uninstrument()
    close_stores()
    assert LEDGER.failures == {}
    assert [word for word in CANARIES if word in sinks.out.getvalue()] == []


REFUSED = {
    "level": "ERROR",
    "logger": "oloproof",
    "message": "Run refused before its first case",
    "event": "run_refused",
    "exit_code": 2,
}


@pytest.mark.parametrize(("right", "state", "exit_code"), [(40, "PASS", 0), (10, "FAIL", 1)])
def test_a_decision_is_a_result_about_the_system(
    right: int, state: str, exit_code: int, sinks: Seen, tmp_path: Path
) -> None:
    """The run is complete either way, and so is the call: a system that fails a gate is no error."""
    result = oloproof.evaluate(system=system(right), policy=at_least(0.8), **options(tmp_path, 40))
    assert (result.run.gate.exit_code, str(result.decisions[0].state)) == (exit_code, state)
    assert told(sinks) == [measured(result), finished(result, state), call()]
    (span,) = [span for span in sinks.spans() if span.name == "oloproof.evaluate"]
    assert (span.attributes or {})["outcome"] == "ok"
    assert span.status.status_code == StatusCode.UNSET


def test_what_could_not_be_measured_is_missing_and_not_failed(sinks: Seen, tmp_path: Path) -> None:
    """HTTP 500 in 16 of 116 calls, 13.8 %: 4 cases were right at a second attempt, 3 failed in each of four."""
    failing = {0: 99, 1: 99, 2: 99, 3: 1, 4: 1, 5: 1, 6: 1}
    with server(failing) as (url, statuses):
        result = oloproof.evaluate(
            system=HttpAdapter(name="harbour", version="1", url=url),
            policy=at_least(0.8),
            retry_policy=RetryPolicy(base_delay=0),
            **options(tmp_path, 103),
        )
    assert (statuses, round(100 * statuses[500] / statuses.total(), 1)) == ({500: 16, 200: 100}, 13.8)
    assert counts(result.metrics[0]) == {"total": 103, "eligible": 103, "observed": 100, "missing": 3}
    assert (result.metrics[0].estimate, result.metrics[0].interval.lower < 100 / 103) == (1.0, True)
    assert told(sinks) == [
        {
            "level": "WARNING",
            "logger": "oloproof",
            "message": "Cases could not be measured: 3",
            "event": "case_errored",
            "error_code": "transient_error",
            "error_class": "upstream",
            "run_id": result.run.id,
            "stage": "execution",
            "execution_status": "ERROR",
            "error_type": "oloproof_core.execution.retry.TransientError",
            "status": 500,
            "count": 3,
        },
        measured(result),
        finished(result, "PASS"),
        call(retries=13),
    ]


def test_a_run_that_its_budget_stops_is_incomplete(sinks: Seen, tmp_path: Path) -> None:
    """It has no decision; what it has observed is counted, and the application's own sink of events has all of it."""
    events = ListSink()
    with pytest.raises(RunStopped):
        oloproof.evaluate(
            system=system(10),
            policy=at_least(0.8),
            budget=Budget(model_calls=7),
            event_sink=events,
            **options(tmp_path, 40),
        )
    last: Any = events.events[-1]
    assert (last.type, last.status.value, last.completeness.value) == ("run_finished", "CANCELLED", "PARTIAL")
    executed = [event for event in events.events if event.type == "case_executed"]
    assert told(sinks) == [
        {
            "level": "INFO",
            "logger": "oloproof",
            "message": "Run ended without a result",
            "event": "run_finished",
            "run_id": last.run_id,
            "run_status": "CANCELLED",
            "completeness": "PARTIAL",
            "exit_code": 5,
            **STOPPED,
            "total": 40,
            "eligible": 40,
            "observed": len(executed),
            "missing": 40 - len(executed),
        },
        call(outcome="error", **STOPPED_CALL),
    ]


def test_a_run_that_ends_in_an_error_is_no_verdict(sinks: Seen, tmp_path: Path) -> None:
    """An evaluator that breaks its contract: exit code 2, and a run that was RUN_ERROR, not FAIL."""

    @evaluator(criterion="quote_in_answer", version="1")
    def wrong(case: Any) -> str:
        return QUESTION

    with pytest.raises(ConfigError):
        oloproof.evaluate(system=system(40), policy=at_least(0.8), **{**options(tmp_path, 4), "evaluators": [wrong]})
    run, ended = told(sinks)
    assert (run["event"], run["run_status"], run["completeness"], run["exit_code"]) == (
        "run_finished",
        "RUN_ERROR",
        "PARTIAL",
        2,
    )
    assert (run["error_code"], ended["error_code"]) == ("evaluator_contract_error", "evaluator_contract_error")
    assert "decision_state" not in run


def test_a_wrong_configuration_refuses_the_run(sinks: Seen, tmp_path: Path) -> None:
    """Nothing ran, so there is no run to tell of."""
    given = {**options(tmp_path, 4), "dataset": tmp_path / "Brandvold.jsonl"}
    with pytest.raises(ConfigError):
        oloproof.evaluate(system=system(4), **given)
    error = {"error_code": "configuration_error", "error_class": "configuration"}
    assert told(sinks) == [
        {**REFUSED, **error, "refusal": "configuration"},
        call(
            outcome="error",
            **error,
            retryable=False,
            exception_type="oloproof_core.errors.ConfigError",
            exception_code="configuration_error",
            exception_chain="oloproof_core.errors.ConfigError < FileNotFoundError",
        ),
    ]


def test_a_limit_refuses_the_run_in_a_lane_of_its_own(sinks: Seen, tmp_path: Path) -> None:
    """An allowance that is used up is neither a mistake nor a verdict."""
    given = options(tmp_path, 4)

    def refuse() -> None:
        raise QuotaExceeded("Brandvold", managed=True)

    given["store"].transaction = refuse
    with pytest.raises(QuotaExceeded):
        oloproof.evaluate(system=system(4), **given)
    refused, _ = told(sinks)
    assert refused == {
        **REFUSED,
        "error_code": "quota_exceeded",
        "error_class": "configuration",
        "refusal": "limit",
    }


def test_cases_that_early_stopping_left_out_are_missing_too(sinks: Seen, tmp_path: Path) -> None:
    """As in the metric: their answers aren't known either. The run says how many it didn't need."""
    policy = at_least(0.5).model_copy(update={"early_stopping": True, "early_stopping_seed": 1})
    result = oloproof.evaluate(system=system(200), policy=policy, **options(tmp_path, 200))
    left_out = result.run.early_stopping.cases_not_needed
    assert (result.run.status, result.metrics[0].n_missing == left_out > 0) == ("DECIDED_EARLY", True)
    assert told(sinks) == [measured(result), finished(result, "PASS", not_needed=left_out), call()]


def test_a_case_that_is_measured_several_times_has_to_succeed_each_time(sinks: Seen, tmp_path: Path) -> None:
    """As in the metric."""
    times: Counter[int] = Counter()

    @oloproof.system(name="harbour", version="1")
    def answer(case: dict[str, Any]) -> dict[str, str]:
        times[case["case"]] += 1
        if (case["case"], times[case["case"]]) == (0, 2):
            raise KeyError(QUESTION)
        return {"answer": f"Brandvold {case['case']}."}

    result = oloproof.evaluate(system=answer, replicates=3, **options(tmp_path, 5))
    assert result.metrics[0].n_missing == 1
    errored, *others = told(sinks)
    assert (errored["event"], errored["count"]) == ("case_errored", 1)
    assert others == [measured(result), finished(result), call()]


def test_a_run_that_is_cancelled_has_no_exit_code(sinks: Seen, tmp_path: Path) -> None:
    """Nobody waits for it any longer; what it had observed is told."""

    async def main() -> None:
        begun = asyncio.Event()

        @oloproof.system(name="harbour", version="1")
        async def answer(case: dict[str, Any]) -> dict[str, str]:
            begun.set()
            await asyncio.sleep(60)
            return {}

        task = asyncio.create_task(oloproof.aevaluate(system=answer, **options(tmp_path, 3)))
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    run, ended = told(sinks)
    assert ended["outcome"] == "cancelled"
    run.pop("run_id")
    assert run == {
        "level": "INFO",
        "logger": "oloproof",
        "message": "Run ended without a result",
        "event": "run_finished",
        "run_status": "CANCELLED",
        "completeness": "PARTIAL",
        "total": 3,
        "eligible": 3,
        "observed": 0,
        "missing": 3,
    }


@pytest.mark.filterwarnings("ignore:unclosed database:ResourceWarning")  # of oloproof's own thread
@pytest.mark.parametrize("in_a_loop", [True, False])
def test_spans_of_the_system_are_inside_that_of_the_call(in_a_loop: bool, sinks: Seen, tmp_path: Path) -> None:
    """Also where oloproof takes a thread of its own, because a loop runs in this one."""

    @oloproof.system(name="harbour", version="1")
    def answer(case: dict[str, Any]) -> dict[str, str]:
        with discreet.observe_call("harbour.answer"):
            return {}

    def act() -> None:
        oloproof.evaluate(system=answer, **options(tmp_path, 1))

    async def main() -> None:
        act()

    if in_a_loop:
        asyncio.run(main())
    else:
        act()
    spans = {span.name: span for span in sinks.spans()}
    parent = spans["harbour.answer"].parent
    assert parent is not None
    assert parent.span_id == spans["oloproof.evaluate"].get_span_context().span_id


def test_a_run_without_a_policy_decides_nothing(sinks: Seen, tmp_path: Path) -> None:
    """There is no exit code to read as a pass."""

    async def main() -> Any:
        return await oloproof.aevaluate(system=system(4), **options(tmp_path, 4))

    result = asyncio.run(main())
    assert told(sinks) == [measured(result), finished(result), call()]


def test_cases_that_could_not_be_judged_are_told_by_their_kind(sinks: Seen, tmp_path: Path) -> None:
    """One record for each kind of error: an odd class of an application shows nothing but the stage."""

    class FerryError(Exception):
        pass

    @oloproof.system(name="harbour", version="1")
    def answer(case: dict[str, Any]) -> dict[str, str]:
        number = case["case"]
        if number == 1:
            raise KeyError(QUESTION)
        if number in {2, 3}:
            raise FerryError(QUESTION)
        return {} if number == 4 else {"answer": f"Brandvold {number}."}

    result = oloproof.evaluate(system=answer, **options(tmp_path, 6))
    found = [one for one in told(sinks) if one["event"] == "case_errored"]
    about = {"level": "WARNING", "logger": "oloproof", "event": "case_errored", "run_id": result.run.id}
    execution = {"stage": "execution", "execution_status": "ERROR"}
    assert [{name: one[name] for name in one if name not in {"message", "count"}} for one in found] == [
        {**about, **execution, "error_type": "KeyError"},
        {**about, **execution},
        {
            **about,
            "stage": "judgment",
            "judgment_status": "ERROR",
            "error_type": "oloproof_core.evaluators.base.MissingFieldError",
            "error_code": "missing_field",
            "error_class": "input",
        },
    ]
    assert [one["count"] for one in found] == [1, 2, 1]
    assert counts(result.metrics[0]) == {"total": 6, "eligible": 6, "observed": 2, "missing": 4}


@pytest.mark.parametrize("act", [lambda: oloproof.evaluate(), lambda: oloproof.evaluate(system=1, wrong=QUESTION)])
def test_wrong_arguments_are_oloproofs_own_matter(act: Callable[[], object], sinks: Seen) -> None:
    """It raises what it would raise without us, and there is no run to tell of."""
    with pytest.raises(TypeError):
        act()
    assert [(one["event"], one["exception_type"]) for one in told(sinks)] == [("call_finished", "TypeError")]


def test_nothing_stays_after_it() -> None:
    """Every attribute is the very object that it was, also after it was asked twice."""
    now = [vars(oloproof)[name] for name in FUNCTIONS]
    OloproofInstrumentor().instrument()
    assert [vars(oloproof)[name] for name in FUNCTIONS] == now
    OloproofInstrumentor().uninstrument()
    before = [vars(oloproof)[name] for name in FUNCTIONS]
    assert [one.__wrapped__ for one in now] == before
    assert [hasattr(one, "__wrapped__") for one in before] == [False] * 4


def test_every_operation_begins_at_0(sinks: Seen) -> None:
    """A rate of errors needs the calls that had none."""
    assert {name: found["started"] for name, found in CALLS.as_dict().items()} == {
        "oloproof.evaluate": 0,
        "oloproof.evaluate_comparison": 0,
    }
