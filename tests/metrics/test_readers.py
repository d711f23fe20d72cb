"""Readers of the application's own, in one process and in those that it forks."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
from opentelemetry.sdk.metrics.export import (
    InMemoryMetricReader,
    MetricExporter,
    MetricExportResult,
    PeriodicExportingMetricReader,
)

import discreet
from discreet.call_counts import CALLS
from discreet.errors import ConfigurationError
from tests.calls.seen import all_points

forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")


def in_child(work: Callable[[], Any]) -> Any:
    """Return what a function returns in a forked child."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.write(writing, repr(work()).encode())
        os._exit(0)
    os.waitpid(pid, 0)
    os.close(writing)
    with os.fdopen(reading, encoding="utf-8") as pipe:
        return eval(pipe.read())


def call() -> None:
    with discreet.observe_call("boats.find"):
        pass


def instance(reader: InMemoryMetricReader) -> str:
    data = reader.get_metrics_data()
    assert data is not None
    return str(data.resource_metrics[0].resource.attributes["service.instance.id"])


def told(reader: InMemoryMetricReader) -> tuple[Any, Any, Any]:
    """How many calls of the operation, how many durations, and how many records about them."""
    events = all_points(reader, "discreet.events")
    return (
        all_points(reader, "discreet.calls").get(("boats.find", "ok"), 0),
        all_points(reader, "discreet.call.duration").get(("boats.find", "ok"), 0),
        events["discreet", "call_finished", "INFO"],
    )


@forks
def test_each_process_makes_a_reader_of_its_own() -> None:
    """With another instance id, and counts that begin at 0."""
    made: list[InMemoryMetricReader] = []

    def make() -> InMemoryMetricReader:
        made.append(InMemoryMetricReader())
        return made[-1]

    CALLS.begin_anew(forget=True)
    with discreet.configure(json=None, metrics=make):
        call()
        call()

        def work() -> Any:
            call()
            return instance(made[-1]), told(made[-1])

        child, counts = in_child(work)
        assert counts == (1, 1, 1)
        assert told(made[-1]) == (2, 2, 2)
        assert child != instance(made[-1])


@forks
def test_a_reader_that_was_given_stays_with_its_process() -> None:
    """In a child it would report what the parent has counted."""
    reader = InMemoryMetricReader()
    CALLS.begin_anew(forget=True)
    with discreet.configure(json=None, metrics=reader):
        call()
        assert in_child(lambda: call()) is None
        assert told(reader) == (1, 1, 1)


@forks
def test_a_reader_that_logs_while_it_is_made_is_made_once() -> None:
    """As the SDK's do when a variable is wrong; in a child the handlers are there already."""
    made: list[InMemoryMetricReader] = []

    def make() -> InMemoryMetricReader:
        logging.getLogger("boats").warning("No key", extra={"event": "fallback_used"})
        made.append(InMemoryMetricReader())
        return made[-1]

    CALLS.begin_anew(forget=True)
    with discreet.configure(json=None, metrics=make):

        def work() -> Any:
            call()
            return len(made), told(made[-1])

        assert in_child(work) == (2, (1, 1, 1))


class Telling(MetricExporter):
    """Tells in whose name it exports how many calls, in the process where it does."""

    def __init__(self) -> None:
        super().__init__()
        self.told: list[tuple[str, int]] = []

    def export(self, metrics_data: Any, timeout_millis: float = 10_000, **kwargs: Any) -> MetricExportResult:
        for group in metrics_data.resource_metrics:
            for metric in group.scope_metrics[0].metrics:
                if metric.name == "discreet.calls.started":
                    one = group.resource.attributes["service.instance.id"]
                    self.told += [(one, point.value) for point in metric.data.data_points]
        return MetricExportResult.SUCCESS

    def force_flush(self, timeout_millis: float = 10_000) -> bool:
        return True

    def shutdown(self, timeout_millis: float = 30_000, **kwargs: Any) -> None:
        """Do nothing."""


@forks
@pytest.mark.parametrize("given", ["a reader", "a function"])
def test_a_reader_with_a_thread_never_tells_the_parents_counts_in_a_child(given: str) -> None:
    """The SDK starts the thread anew there: it would write over the parent's counts, by the parent's id."""
    exporter = Telling()
    readers: list[PeriodicExportingMetricReader] = []

    def make() -> PeriodicExportingMetricReader:
        readers.append(PeriodicExportingMetricReader(exporter, export_interval_millis=3_600_000))
        return readers[-1]

    CALLS.begin_anew(forget=True)
    with discreet.configure(json=None, metrics=make() if given == "a reader" else make):
        call()

        def work() -> Any:
            call()
            call()
            for reader in readers:
                reader.collect()
            return exporter.told

        child = in_child(work)
        readers[0].collect()
        assert [count for _, count in exporter.told] == [1]
        assert [count for _, count in child] == ([] if given == "a reader" else [2])
        assert not {one for one, _ in child} & {one for one, _ in exporter.told}


PROGRAM = """
import os
from opentelemetry.sdk.metrics.export import ConsoleMetricExporter, PeriodicExportingMetricReader
import discreet

def make():
    return PeriodicExportingMetricReader(ConsoleMetricExporter(open(os.devnull, "w")), 3_600_000)

with discreet.configure(json=None, metrics=make):
    pid = os.fork()
    if pid == 0:
        with discreet.observe_call("boats.find"):
            pass
        os._exit(7)
    print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"""


@forks
def test_a_child_never_waits_for_locks_of_the_fork_itself() -> None:
    """Those of thread pools are free when all hooks have run, and a program of its own loads them late."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PROGRAM], capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.stdout, done.stderr) == ("7\n", "")


@pytest.mark.parametrize("reader", [7, "harbour", object(), dict])
def test_what_is_no_reader_is_refused(reader: Any) -> None:
    """And what makes none."""
    with pytest.raises(ConfigurationError) as caught:
        discreet.configure(json=None, metrics=reader)
    assert caught.value.place == "metrics"


def test_a_reader_and_an_address_contradict_each_other() -> None:
    """A reader sends where it likes."""
    with pytest.raises(ConfigurationError):
        discreet.OtelMetricHandler(reader=InMemoryMetricReader(), endpoint="http://127.0.0.1:9/v1/metrics")


SERIES = """
import discreet
from opentelemetry.sdk.metrics.export import InMemoryMetricReader

reader = InMemoryMetricReader()
with discreet.configure(json=None, metrics=reader):
    metrics = reader.get_metrics_data().resource_metrics[0].scope_metrics[0].metrics
print(sum(len(one.data.data_points) for one in metrics))
"""


def test_a_process_has_more_than_a_hundred_series() -> None:
    """As the page says, for those who have thousands of processes; a fresh one, which has seen no call."""
    done = subprocess.run([sys.executable, "-c", SERIES], capture_output=True, text=True, check=True, timeout=60)
    assert 100 < int(done.stdout) < 200


def test_a_closed_set_up_counts_no_more() -> None:
    """A second one of the process has its id, begins with its counts of calls, and counts records anew."""
    CALLS.begin_anew(forget=True)
    first, second = InMemoryMetricReader(), InMemoryMetricReader()
    with discreet.configure(json=None, metrics=first):
        call()
    call()
    with discreet.configure(json=None, metrics=second):
        call()
        assert told(second) == (3, 1, 1)
        assert instance(first) == instance(second)
    assert CALLS.timed == []
