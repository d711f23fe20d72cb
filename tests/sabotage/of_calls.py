"""Sabotages of observed calls and of metrics."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from discreet import call, call_counts, call_warnings, calls, given, operations, scope_replies, text_fields, texts
from discreet.instrument import attempts, command_line, streams, tenacity
from discreet.instrument import observed as instrumented
from discreet.look import Look
from discreet.matching import Index
from discreet.matching.growing import Growing
from discreet.metrics import names, pipeline
from tests.sabotage.sabotages import noticed_by, wrap


@noticed_by("call_names")
def any_text_is_the_name_of_an_operation() -> None:
    calls.said = lambda name: name


@noticed_by("call_names")
def a_word_is_the_name_of_an_operation_whoever_says_it() -> None:
    wrap(operations, "_is_constant", lambda *_: True)


@noticed_by("call_names")
def any_text_is_a_warning_code() -> None:
    call.declared_code = call_warnings.declared_code = str


@noticed_by("call_names")
def any_text_is_an_error_class() -> None:
    class Anything(tuple[str, ...]):
        __slots__ = ()

        def __contains__(self, one: object) -> bool:
            return True

    call.ERROR_CLASSES = Anything()  # type: ignore[assignment]  # a closed list of words


@noticed_by("call_names")
def a_word_is_the_codes_if_it_is_the_same() -> None:
    operations._is_of_code = lambda _: True


@noticed_by("call_in_part_known")
def a_decorator_leaves_arguments_as_they_are() -> None:
    def trusting(original: Any, self: Any, *args: Any, **options: Any) -> None:
        original(self, *args, **options)
        self.wrapped = False

    wrap(given.Given, "__init__", trusting)


@noticed_by("call_names")
def any_number_is_a_count_of_warnings() -> None:
    call.MOST = 2**4000  # type: ignore[misc]  # a bound


@noticed_by("call_exception")
def the_exception_of_a_call_is_recorded() -> None:
    def telling(original: Any, self: Any, error: Any, *rest: Any) -> None:
        if error is not None:
            self._span.record_exception(error)
        original(self, error, *rest)

    wrap(call.Call, "_tell", telling)


@noticed_by("call_swallowed")
def a_call_that_failed_without_raising_is_ok() -> None:
    call.Call.fail = lambda *_, **__: None  # type: ignore[method-assign]


@noticed_by("call_swallowed")
def failed_items_do_not_degrade_a_call() -> None:
    def result(original: Any, self: Any, value: Any, **_: Any) -> Any:
        return original(self, value)

    wrap(call.Call, "result", result)


@noticed_by("call_swallowed")
def a_reply_is_not_registered() -> None:
    scope_replies._add = lambda *_: None


@noticed_by("repeated_attempts")
def an_attempt_tells_what_its_exception_says() -> None:
    attempts.Reason.of = lambda error: attempts.Reason(type=str(error))  # type: ignore[method-assign, assignment]


@noticed_by("repeated_attempts")
def any_text_is_the_operation_of_an_attempt() -> None:
    tenacity.said = lambda name: name


@noticed_by("repeated_attempts")
def a_hook_into_retries_raises() -> None:
    tenacity.never_raises = lambda look: look


@noticed_by("repeated_attempts")
def an_attempt_does_not_know_the_call_around_it() -> None:
    attempts.running = lambda: None


@noticed_by("call_reply_elsewhere")
def a_reply_is_not_seen_where_its_scope_is_seen_within_another() -> None:
    def add(original: Any, seen: Any, text: str) -> None:
        seen._index = Index(seen._index._texts)
        original(seen, text)

    wrap(scope_replies, "_add", add)


@noticed_by("call_reply_after")
def a_reply_outlives_its_scope() -> None:
    def clear(original: Any, self: Any) -> None:
        later = self.later
        original(self)
        self.later = later

    Growing.clear = lambda self: None  # type: ignore[method-assign]
    wrap(Index, "clear", clear)


@noticed_by("call_replies")
def a_scope_keeps_any_number_of_replies() -> None:
    wrap(Growing, "__init__", lambda original, self, *_: original(self))


@noticed_by("call_reply_between")
def what_was_missing_before_a_reply_came_stays_missing() -> None:
    missing: set[str] = set()

    def find(original: Any, self: Any, value: str, **options: bool) -> Any:
        found = None if value in missing else original(self, value, **options)
        if found is None:
            missing.add(value)
        return found

    wrap(Index, "find", find)


@noticed_by("call_in_part_known")
def what_could_not_be_read_of_a_call_is_forgotten() -> None:
    def opened(original: Any, texts: Any, *rest: Any, **options: Any) -> Any:
        scope = original(texts, *rest, **options)
        scope._index.partial, scope._look = False, Look((scope,))
        return scope

    wrap(call, "opened", opened)


@noticed_by("call_in_part_known")
def a_library_sees_no_more_than_the_texts_that_it_is_given() -> None:
    instrumented.known_in_part = lambda owner: None


@noticed_by("call_collected")
def a_call_that_is_collected_runs_until_it_is_ended_too() -> None:
    def ended(original: Any, self: Any, counted: Any, *rest: Any) -> bool:
        counted.is_lost = False
        return bool(original(self, counted, *rest))

    wrap(call_counts.CallCounts, "ended", ended)


@noticed_by("call_outcomes")
def a_cancelled_call_counts_as_an_error() -> None:
    def outcome(original: Any, self: Any, error: Any) -> str:
        return "error" if error is not None else original(self, error)

    wrap(call.Call, "_outcome", outcome)


@noticed_by("call_outcomes")
def a_call_does_not_know_the_one_around_it() -> None:
    call.owners = lambda: iter(())


@noticed_by("call_outcomes")
def the_exception_of_a_call_is_swallowed() -> None:
    def leave(original: Any, *args: Any) -> bool:
        original(*args)
        return True

    wrap(calls.ObservedCall, "__exit__", leave)


@noticed_by("call_fields")
def a_field_that_can_not_be_read_is_passed_over() -> None:
    text_fields._is_hidden = lambda kind, name: False


@noticed_by("call_fields")
def the_fields_of_an_object_are_not_read() -> None:
    texts.fields = lambda value: iter(())


@noticed_by("wrong_environment")
def a_wrong_variable_leaves_no_guard() -> None:
    command_line._guard = lambda: None


@noticed_by("instrumented_texts")
def the_texts_of_a_library_are_not_registered() -> None:
    instrumented._texts = lambda *_: ({}, True)


@noticed_by("instrumented_texts")
def the_texts_of_a_stream_are_known_to_whoever_reads_it() -> None:
    streams.Stretches.__exit__ = lambda *_: None  # type: ignore[method-assign]


@noticed_by("metrics_begin_at_0")
def a_series_begins_when_it_first_counts() -> None:
    def none(self: names.Names) -> Iterator[names.Attributes]:
        return iter(())

    names.Names.declared = none  # type: ignore[method-assign]


@noticed_by("metrics_of_processes")
def all_processes_measure_as_one() -> None:
    pipeline.process_resource = lambda shared: shared
