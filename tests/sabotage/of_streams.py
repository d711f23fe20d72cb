"""Sabotages of streams, of calls that overlap, and of the records of warnings."""

from __future__ import annotations

from typing import Any

from opentelemetry import context as otel_context

from discreet import call
from discreet.doors import report
from discreet.instrument import streams
from tests.sabotage.sabotages import noticed_by, wrap


@noticed_by("call_streams")
def a_stream_that_was_closed_is_ok() -> None:
    streams._closed = lambda _: None


@noticed_by("call_streams")
def a_stream_is_current_between_its_items() -> None:
    streams.Stretches.__exit__ = lambda *_: None  # type: ignore[method-assign]


@noticed_by("call_streams")
def the_call_of_a_stream_never_ends() -> None:
    streams._end = lambda *_: None


@noticed_by("call_stream_items")
def the_items_of_a_stream_are_not_counted() -> None:
    call.Call._streamed = lambda *_: None  # type: ignore[method-assign]


@noticed_by("call_stream_shutdown")
def an_event_loop_closes_what_is_observed_in_no_call() -> None:
    streams._first = lambda inner: inner.asend(None)


@noticed_by("call_stream_given_up")
def a_stream_that_is_given_up_stays_current() -> None:
    del streams.Stretches.__del__


@noticed_by("call_overlapping")
def a_call_that_has_ended_is_current_again() -> None:
    def detach(self: Any) -> None:
        if otel_context.get_current() is self._context:
            otel_context.attach(self._before)
            self._context = None

    call.Call._detach = detach  # type: ignore[method-assign]


@noticed_by("call_fallbacks")
def a_warning_has_no_record() -> None:
    call.log_fallback = lambda *_: None


@noticed_by("call_fallbacks", "call_fallbacks_of_others")
def each_call_logs_the_warnings_of_those_inside_it() -> None:
    wrap(call.Call, "_warn", lambda original, self, warnings, **_: original(self, warnings))


@noticed_by("call_fallbacks_of_others")
def what_a_library_prints_tells_nothing_of_the_call() -> None:
    report.NOTICES = []  # type: ignore[misc]
