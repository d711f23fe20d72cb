"""oloproof's retries, of systems and judges: attempts that it makes again, and what stays missing after them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import oloproof
import pytest
from oloproof.evaluators import Contains
from oloproof_core.adapters.http import HttpAdapter
from oloproof_core.execution.retry import RetryPolicy, TransientError

from discreet.export.ledger import LEDGER
from discreet.instrument.oloproof import OloproofInstrumentor
from tests.calls.seen import Seen
from tests.instrument import told as of_oloproof
from tests.instrument.retried import attempt, finished, told
from tests.instrument.suite import CANARIES, QUESTION, close_stores, options, server, system

pytestmark = pytest.mark.integration

DELAY = RetryPolicy.delay
NOW = RetryPolicy(base_delay=0)
LATER = {"error_code": "transient_error", "error_class": "upstream"}


@pytest.fixture(autouse=True)
def _instrumented(sinks: Seen) -> Iterator[None]:
    OloproofInstrumentor().instrument()
    yield
    if OloproofInstrumentor().is_instrumented_by_opentelemetry:
        OloproofInstrumentor().uninstrument()
    close_stores()
    assert LEDGER.failures == {}
    assert [word for word in CANARIES if word in sinks.out.getvalue()] == []


def attempts(sinks: Seen) -> Counter[Any]:
    return Counter(
        one["attempt"]
        for one in told(sinks)
        if one["event"] == "attempt_failed" and one == attempt(one["attempt"], 0.0, "oloproof.evaluate", **LATER)
    )


def test_each_attempt_of_a_system_that_is_repeated_has_one_record(sinks: Seen, tmp_path: Path) -> None:
    """Two cases answer at the second and third attempt, one at none of four; that one is missing."""
    with server({0: 1, 1: 2, 2: 99}) as (url, statuses):
        result = oloproof.evaluate(
            system=HttpAdapter(name="harbour", version="1", url=url), retry_policy=NOW, **options(tmp_path, 10)
        )
    assert statuses == {500: 7, 200: 9}
    assert attempts(sinks) == {1: 3, 2: 2, 3: 1}
    assert told(sinks)[-1] == finished("ok", "oloproof.evaluate", retries=6)
    assert len(told(sinks)) == 7
    errored, measured, run = of_oloproof.told(sinks)[:3]
    assert (errored["event"], errored["count"], errored["error_code"]) == ("case_errored", 1, "transient_error")
    assert [(one["observed"], one["missing"]) for one in (measured, run)] == [(9, 1)] * 2
    assert result.metrics[0].n_missing == 1


def test_each_attempt_of_a_judge_that_is_repeated_has_one_record(sinks: Seen, tmp_path: Path) -> None:
    """By its class, whatever name one below has."""

    class OwnError(TransientError):
        pass

    times: Counter[str] = Counter()

    class Judge(Contains):
        async def evaluate(self, context: Any) -> Any:
            times[context.scenario.id] += 1
            if times[context.scenario.id] == 1:
                raise OwnError(QUESTION, retryable=True)
            return await super().evaluate(context)

    given = options(tmp_path, 2, evaluators=[Judge(criterion="quote_in_answer", field="answer")])
    oloproof.evaluate(system=system(2), retry_policy=NOW, **given)
    assert attempts(sinks) == {1: 2}
    assert told(sinks)[-1] == finished("ok", "oloproof.evaluate", retries=2)


def test_nothing_stays_after_it(sinks: Seen) -> None:
    """The very method is back, and a policy that somebody asks outside of any call changes nothing."""
    assert RetryPolicy.delay is not DELAY
    assert RetryPolicy(base_delay=0).delay(0, 2.5) == 2.5
    assert told(sinks) == [attempt(1, 2.5, None, **LATER)]
    OloproofInstrumentor().uninstrument()
    assert RetryPolicy.delay is DELAY
