"""oloproof 0.1.0a20 runs a suite over some of the questions; the system fails on one case.

A case that errors was not measured. It is missing from the metric, whose interval is wider for it,
and it is no verdict on the system. oloproof doesn't use `logging`: the program that calls it logs
what it returned, on the logger and with the events of the shipped contract.
"""

from __future__ import annotations

import json
import logging
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import oloproof
from oloproof.evaluators import Contains
from oloproof_core.models.enums import ExecutionStatus
from oloproof_core.persistence.store import scratch_store
from worlds import Spelling, documents, questions

logger = logging.getLogger("oloproof")

CASES = 4
_BROKEN_CASE = "case_2"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of the run: status, completeness, and the four counts of its metric."""

    status: str
    completeness: str
    total: int
    eligible: int
    observed: int
    missing: int


def run_oloproof(spell: Spelling) -> Outcome:
    """Run the suite, log each case that errored and the outcome, and return it."""
    papers = documents(spell)
    answers: dict[str, str] = {}
    rows: list[dict[str, Any]] = []
    for index, question in enumerate(questions(spell)[:CASES]):
        case = f"case_{index}"
        answers[case] = " ".join(papers[question.document].chunks)
        expected = next(quote for quotes in question.quotes for quote in quotes)
        rows.append(
            {
                "id": case,
                "input": {"case": case, "question": question.text},
                "expected": {"answer": expected},
            }
        )

    @oloproof.system(name="quoting-system", version="1")
    def answer(case: Mapping[str, str]) -> dict[str, str]:
        if case["case"] == _BROKEN_CASE:
            raise KeyError(f"no answer to {case['question']}")
        return {"answer": answers[case["case"]]}

    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as directory:
        dataset = Path(directory, "suite.jsonl")
        dataset.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
        result = oloproof.evaluate(
            system=answer,
            dataset=dataset,
            evaluators=[Contains(criterion="quote_in_answer", field="answer")],
            store=scratch_store(directory),
        )
    _log_errored_cases(result)
    metric = result.metrics[0]
    outcome = Outcome(
        str(result.run.status),
        str(result.run.completeness),
        metric.n_total,
        metric.n_eligible,
        metric.n_observed,
        metric.n_missing,
    )
    logger.info(
        "run finished: %d of %d cases observed, %d missing",
        outcome.observed,
        outcome.eligible,
        outcome.missing,
        extra={
            "event": "run_finished",
            "run_id": result.run.id,
            "run_status": outcome.status,
            "completeness": outcome.completeness,
            "total": outcome.total,
            "eligible": outcome.eligible,
            "observed": outcome.observed,
            "missing": outcome.missing,
            "duration_ms": (time.perf_counter() - started) * 1000,
        },
    )
    return outcome


def _log_errored_cases(result: oloproof.EvaluationResult) -> None:
    for index, case in enumerate(result.cases()):
        if case.execution is not None and case.execution.status is not ExecutionStatus.OK:
            logger.warning(
                "case %d was not measured: its call ended in an error",
                index,
                extra={
                    "event": "case_errored",
                    "run_id": result.run.id,
                    "stage": "execution",
                    "execution_status": str(case.execution.status),
                },
            )
