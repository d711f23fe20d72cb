"""Readers of the application's own, in one process and in those that it forks."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import pytest
from opentelemetry.sdk.metrics.export import InMemoryMetricReader

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
