"""Sabotages of match mode, and of the messages that a contract calls safe."""

from __future__ import annotations

from typing import Any

from discreet import match_mode, scope, scoped
from discreet.matching import index as matching
from discreet.matching.folding import letters
from discreet.seal import exceptions, known, matched, sealing
from tests.sabotage.sabotages import noticed_by, wrap


@noticed_by("match_value", "match_slot", "match_message", "match_pieces", "safe_message")
def the_matcher_is_asked_and_not_heeded() -> None:
    scope.Look.find = lambda self, value, **options: None  # type: ignore[method-assign]
    scope.Look.find_part = lambda self, value: None  # type: ignore[method-assign]
    scope.Look.lacks = lambda self, value, parts: True  # type: ignore[method-assign]


@noticed_by("match_value", "match_pieces")
def what_is_plain_is_not_looked_at() -> None:
    def at_once(msg: Any, args: Any, *rest: Any) -> Any:
        return msg % args, msg, args, 0, None

    sealing.match_at_once = at_once


@noticed_by("match_value")
def the_parts_of_what_is_plain_are_not_looked_at() -> None:
    wrap(matching.Index, "lacks", lambda original, self, value, parts: original(self, value, ()))


@noticed_by("match_lines")
def anything_is_plain() -> None:
    matching.plain_letters = letters


@noticed_by("match_pieces")
def the_finished_message_is_not_looked_at() -> None:
    matched._Strings.agree = lambda self, text: False  # type: ignore[method-assign]


@noticed_by("match_value")
def an_argument_is_not_looked_at() -> None:
    def shown(value: Any, sealed: Any, strings: Any) -> Any:
        return value if type(value) is str else sealed

    matched._one = shown


@noticed_by("match_value")
def a_quick_argument_is_not_looked_at() -> None:
    def simple(msg: str, args: Any, *rest: Any, **options: Any) -> Any:
        return msg % args, msg, args, None, 0, False, None

    known.match_simple = simple


@noticed_by("match_value")
def what_is_seen_of_a_string_alone_is_not_looked_at() -> None:
    scope.Look.find_part = lambda self, value: None  # type: ignore[method-assign]


@noticed_by("match_slot")
def a_slot_is_not_looked_at() -> None:
    matched._composed = lambda msg, args, parts, row, strings: (msg, msg, args, row, 0, False, None)


@noticed_by("match_message")
def an_unproven_message_is_not_looked_at() -> None:
    matched._built = lambda msg, args, denied, strings: (msg, msg, (), None, 0, False, None)


@noticed_by("match_without_scope")
def a_call_without_a_scope_counts_as_one_without_texts() -> None:
    matched.look = lambda: scoped.look() or scope.Look(())
    scope.Look.valid = property(lambda self: True)  # type: ignore[assignment]


@noticed_by("match_after_an_inner_call")
def the_call_around_one_that_has_ended_counts() -> None:
    def open_ones() -> scope.Look | None:
        found = scope.current()
        return scope.Look((found,)) if found is not None and not found._index.blank else None

    scoped.LOOKS[:] = [open_ones]


@noticed_by("match_after_the_call", "match_after_an_inner_call")
def a_scope_that_has_ended_counts() -> None:
    def whichever() -> scope.Look | None:
        found = scope._CURRENT.get()
        return scope.Look((found,)) if found is not None else None

    scoped.LOOKS[:] = [whichever]
    scope.Look.valid = property(lambda self: True)  # type: ignore[assignment]


@noticed_by("match_without_text")
def a_scope_with_blank_texts_counts() -> None:
    def open_ones() -> scope.Look | None:
        found = scope.current()
        return scope.Look((found,)) if found is not None else None

    scoped.LOOKS[:] = [open_ones]
    scope.Look.valid = property(lambda self: True)  # type: ignore[assignment]


@noticed_by("match_prefix")
def a_prefix_may_end_inside_of_a_name() -> None:
    def begins(name: Any) -> bool:
        return type(name) is str and name.startswith(match_mode.match_prefixes() or "\0")

    known.in_match_mode = begins


@noticed_by("match_content")
def content_loggers_are_in_match_mode_too() -> None:
    match_mode._content = lambda: ("\0",)


@noticed_by("match_lines")
def any_string_is_let_through_that_is_not_found() -> None:
    def shown(self: Any, value: str, stand_in: Any) -> Any:
        found = self.into.find(value) is not None
        self.through += [] if found else [value]
        return stand_in if found else value

    matched._Strings.shown = shown  # type: ignore[method-assign]


@noticed_by("match_object")
def objects_are_let_through_as_their_text() -> None:
    matched.shown = str


@noticed_by("match_number")
def numbers_of_any_length_are_let_through() -> None:
    def around(original: Any, msg: str, args: Any, parts: Any, *rest: Any) -> Any:
        for slot in parts.slots:
            slot.numeric = False
        return original(msg, args, parts, *rest)

    wrap(matched, "_composed", around)


@noticed_by("safe_message")
def a_safe_message_is_not_looked_at() -> None:
    exceptions._check = exceptions._Check(lambda text: True)


@noticed_by("safe_message")
def a_safe_message_is_shown_without_texts_of_the_call() -> None:
    def is_clear(text: str) -> bool:
        into = scoped.look()
        return into is None or into.find(text) is None

    exceptions._check = exceptions._Check(is_clear)
