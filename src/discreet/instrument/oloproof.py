"""oloproof: evaluations and comparisons, and records of what became of their runs."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import wraps
from inspect import iscoroutinefunction
from typing import Any, Protocol

from discreet.instrument.attempts import Reason, attempt_failed
from discreet.instrument.base import LibraryInstrumentor, Target
from discreet.instrument.observed import Observed
from discreet.instrument.oloproof_progress import Progress
from discreet.instrument.oloproof_records import tell_comparison, tell_evaluation, tell_failure
from discreet.instrument.quiet import never_raises
from discreet.instrument.streams import pass_over

__all__ = ["OloproofInstrumentor"]

pass_over(__file__)


class _Watch(Protocol):
    """Looks at one run."""

    def given(self, kwargs: dict[str, Any]) -> dict[str, Any]:
        """Return the arguments to run with."""

    def returned(self, result: Any) -> None:
        """Tell of a run that has a result."""

    def raised(self, error: BaseException) -> None:
        """Tell of a run that has none."""


class _Evaluation:
    def __init__(self) -> None:
        self._started = time.perf_counter()
        self._progress = Progress()

    def given(self, kwargs: dict[str, Any]) -> dict[str, Any]:
        return {**kwargs, "event_sink": self._progress.beside(kwargs.get("event_sink"))}

    def returned(self, result: Any) -> None:
        tell_evaluation(result, _milliseconds(self._started))

    def raised(self, error: BaseException) -> None:
        tell_failure(error, self._progress, _milliseconds(self._started), comparison=False)


class _Comparison:
    def __init__(self) -> None:
        self._started = time.perf_counter()
        self._progress = Progress()

    def given(self, kwargs: dict[str, Any]) -> dict[str, Any]:
        # A comparison takes no sink of events. It asks this before each call, so it has begun once it does.
        return {**kwargs, "stop": self._progress.asked(kwargs.get("stop"))}

    def returned(self, result: Any) -> None:
        tell_comparison(result, _milliseconds(self._started))

    def raised(self, error: BaseException) -> None:
        tell_failure(error, self._progress, _milliseconds(self._started), comparison=True)


def _milliseconds(started: float) -> float:
    return round((time.perf_counter() - started) * 1000, 3)


def _in_context(function: Callable[..., Any], kwargs: dict[str, Any]) -> Any:
    """Call a function of oloproof's that isn't a coroutine function, with this context wherever it runs."""
    if not _a_loop_runs():
        return function(**kwargs)
    # It starts a thread then and waits for it, but without the context: its spans would be nobody's.
    context = copy_context()
    with ThreadPoolExecutor(1) as threads:
        return threads.submit(lambda: context.run(function, **kwargs)).result()


def _a_loop_runs() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _watched(make: Callable[[], _Watch]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def within(function: Callable[..., Any]) -> Callable[..., Any]:
        if iscoroutinefunction(function):

            @wraps(function)
            async def coroutine(**kwargs: Any) -> Any:
                watch = make()
                try:
                    result = await function(**watch.given(kwargs))
                except BaseException as error:
                    watch.raised(error)
                    raise
                watch.returned(result)
                return result

            return coroutine

        @wraps(function)
        def plain(**kwargs: Any) -> Any:
            watch = make()
            try:
                result = _in_context(function, watch.given(kwargs))
            except BaseException as error:
                watch.raised(error)
                raise
            watch.returned(result)
            return result

        return plain

    return within


@never_raises
def _repeated(attempt: int, seconds: float) -> None:
    from oloproof_core.execution.retry import TransientError

    error = sys.exc_info()[1]
    if error is not None and issubclass(type(error), TransientError):
        reason = Reason.of(error)
    else:
        # oloproof has let go of a system's exception when it asks how long to wait: only this class is repeated,
        # but it may have been one below.
        reason = Reason.of(TransientError(""))
    attempt_failed(reason, attempt + 1, seconds)


def _waits(function: Callable[..., Any]) -> Callable[..., Any]:
    """oloproof asks its policy how long to wait, once before each attempt but the first, and for nothing else."""

    @wraps(function)
    def delay(policy: Any, attempt: Any, *args: Any, **kwargs: Any) -> Any:
        seconds = function(policy, attempt, *args, **kwargs)
        _repeated(attempt, seconds)
        return seconds

    return delay


_EVALUATE = Observed(operation="oloproof.evaluate", whole=False)
_COMPARE = Observed(operation="oloproof.evaluate_comparison", whole=False)


class OloproofInstrumentor(LibraryInstrumentor):
    """Observes what oloproof evaluates, as of release 0.1.0a20, and logs what became of each run.

    ::

        OloproofInstrumentor().instrument()

    ``oloproof.evaluate`` and ``evaluate_comparison``, and their forms with an ``a``, are calls as of
    :func:`discreet.observe_call`. On the logger ``oloproof`` each run has one record ``run_finished``, one
    ``metric_measured`` for each metric with its four counts, estimate and interval, and one ``case_errored`` for each
    kind of error that left cases missing; a comparison has ``comparison_finished`` and ``difference_measured`` too.
    A run that is refused before its first case has one ``run_refused`` instead.

    oloproof repeats what failed for a while, and reports nothing of that. Each attempt that it repeats, of a system, a
    judge or a simulated user, has one record ``attempt_failed``, and the call has the number of ``retries``.

    A decision is about the system under test, a run's status about the run: no attribute holds both.

    .. versionadded:: 0.1.0
    """

    package = "oloproof"
    dependencies = ("oloproof >= 0.1.0a20, < 0.2",)

    def targets(self) -> Collection[Target]:
        """Return oloproof's functions."""
        return (
            Target(where="oloproof:evaluate", how=_EVALUATE, within=_watched(_Evaluation)),
            Target(where="oloproof:aevaluate", how=_EVALUATE, within=_watched(_Evaluation)),
            Target(where="oloproof:evaluate_comparison", how=_COMPARE, within=_watched(_Comparison)),
            Target(where="oloproof:aevaluate_comparison", how=_COMPARE, within=_watched(_Comparison)),
            Target(where="oloproof_core.execution.retry:RetryPolicy.delay", how=None, within=_waits),
        )
