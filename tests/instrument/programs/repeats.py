"""Repeats calls by stamina and by tenacity; with `code`, sets up everything itself."""

from __future__ import annotations

import sys

import stamina
import tenacity

import discreet
from discreet.instrument.tenacity import log_attempt

QUESTION = "When does Ottilie Brandvold's cutter leave Skagen?"
failures = [discreet.UpstreamError(QUESTION, service="database") for _ in range(5)]


@discreet.observe_call("harbour.fetch", "question")
@stamina.retry(on=discreet.UpstreamError, attempts=3, wait_initial=0.001, wait_jitter=0)
def fetch(question: str) -> str:
    if failures:
        raise failures.pop()
    return question


@discreet.observe_call("harbour.ask", "question")
@tenacity.retry(stop=tenacity.stop_after_attempt(3), before_sleep=log_attempt())
def ask(question: str) -> str:
    if failures:
        raise failures.pop()
    return question


def main() -> None:
    try:
        ask(QUESTION)
    except tenacity.RetryError:
        fetch(QUESTION)


if sys.argv[1:] == ["code"]:
    from discreet.instrument.stamina import StaminaInstrumentor

    StaminaInstrumentor().instrument()
    with discreet.configure(json="records.jsonl", spans="spans.jsonl", report_every=0):
        main()
else:
    main()
