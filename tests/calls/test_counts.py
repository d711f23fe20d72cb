"""started = ended + active + missing, whatever happens."""

from __future__ import annotations

import gc
import os
import threading
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, initialize, invariant, rule

import discreet
from discreet.call_counts import CALLS, OUTCOMES, Counted, OperationCounts
from discreet.calls import ObservedCall, begun
from tests.calls.seen import Seen

RAISED: dict[str, BaseException | None] = {
    "ok": None,
    "degraded": None,
    "error": LookupError(),
    "cancelled": KeyboardInterrupt(),
}


class Calls(RuleBasedStateMachine):
    """Calls that are begun, ended in any order and given up, and what should be counted of them."""

    running = Bundle("running")

    @initialize()
    def begin_anew(self) -> None:
        CALLS.begin_anew(forget=True)
        self.expected: dict[str, dict[str, int]] = {}
        self.begun: list[Any] = []

    def _counts(self, operation: str) -> dict[str, int]:
        return self.expected.setdefault(operation, dict.fromkeys(("started", "active", "missing", *OUTCOMES), 0))

    @rule(target=running, operation=st.sampled_from(["boats.find", "boats.ask"]))
    def start(self, operation: str) -> list[Any]:
        observed = discreet.observe_call(operation)
        call = observed.__enter__()
        counts = self._counts(operation)
        counts["started"] += 1
        counts["active"] += 1
        self.begun.append(call)
        return [operation, observed, call]

    @rule(one=consumes(running), outcome=st.sampled_from(OUTCOMES))
    def end(self, one: list[Any], outcome: str) -> None:
        operation, observed, call = one
        if outcome == "degraded":
            call.warn("quote_not_found")
        if outcome == "ok" and call._warnings:
            # A degraded call ended that was begun inside this one.
            outcome = "degraded"
        error = RAISED[outcome]
        observed.__exit__(type(error) if error else None, error, None)
        counts = self._counts(operation)
        counts["active"] -= 1
        counts[outcome] += 1

    @rule(one=consumes(running))
    def end_twice(self, one: list[Any]) -> None:
        operation, _, call = one
        outcome = "degraded" if call._warnings else "ok"
        call.end()
        call.end(ValueError())
        counts = self._counts(operation)
        counts["active"] -= 1
        counts[outcome] += 1

    def teardown(self) -> None:
        """Leave no call running for the tests after this one."""
        for call in reversed(self.begun):
            call.end()

    @invariant()
    def all_are_counted(self) -> None:
        found = CALLS.as_dict()
        for operation, counts in self.expected.items():
            assert {name: found[operation][name] for name in counts} == counts
            assert counts["started"] == counts["active"] + counts["missing"] + sum(counts[name] for name in OUTCOMES)


TestCalls = Calls.TestCase
TestCalls.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)


def test_a_call_that_can_not_end_any_more_is_missing() -> None:
    """It isn't active, and nothing is made up about its end."""
    CALLS.begin_anew(forget=True)

    def give_up() -> None:
        counted = CALLS.start("boats.find")
        counted.operation

    give_up()
    gc.collect()
    counts = CALLS.as_dict()["boats.find"]
    assert (counts["started"], counts["active"], counts["missing"]) == (1, 0, 1)


@pytest.mark.parametrize("first", ["call", "stream"])
def test_what_ends_a_call_may_be_collected_with_it(first: str) -> None:
    """Then it is counted once, and never as less than none that run, whichever of them Python tells first."""

    class Stream:
        def __init__(self) -> None:
            self.held = self
            self.call = None if first == "stream" else begun("boats.find", {}, None)

        def __del__(self) -> None:
            if self.call is not None:
                self.call.end(GeneratorExit())

    CALLS.begin_anew(forget=True)
    stream = Stream()
    if first == "stream":
        stream.call = begun("boats.find", {}, None)
    before = CALLS.as_dict()["boats.find"]
    del stream
    gc.collect()

    after = CALLS.as_dict()["boats.find"]
    told = ("started", "active", "missing", "cancelled")
    assert [[counts[name] for name in told] for counts in (before, after)] == [[1, 1, 0, 0], [1, 0, 0, 1]]


