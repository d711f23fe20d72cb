"""A meter provider for each process, with counts and an instance id of its own."""

from __future__ import annotations

import itertools
import os
import threading
import time
import uuid
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from opentelemetry.sdk.metrics import (
    AlwaysOffExemplarFilter,
    AlwaysOnExemplarFilter,
    ExemplarFilter,
    MeterProvider,
    TraceBasedExemplarFilter,
)
from opentelemetry.sdk.metrics.export import MetricReader
from opentelemetry.sdk.resources import SERVICE_INSTANCE_ID, Resource

from discreet.call_counts import CALLS, Outcome
from discreet.errors import ConfigurationError
from discreet.exits import at_exit, not_at_exit
from discreet.export.ledger import LEDGER
from discreet.export.otlp.settings import Endpoint, chosen, metric_interval
from discreet.export.resource import log_resource
from discreet.forks import ForkSafeLock, renew_in_children
from discreet.metrics.instruments import Instruments
from discreet.seal.sealed import Sealed
from discreet.timer import TIMER

if TYPE_CHECKING:
    from opentelemetry.sdk.metrics.export import MetricsData

    from discreet.export.otlp.batches import Batches

__all__ = ["MetricPipeline", "process_resource"]

_SCOPE: Final = "discreet"
_EXEMPLARS: Final[dict[str, type[ExemplarFilter]]] = {
    "trace_based": TraceBasedExemplarFilter,
    "always_on": AlwaysOnExemplarFilter,
    "always_off": AlwaysOffExemplarFilter,
}
_AFTER_FORK: Final = 0.1
"""Seconds until the timer's thread builds what a child counts with: other libraries' hooks may run after ours, and
until they have, their locks can't be waited for."""

_numbers: Final = itertools.count(1)
_lock: Final = ForkSafeLock()
_ids: Final[dict[str, str]] = {}
"""The id of this process, once it is asked for."""


def process_resource(shared: Resource) -> Resource:
    """Return what measures: the resource of the service's records, and an id that no other process has.

    Two processes with one resource would write to the same time series, each over the other's counts.

    Args:
        shared: the resource of the service's records.

    .. versionadded:: 0.1.0
    """
    given = shared.attributes.get(SERVICE_INSTANCE_ID)
    with _lock:
        # One for all set-ups of a process, whose counts of calls go on from one to the next.
        own = _ids.setdefault("own", str(uuid.uuid4()))
    # The operator's own id is that of a machine or container, in which there are several workers.
    return shared.merge(Resource({SERVICE_INSTANCE_ID: own if given is None else f"{given}-{own[:8]}"}))


class _State:
    """What belongs to one process."""

    def __init__(self, reader: MetricReader, resource: Resource) -> None:
        self.reader = reader
        word = chosen("OTEL_METRICS_EXEMPLAR_FILTER", tuple(_EXEMPLARS))
        # The SDK would raise the variable's text.
        self.provider = MeterProvider([reader], resource, _EXEMPLARS[word](), shutdown_on_exit=False)
        self.instruments = Instruments(self.provider.get_meter(_SCOPE))


