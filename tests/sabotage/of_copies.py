"""Sabotages of exceptions, of the copies that others get, of the side doors and of the sinks."""

from __future__ import annotations

import logging
import sys
from dataclasses import replace
from typing import Any

from discreet import choke, covers
from discreet.doors import last_resort
from discreet.export import encode, foreign_guard, span_guard
from discreet.seal import classes, codes, exceptions, foreign, frames, record, sealing
from tests.sabotage.sabotages import noticed_by, wrap

# -- Exceptions


@noticed_by("exception_text")
def the_text_of_an_exception_is_shown() -> None:
    exceptions._message = lambda exc, facts: str(exc)


@noticed_by("exception_notes")
def the_notes_of_an_exception_are_shown() -> None:
    def around(original: Any, exc: Any, *args: Any) -> Any:
        facts = original(exc, *args)
        return replace(facts, chain=(*facts.chain, *getattr(exc, "__notes__", ())))

    wrap(sealing, "describe", around)


@noticed_by("exception_own_code")
def any_code_of_an_exception_is_shown() -> None:
    def around(original: Any, exc: Any, *args: Any) -> Any:
        return replace(original(exc, *args), code=getattr(exc, "code", None))

    wrap(sealing, "describe", around)


@noticed_by("exception_class_name")
def any_class_is_named() -> None:
    codes.shown_class = lambda cls: cls.__qualname__


@noticed_by("exception_class_name")
def any_class_name_counts_as_proven() -> None:
    classes._walk = lambda module, parts: None
    classes._own_name = lambda cls: classes.ClassName(cls.__module__, cls.__qualname__, exact=True)


@noticed_by("cached_traceback")
def a_cached_traceback_is_kept() -> None:
    def around(original: Any, logged: Any, *args: Any) -> Any:
        copy = original(logged, *args)
        copy.__dict__["exc_text"] = logged["exc_text"]
        return copy

    wrap(foreign, "sealed_record", around)


@noticed_by("cached_traceback", "stack_of_a_call")
def the_stack_is_kept() -> None:
    def around(original: Any, logged: Any, *args: Any) -> Any:
        copy = original(logged, *args)
        copy.__dict__["stack_info"] = logged["stack_info"]
        return copy

    wrap(foreign, "sealed_record", around)


@noticed_by("exception_for_others")
def a_stand_in_has_the_arguments() -> None:
    def around(original: Any, exc: Any, traceback: Any) -> Any:
        cls, found, stubs = original(exc, traceback)
        found.args = exc.args
        return cls, found, stubs

    wrap(record, "stand_in", around)


@noticed_by("exception_for_others")
def others_get_the_exception_itself() -> None:
    record.stand_in = lambda exc, traceback: (type(exc), exc, traceback)


@noticed_by("frames_for_others")
def stub_frames_have_source_lines() -> None:
    # A frame whose file can be read is shown with the line that stands there.
    path = frames.Place.frame

    def frame(self: Any) -> Any:
        stub = path(self)
        real = getattr(sys.modules.get(self.module), "__file__", None)
        if real is None:
            return stub
        code = stub.f_code.replace(co_filename=real)
        generator = frames.FunctionType(code, {"__name__": self.module})()
        found = generator.gi_frame
        generator.close()
        return found

    frames.Place.frame = frame


@noticed_by("frames_for_others")
def others_get_the_frames_themselves() -> None:
    def around(original: Any, exc: Any, traceback: Any) -> Any:
        cls, found, _ = original(exc, traceback)
        found.__traceback__ = traceback
        return cls, found, traceback

    wrap(record, "stand_in", around)


# -- Content loggers


@noticed_by("content_at_info")
def content_may_have_any_level() -> None:
    def around(original: Any, logged: Any, d: Any) -> Any:
        sealed = original(logged, d)
        if logged.name == "rag.content" and sealing.is_open(logged.name):
            sealed.content, sealed.content_message = True, logged.getMessage()
        return sealed

    wrap(sealing, "_seal", around)


@noticed_by("content_by_inheritance")
def an_inherited_level_opens_a_content_logger() -> None:
    sealing.is_open = lambda name: logging.getLogger(name).getEffectiveLevel() == logging.DEBUG


@noticed_by("content_for_senders")
def any_handler_gets_content() -> None:
    class Everything:
        def __contains__(self, kind: object) -> bool:
            return True

    foreign._LOCAL = Everything()


# -- The choke point and the side doors


@noticed_by("fields_for_others", "everything_of_the_record", "overridden_handle")
def the_choke_point_lets_the_original_through() -> None:
    covers.record_for = lambda handler, logged: logged


@noticed_by("fields_for_others")
def a_field_that_a_format_names_is_the_originals() -> None:
    def around(original: Any, logged: Any, *args: Any) -> Any:
        copy = original(logged, *args)
        copy.__dict__.update({key: item for key, item in logged.items() if key not in copy.__dict__})
        return copy

    wrap(foreign, "sealed_record", around)


@noticed_by("everything_of_the_record", "fields_for_others")
def the_arguments_are_the_originals() -> None:
    def around(original: Any, logged: Any, *args: Any) -> Any:
        copy = original(logged, *args)
        copy.__dict__["args"] = logged["args"]
        return copy

    wrap(foreign, "sealed_record", around)


@noticed_by("guard_that_fails")
def a_copy_that_fails_is_the_original() -> None:
    def fail(*args: Any) -> Any:
        raise RuntimeError("sabotage")

    foreign.sealed_record = fail
    foreign.failed = lambda logged, where, error: logged


@noticed_by("appended_handler")
def classes_that_come_later_are_not_covered() -> None:
    del logging.Handler.__init_subclass__


@noticed_by("overridden_handle", "appended_handler")
def a_handle_that_is_overridden_is_not_covered() -> None:
    covers.cover = lambda owner: None


@noticed_by("failing_handler")
def the_error_of_a_handler_is_printed_as_logging_does() -> None:
    logging.Handler.handleError = choke._state[logging.Handler, "handleError"][0]


@noticed_by("last_resort")
def the_last_resort_is_exempt() -> None:
    last_resort.close_door()
    wrap(covers, "exempt", lambda original, handler: handler is logging.lastResort or original(handler))


@noticed_by("untouched_original")
def the_original_is_changed() -> None:
    def around(original: Any, handler: Any, logged: Any) -> Any:
        sealed = original(handler, logged)
        logged.__dict__.update(msg=sealed.msg, args=sealed.args, exc_info=None)
        return sealed

    wrap(covers, "record_for", around)


# -- Sinks


@noticed_by("span_status")
def the_description_of_a_status_is_kept() -> None:
    def around(original: Any, self: Any, span: Any, *args: Any) -> Any:
        guarded = original(self, span, *args)
        guarded._status = span.status
        return guarded

    wrap(span_guard._Guard, "span", around)


@noticed_by("span_exception")
def the_attributes_of_a_span_event_are_kept() -> None:
    span_guard._Guard._event = lambda self, event: event


@noticed_by("span_attribute", "span_exception")
def any_attribute_of_a_span_is_let_through() -> None:
    foreign_guard._chosen = lambda given, lists: (dict(given), 0)


@noticed_by("span_name")
def any_name_of_a_span_is_shown() -> None:
    span_guard.safe_span_name = lambda name, *rest: name


@noticed_by("broken_line")
def separators_and_controls_are_written_as_they_are() -> None:
    class Nothing:
        def search(self, text: str) -> None:
            return None

        def sub(self, how: Any, text: str) -> str:
            return text

    encode._UNSAFE = Nothing()