def test_threads_lose_no_call(sinks: Seen) -> None:
    """Eight of them with one observer."""
    observed: ObservedCall = discreet.observe_call("boats.find")

    def work() -> None:
        for number in range(200):
            try:
                with observed as call:
                    if number % 4 == 1:
                        call.warn("quote_not_found")
                    if number % 4 == 2:
                        raise LookupError
                    if number % 4 == 3:
                        raise GeneratorExit
            except (LookupError, GeneratorExit):
                continue

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sinks.points("discreet.calls") == {("boats.find", outcome): 400 for outcome in OUTCOMES}
    assert sinks.points("discreet.calls.started") == {("boats.find",): 1600}
    assert sinks.points("discreet.calls.active") == {}
    assert len(sinks.records()) == len(sinks.spans()) == 1600


def test_the_counts_of_one_collection_belong_together(sinks: Seen) -> None:
    """Also while calls are made: started = ended + active in each."""
    ended = threading.Event()

    def work() -> None:
        while not ended.is_set():
            with discreet.observe_call("boats.find"):
                pass

    thread = threading.Thread(target=work)
    thread.start()
    try:
        for _ in range(20):
            data = sinks.reader.get_metrics_data()
            assert data is not None
            sums = {
                metric.name: sum(point.value for point in metric.data.data_points)
                for metric in data.resource_metrics[0].scope_metrics[0].metrics
                if metric.name in {"discreet.calls", "discreet.calls.started", "discreet.calls.active"}
            }
            started = sums.get("discreet.calls.started", 0)
            assert started == sums.get("discreet.calls", 0) + sums.get("discreet.calls.active", 0)
    finally:
        ended.set()
        thread.join()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_a_child_begins_at_0_and_leaves_its_parents_call_to_it() -> None:
    """A call that is running at the fork is left in both processes, and counted in one."""
    CALLS.begin_anew(forget=True)
    reading, writing = os.pipe()
    with discreet.observe_call("boats.ask"):
        pid = os.fork()
        if pid == 0:
            with discreet.observe_call("boats.find"):
                pass
    if pid == 0:
        os.write(writing, repr(CALLS.as_dict()).encode())
        os._exit(0)
    os.waitpid(pid, 0)
    os.close(writing)
    with os.fdopen(reading, encoding="utf-8") as pipe:
        child = eval(pipe.read())
    none = {"started": 0, "active": 0, "missing": 0, **dict.fromkeys(OUTCOMES, 0), "warnings": {}, "errors": {}}
    assert child == {"boats.ask": none, "boats.find": {**none, "started": 1, "ok": 1}}
    assert CALLS.as_dict() == {"boats.ask": {**none, "started": 1, "ok": 1}}


def test_calls_that_end_in_the_midst_of_a_look_are_whole_in_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """The garbage collector runs there in the same thread, and a stream that is dropped ends its call."""
    CALLS.begin_anew(forget=True)
    begun(discreet.public("tool.n0"), {}, None).end()
    original = OperationCounts.copy
    dropped = [f"tool.n{number}" for number in (1, 0, 2)]

    def copy(counts: OperationCounts) -> OperationCounts:
        found = original(counts)
        if dropped:
            begun(discreet.public(dropped.pop()), {}, None).end()
        return found

    monkeypatch.setattr(OperationCounts, "copy", copy)
    found: dict[str, tuple[int, int]] = {
        name: (counts["started"], counts["ok"]) for name, counts in CALLS.as_dict().items()
    }

    assert found == {"tool.n0": (2, 2), "tool.n1": (1, 1), "tool.n2": (1, 1)}


def test_a_call_whose_begin_a_signal_handler_breaks_off_is_not_active(monkeypatch: pytest.MonkeyPatch) -> None:
    """It hasn't begun: nothing is counted, and nothing is complained of when it is collected."""
    CALLS.begin_anew(forget=True)

    def broken(self: Counted, *_: object) -> None:
        self._open = False
        raise TimeoutError

    with monkeypatch.context() as patched:
        patched.setattr(Counted, "__init__", broken)
        begun(discreet.public("tool.n0"), {}, None).end()

    assert CALLS.as_dict()["tool.n0"]["started"] == CALLS.as_dict()["tool.n0"]["active"] == 0
