"""Sabotages of what a sealed record may show: messages, arguments, attributes, names, content."""

from __future__ import annotations

import copy
import re
import sys
from collections.abc import Callable
from typing import Any

from discreet.seal import compose, foreign, known, record, sealing, values
from discreet.seal import message as messages
from discreet.seal.types import hosts
from tests.sabotage.sabotages import noticed_by, wrap


def _everywhere(name: str, function: Callable[..., Any]) -> None:
    """Replace a function in each module that has taken it over by its name."""
    for module in (messages, sealing, values, foreign):
        if hasattr(module, name):
            setattr(module, name, function)


# -- Messages and arguments


@noticed_by("unproven_message")
def an_unproven_message_is_shown() -> None:
    def show(msg: Any, args: Any, *rest: Any) -> Any:
        text = msg % args if args else msg
        return text, text, (), None, 0, False, None

    messages._unproven = show


@noticed_by("equal_to_a_literal")
def a_message_is_proven_by_being_equal_to_a_constant() -> None:
    def around(original: Any, d: Any, wrappers: Any) -> Any:
        site, match = original(d, wrappers)
        frame: Any = sys._getframe(1)
        while frame is not None:
            if d["msg"] in frame.f_code.co_consts and frame.f_code.co_filename == d["pathname"]:
                site = copy.copy(site)
                site.literal, site.sealing = d["msg"], None
            frame = frame.f_back
        return site, match

    wrap(sealing, "prove", around)


@noticed_by("text_argument", "short_argument")
def a_text_argument_is_shown() -> None:
    shown = values.shown
    _everywhere("shown", lambda value: value if type(value) is str else shown(value))


@noticed_by("short_argument")
def a_short_text_is_shown() -> None:
    shown = values.shown
    _everywhere("shown", lambda value: value if type(value) is str and len(value) < 10 else shown(value))


@noticed_by("text_argument", "short_argument")
def the_quick_way_shows_its_arguments() -> None:
    sealing.simple_message = lambda msg, args: (msg % args, msg, args, 0, None)


@noticed_by("character_argument")
def a_number_is_shown_as_the_character_that_it_stands_for() -> None:
    original = messages._slot
    messages._slot = lambda value, arg, attributes, *, spelling: original(value, arg, attributes, spelling=False)


@noticed_by("object_argument")
def an_unknown_object_is_asked_for_its_text() -> None:
    shown = values.shown
    _everywhere("shown", lambda value: str(value) if type(value).__str__ is not object.__str__ else shown(value))


@noticed_by("long_integer")
def an_integer_may_have_any_length() -> None:
    for module in (values, messages):
        module.MAX_INT = 10**400


@noticed_by("keys_of_a_dict")
def the_keys_of_a_dict_are_shown() -> None:
    shown = values.shown
    _everywhere("shown", lambda value: f"<dict {list(value)}>" if type(value) is dict else shown(value))


@noticed_by("enum_member")
def any_enum_member_is_named() -> None:
    values.member_name = lambda value: value.name


@noticed_by("f_string_slot", "adapter_prefix")
def a_slot_of_an_f_string_is_shown() -> None:
    compose.read = lambda parts, text: (text, 0)


@noticed_by("number_beside_text")
def a_number_is_read_although_text_stands_beside_it() -> None:
    def read(parts: Any, text: str) -> tuple[str, int]:
        shown = "".join(part if type(part) is str else f"{{{part.expression}}}" for part in parts)
        return f"{shown} {re.findall('[0-9]+', text)}", 0

    compose.read = read


@noticed_by("guard_that_fails")
def a_guard_that_fails_shows_the_record() -> None:
    def fail(*args: Any) -> Any:
        raise RuntimeError("sabotage")

    def show(d: Any) -> Any:
        text = str(d["msg"]) % d["args"]
        fields = {"created": 0.0, "level": "INFO", "levelno": 20, "logger": "app", "message": text, "msg": text}
        return record.Sealed.of(**fields, args=None)

    sealing._seal = fail
    sealing.withhold_all = show


@noticed_by("public_pieces")
def public_values_are_looked_at_one_by_one() -> None:
    values._place = values.place_of


# -- Attributes and names


@noticed_by("undeclared_extra")
def an_undeclared_attribute_is_let_through() -> None:
    def around(original: Any, logged: Any, d: Any, declared: Any, attributes: Any) -> Any:
        shown = {key: str(d[key]) for key in d if key not in record.STANDARD_KEYS}
        return original(logged, d, declared, {**(attributes or {}), **shown})

    wrap(sealing, "_tail", around)


@noticed_by("declared_extra")
def a_declared_attribute_has_no_type() -> None:
    def around(original: Any, logged: Any, d: Any, declared: Any, attributes: Any) -> Any:
        found, *rest = original(logged, d, declared, attributes)
        return {**(found or {}), **{key: d[key] for key in declared if key in d}}, *rest

    wrap(sealing, "_tail", around)


@noticed_by("usual_extra", "usual_number")
def an_attribute_that_was_right_before_is_let_through() -> None:
    def around(original: Any, self: Any, d: Any) -> Any:
        shown = {name: d[name] for name, *_ in self.steps}
        return {**self.fields, **shown}, shown

    wrap(known.Usual, "sealed", around)


@noticed_by("event_of_text")
def an_undeclared_event_is_shown() -> None:
    def around(original: Any, d: Any, *args: Any) -> Any:
        return original(d, *args)._replace(event=d.get("event"))

    wrap(sealing, "annotate", around)


@noticed_by("logger_name")
def any_logger_name_is_shown() -> None:
    known.logger_name = lambda name, *place: name


@noticed_by("level_name")
def any_level_name_is_shown() -> None:
    sealing.level_name = lambda number, name: name


@noticed_by("thread_name")
def any_thread_name_is_shown() -> None:
    foreign.thread_name = lambda name: name


@noticed_by("host_of_a_link")
def any_host_is_shown() -> None:
    hosts._is_known = lambda host: True


@noticed_by("forged_place")
def any_path_and_function_is_shown() -> None:
    def around(original: Any, d: Any, place: Any) -> Any:
        return {**original(d, place), "pathname": d["pathname"], "funcName": d["funcName"]}

    wrap(foreign, "_begun", around)


@noticed_by("captured_warning")
def a_message_of_a_declared_shape_is_shown_whole() -> None:
    messages._by_pattern = lambda msg, args, rows: (msg, msg, args, rows[0], 0, False, None)