class MetricPipeline:
    """Counts in this process, and anew at 0 in each process that is forked from it.

    Args:
        reader: who collects: a reader, which stays with this process, or a function that makes one for each.
        endpoint: where metrics are sent over OTLP, if there is no reader.
        service: ``service.name`` of the resource.
        shutdown_timeout: seconds that the end of the process may take.

    Raises:
        ConfigurationError: the reader is none, a variable or the service's name is wrong, or the extra ``otlp`` is
            missing.

    .. versionadded:: 0.1.0
    """

    def __init__(
        self,
        *,
        reader: MetricReader | Callable[[], MetricReader] | None = None,
        endpoint: Endpoint | None = None,
        service: str | None = None,
        shutdown_timeout: float = 5.0,
    ) -> None:
        # Once, and not in each child: the SDK finds it by threads, which in the midst of a fork may wait for ever.
        self._resource = log_resource(service)
        self._lock = ForkSafeLock()
        self._state: _State | None = None
        self._closed = False
        self._building = False
        self._timeout = shutdown_timeout
        self._interval: float | None = None
        self._queue: Batches[MetricsData] | None = None
        self._job = f"metrics {next(_numbers)}"
        self._make: Callable[[], MetricReader] | None
        if endpoint is not None:
            from discreet.metrics.reading import open_queue, otlp_reader

            self._interval = metric_interval()
            queue = self._queue = open_queue(endpoint, shutdown_timeout)
            self._make = otlp_reader(queue.put)
        elif isinstance(reader, MetricReader):
            self._make = lambda: reader
        elif callable(reader):
            self._make = reader
        else:
            raise ConfigurationError(
                "must be a metric reader, or a function that makes one",
                place="reader",
                remedy="Give, for example, opentelemetry.exporter.prometheus.PrometheusMetricReader.",
            )
        state = self._build()
        if isinstance(reader, MetricReader):
            # It belongs to the application, here.
            self._make = None
        CALLS.timed.append(self._time)
        renew_in_children(self)
        # After the queue's own, so that it comes before it.
        at_exit(self._at_exit)
        _pipelines.add(self)
        if self._interval is not None:
            # At once: a store sees an increase only if it has seen what was there before.
            state.reader.collect()
            TIMER.at(self._job, self._interval, self._tick)

    def count(self, sealed: Sealed) -> bool:
        """Count a record by its event and codes.

        Args:
            sealed: the sealed record.

        Returns:
            Whether it has any.
        """
        state = self._current()
        return state is not None and state.instruments.count(sealed)

    def flush(self, timeout: float) -> bool:
        """Collect, and send what was collected.

        Args:
            timeout: seconds that it may take.

        Returns:
            Whether that was done in time.
        """
        state = self._current()
        if state is None:
            return True
        if self._queue is not None:
            with self._lock:
                state.reader.collect()
            return self._queue.flush(timeout)
        return _within(timeout, lambda: state.provider.force_flush(timeout * 1000))

    def close(self, timeout: float | None = None, *, wait: bool = True) -> bool:
        """Collect a last time, send that, and count no more.

        Args:
            timeout: seconds that it may take; the shutdown's by default.
            wait: whether to return only then.

        Returns:
            Whether everything has an answer.
        """
        timeout = self._timeout if timeout is None else timeout
        with self._lock:
            if self._closed:
                return True
            self._closed = True
            state = self._state
            if self._queue is not None:
                # Under the lock: what the timer is just collecting must not come after it. A child that ends before it
                # has begun to count may have lost records of other sinks all the same.
                state = state or self._build()
                state.reader.collect()
        if self._time in CALLS.timed:
            CALLS.timed.remove(self._time)
        TIMER.cancel(self._job)
        not_at_exit(self._at_exit)
        end = time.monotonic() + timeout
        done = self._queue is None or self._queue.close(timeout, wait=wait)
        if state is None:
            return done
        left = max(0.0, end - time.monotonic())
        return _within(left if wait else 0.0, lambda: state.provider.shutdown(left * 1000)) and done

    def _at_exit(self) -> None:
        self.close()

    def renew(self) -> None:
        """Forget the parent's counts, in a forked child."""
        state, self._state = self._state, None
        self._building = False
        if state is not None:
            # A reader may start its thread anew here, or be asked by a scrape: it would tell the parent's counts, by
            # the parent's id. The SDK has no public way to part it from them that doesn't send them first.
            state.reader._set_collect_callback(_nothing)  # noqa: SLF001 - see above

    def restart(self) -> None:
        """Begin to count in a forked child, from the timer's thread."""
        if not self._closed and self._make is not None:
            TIMER.at(self._job, _AFTER_FORK, self._tick)

    def _tick(self) -> float | None:
        with self._lock:
            state = self._current()
            if state is None or self._interval is None:
                return None
            state.reader.collect()
        return self._interval

    def _current(self) -> _State | None:
        state = self._state
        if state is None and not self._closed and self._make is not None:
            with self._lock:
                # What a reader logs while it is made can't be counted: that would make the next one.
                return None if self._building else self._state or self._build()
        return None if self._closed else state

    def _build(self) -> _State:
        if self._make is None:
            raise AssertionError("a reader that was given is used once")
        self._building = True
        try:
            reader: Any = self._make()
            if not isinstance(reader, MetricReader):
                raise ConfigurationError(
                    "made something that is no metric reader",
                    place="reader",
                    remedy="Give a reader's class or a function.",
                )
            self._state = _State(reader, process_resource(self._resource))
        finally:
            self._building = False
        return self._state

    def _time(self, operation: str, outcome: Outcome, seconds: float) -> None:
        state = self._current()
        if state is not None:
            state.instruments.time(operation, outcome, seconds)


def _nothing(*args: Any, **kwargs: Any) -> Any:
    """Be what a reader collects that has nothing to tell any more."""


def _within(timeout: float, work: Callable[[], Any]) -> bool:
    """Do something that may not keep its time, and tell whether it did; what it raises is counted."""
    done: list[bool] = []

    def run() -> None:
        try:
            work()
            done.append(True)
        except Exception as error:
            # The SDK raises when a reader fails or has no time left.
            LEDGER.failure("metrics", error)

    thread = threading.Thread(target=run, name="discreet-metrics", daemon=True)
    try:
        thread.start()
    except RuntimeError:
        # The interpreter is going down and starts no more threads: only waiting is left.
        run()
        return bool(done)
    thread.join(timeout)
    return bool(done)


_pipelines: Final[weakref.WeakSet[MetricPipeline]] = weakref.WeakSet()


def _restart_all() -> None:
    _ids.clear()
    for pipeline in list(_pipelines):
        try:
            pipeline.restart()
        except Exception as error:
            # The others have their turn; the first record starts this one.
            LEDGER.failure("metrics", error)


if hasattr(os, "register_at_fork"):
    # After the timer's own hook: before, its lock may be held by a thread that isn't here.
    os.register_at_fork(after_in_child=_restart_all)
