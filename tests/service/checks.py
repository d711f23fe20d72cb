"""What has to hold of what a run left behind; each check returns what is wrong, and nothing if all is well."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

from tests.service.running import Left
from tests.service.scenarios import Call, Scenario
from tests.service.words import Finder

ROOTS = ("desk.answer", "desk.stream")
# What the spans of the other operations stand in.
PARENTS = {
    "verbatim.transform": ("desk.answer",),
    "verbatim.extract": ("verbatim.transform",),
    "verbatim.complete": ("verbatim.transform", "verbatim.extract"),
    "openai.chat": ("verbatim.complete", "desk.stream"),
}
OUTCOMES = ("ok", "degraded", "error", "cancelled")
SAW = {"ok": "answered", "degraded": "answered", "error": "failed", "cancelled": "left"}


def _call(one: dict[str, Any]) -> Call:
    return one["operation"], one["outcome"], one.get("error_code") or one.get("warning_code")


def _said(line: dict[str, Any]) -> tuple[str, Any]:
    return line["event"], line.get("warning_code") or line.get("error_code")


def wrong_calls(left: Left) -> Iterator[str]:
    """Each request has exactly the calls, repeated attempts, violations and warnings that its scenario makes."""
    by_id: defaultdict[str | None, list[dict[str, Any]]] = defaultdict(list)
    for line in left.lines:
        if line.get("event") in ("call_finished", "attempt_failed", "contract_violated", "fallback_used"):
            by_id[line.get("request_id")].append(line)
    for sent in left.sent:
        lines = by_id.pop(sent.id, [])
        calls = Counter(_call(line) for line in lines if line["event"] == "call_finished")
        yield from _difference(f"{sent.scenario.name}: calls", calls, sent.scenario.calls)
        others = Counter(_said(line) for line in lines if line["event"] != "call_finished")
        yield from _difference(f"{sent.scenario.name}: others", others, _others(sent.scenario))
    for key, lines in by_id.items():
        yield f"of no request of ours, {key}: {lines[:3]}"


def _others(scenario: Scenario) -> Counter[tuple[str, Any]]:
    attempts = Counter(("attempt_failed", code) for code in scenario.attempts)
    # A warning is told of once, however many calls it degrades.
    warnings = {code for _, outcome, code in scenario.calls if outcome == "degraded" and code is not None}
    return (
        attempts
        + Counter(("contract_violated", code) for code in scenario.violations)
        + Counter(("fallback_used", code) for code in warnings)
    )


def wrong_totals(left: Left) -> Iterator[str]:
    """The records of all requests are as many as were made, by operation and outcome, and none of any kind lacks."""
    made = sum((sent.scenario.calls for sent in left.sent), Counter[Call]())
    found = Counter(_call(line) for line in left.lines if line.get("event") == "call_finished")
    yield from _difference("records", found, made)
    roots = Counter(
        outcome
        for (operation, outcome, _), count in found.items()
        if operation.startswith("desk.")
        for _ in range(count)
    )
    if roots.total() != len(left.sent):
        yield f"{len(left.sent)} requests, {roots.total()} calls of the service"
    if set(roots) != set(OUTCOMES):
        yield f"only outcomes {sorted(roots)}"


def wrong_counts(left: Left) -> Iterator[str]:
    """The processes' own counts and the metrics are those of the records, and no call is open or missing."""
    records = Counter(
        (line["operation"], line["outcome"]) for line in left.lines if line.get("event") == "call_finished"
    )
    calls: Counter[tuple[str, str]] = Counter()
    metrics: Counter[tuple[str, str]] = Counter()
    started: Counter[str] = Counter()
    durations: Counter[tuple[str, str]] = Counter()
    for process in left.counts:
        for operation, counts in process["calls"].items():
            calls.update({(operation, outcome): counts[outcome] for outcome in OUTCOMES})
            if counts["active"] or counts["missing"]:
                yield f"{operation}: {counts}"
        for name, attributes, value in process["metrics"]:
            key = attributes.get("operation"), attributes.get("outcome")
            if name == "discreet.calls":
                metrics[key] += value
            elif name == "discreet.call.duration":
                durations[key] += value
            elif name == "discreet.calls.started":
                started[key[0]] += value
            elif name == "discreet.guard.failures":
                yield f"{value} failures of the guard: {process['failures']}"
    yield from _difference("handle.calls", +calls, records)
    yield from _difference("discreet.calls", metrics, records)
    yield from _difference("discreet.call.duration", durations, records)
    yield from _difference("discreet.calls.started", started, _by_operation(records))


def wrong_requests_to_the_llm(left: Left) -> Iterator[str]:
    """The LLM heard each attempt that is told of, once: requests and those that were repeated."""
    heard = sum(len(sent.asked.heard) for sent in left.sent)
    again = sum(attempt > 0 for sent in left.sent for _, attempt, _ in sent.asked.heard)
    chats = sum(line.get("operation") == "openai.chat" for line in left.lines if line.get("event") == "call_finished")
    failed = sum(line.get("event") == "attempt_failed" for line in left.lines)
    retries = sum(line.get("retries", 0) for line in left.lines if line.get("event") == "call_finished")
    if (heard, again, again) != (chats + failed, failed, retries):
        yield f"heard {heard}, {again} of them again; told {chats} and {failed} failed attempts, {retries} retries"
    if left.unknown:
        yield f"the LLM was asked {len(left.unknown)} times for nothing of ours"


def wrong_spans(left: Left) -> Iterator[str]:
    """Each request is one tree: one root, every parent in its trace and around its children in time, none twice.

    FastAPI makes spans of its own around those of calls, in its newer releases.
    """
    traces = {span["trace_id"] for span in left.spans if span["name"] in ROOTS}
    spans = [span for span in left.spans if span["trace_id"] in traces]
    by_id = {(span["trace_id"], span["span_id"]): span for span in spans}
    if len(by_id) != len(spans):
        yield f"{len(spans) - len(by_id)} ids are used twice"
    calls = sum(span["name"] in PARENTS for span in left.spans)
    if calls != sum(span["name"] in PARENTS for span in spans):
        yield "calls in a trace without a call of the service"
    for what, found in (
        ("roots", [span["trace_id"] for span in spans if "parent_span_id" not in span]),
        ("calls of the service", [span["trace_id"] for span in spans if span["name"] in ROOTS]),
    ):
        if len(found) != len(left.sent) or set(found) != traces or len(traces) != len(left.sent):
            yield f"{len(left.sent)} requests, {len(traces)} traces, {len(found)} {what}"
    for span in spans:
        parent = by_id.get((span["trace_id"], span.get("parent_span_id")))
        if parent is None and "parent_span_id" in span:
            yield f"an orphan: {span}"
        elif parent is not None and not _around(parent, span):
            yield f"outside of its parent's time: {span} in {parent}"
        if span["name"] in PARENTS and (parent is None or parent["name"] not in PARENTS[span["name"]]):
            yield f"{span['name']} stands in {parent and parent['name']}"
        elif span["name"] in ROOTS and parent is not None and parent["scope"] == "discreet":
            yield f"{span['name']} stands in {parent['name']}"


def wrong_spans_of_records(left: Left) -> Iterator[str]:
    """Each call's record names its span, which says the same; events inside calls are events of spans."""
    of_calls = [span for span in left.spans if span["name"] in PARENTS or span["name"] in ROOTS]
    said = {(span["trace_id"], span["span_id"]): _call(span["attributes"]) for span in of_calls}
    told = [line for line in left.lines if line.get("event") == "call_finished"]
    records = {(line.get("trace_id"), line.get("span_id")): _call(line) for line in told}
    if len(records) != len(told):
        yield f"{len(told) - len(records)} records share a span"
    for key in {*said, *records}:
        if said.get(key) != records.get(key):
            yield f"span {said.get(key)}, record {records.get(key)}"
    for event in ("attempt_failed", "contract_violated", "fallback_used"):
        lines = sum(line.get("event") == event for line in left.lines)
        events = sum(one["name"] == event for span in left.spans for one in span.get("events", []))
        if lines != events:
            yield f"{event}: {lines} records, {events} events of spans"


def _around(parent: dict[str, Any], span: dict[str, Any]) -> bool:
    begin, end = "start_time_unix_nano", "end_time_unix_nano"
    return bool(parent[begin] <= span[begin] <= span[end] <= parent[end])


def leaks(left: Left) -> Iterator[str]:
    """Nothing that a customer wrote, or an LLM for them, is in anything that the service wrote."""
    finder = Finder(sent.texts for sent in left.sent)
    for name, text in left.outputs.items():
        if found := finder.found_in(text):
            yield f"{name}: {sorted(found)[:9]}"


def wrong_ledgers(left: Left) -> Iterator[str]:
    """For each sink total = eligible + filtered and eligible = observed + missing, missing is 0, and files agree."""
    lines = spans = 0
    for process in left.counts:
        for name, sink in process["ledger"]["sinks"].items():
            if sink["total"] != sink["eligible"] + sink["filtered"] or sink["eligible"] != sink["observed"]:
                yield f"{name}: {sink}"
            if sink["missing"] or sink["missing_by_reason"]:
                yield f"{name}: {sink}"
        lines += process["ledger"]["sinks"]["json"]["observed"]
        spans += process["ledger"]["sinks"]["span_file"]["observed"]
        if process["failures"]:
            yield f"failures: {process['failures']}"
    if (lines, spans) != (len(left.lines), len(left.spans)):
        yield f"counted {lines} lines and {spans} spans, found {len(left.lines)} and {len(left.spans)}"


def wrong_customers(left: Left) -> Iterator[str]:
    """Each customer saw what the request's own call says; a worker that gives nothing up goes on for nobody."""
    for sent in left.sent:
        saw = "left" if sent.scenario.leaves else SAW[sent.scenario.outcome]
        if sent.saw != saw:
            yield f"{sent.scenario.name}: {sent.saw} ({sent.detail})"
    counted = Counter[str]()
    for process in left.counts:
        counted.update(process["requests"])
    expected = {"requests": len(left.sent), "incomplete": 0, "beyond_bytes": 0, "ids_replaced": 0}
    if counted != expected:
        yield f"the middleware counted {dict(counted)}, and not {expected}"


def leftovers(left: Left) -> Iterator[str]:
    """When no request runs, of a few at most something is left: open connections keep the context that made them."""
    for process in left.counts:
        if max(process["alive"].values(), default=0) > max(20, len(left.sent) // 20):
            yield f"{process['alive']}"


CHECKS = (
    wrong_calls,
    wrong_totals,
    wrong_counts,
    wrong_requests_to_the_llm,
    wrong_spans,
    wrong_spans_of_records,
    leaks,
    wrong_ledgers,
    wrong_customers,
    leftovers,
)


def _by_operation(records: Counter[tuple[str, str]]) -> Counter[str]:
    found: Counter[str] = Counter()
    for (operation, _), count in records.items():
        found[operation] += count
    return found


def _difference(what: str, found: Counter[Any], expected: Counter[Any]) -> Iterator[str]:
    if found != expected:
        yield f"{what}: too many {dict(found - expected)}, too few {dict(expected - found)}"
