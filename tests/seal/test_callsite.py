from __future__ import annotations

import logging

import pytest

from discreet.seal import callsite, plans
from discreet.seal.callsite import Site, find
from discreet.seal.compose import Slot
from discreet.seal.sources import failures
from tests.seal import ways
from tests.seal.sites import finding

SHOWN = {
    "literal": ["Nothing to fill in"],
    "arguments": ["Kept %s of %d"],
    "mapping": ["Kept %(what)s"],
    "f_string": ["Kept {TEXT} for 2.7 s"],
    "f_string_debug": ["Kept COUNT={COUNT} of {TEXT}"],
    "f_string_nested_spec": ["Kept {COUNT} of it"],
    "format_method": ["Kept {TEXT} for 2.72 s"],
    "format_names": ["Kept {TEXT} for 2.72 s"],
    "percent_operator": ["Kept {TEXT} for 2.72 s"],
    "percent_operator_texts_only": ["Kept {TEXT} of {COUNT} here"],
    "plus": ["Kept {TEXT} at home"],
    "plus_number": ["Kept {TEXT} and 39 letters"],
    "several_lines": ["Kept over several lines %s"],
    "several_lines_f": ["Kept over {TEXT} several lines 41"],
    "attribute_on_next_line": ["Chained {TEXT} along"],
    "two_on_a_line": ["Left {TEXT}", "Right 41"],
    "semicolon": ["Before {TEXT}", "After 41"],
    "conditional": ["Found {TEXT}"],
    "conditional_literal": ["Missed %s"],
    "conditional_returned": ["Missed it"],
    "alternative": ["Nothing was said"],
    "exception": ["Lost {TEXT} on the way"],
    "with_level": ["At a level {TEXT}"],
    "by_keyword": ["By keyword {TEXT}"],
    "plain_adapter": ["Adapted {TEXT} or not"],
    "plain_adapter_literal": ["Adapted %s literally"],
    "stamping_adapter": ["{prefix}Stamped on both sides{suffix}"],
    "stamping_adapter_f": ["{prefix}Stamped around {TEXT} and {COUNT} of both{suffix}"],
    "relayed": [None],
    "relayed_f": [None],
    "relayed_up": ["Lifted %s upwards"],
    "relayed_up_f": ["Lifted {TEXT} upwards"],
    "relayed_with_prefix": ["Relayed: {message}"],
    "decorated": ["Calling {function.__name__} with {args}"],
    "comprehension": ["Each {one}"],
    "generator": ["Every {one}"],
    "with_await": ["Awaited {await reply()} in 2.7 s"],
    "mapped_literals": [None],
    "mapped_texts": [None],
    "partial": [None],
    "lambda_parameter": [None],
    "local_template": ["Local %s template"],
    "local_f_string": [None],
    "module_constant": ["The module says that %s was here"],
    "class_constant": ["The class keeps %s for later"],
    "inherited_constant": ["The class keeps %s for later"],
    "named_class_constant": ["The class keeps %s for later"],
    "text": [None],
    "text_with_args": ["{TEXT} %s"],
    "joined": [None],
    "root_function": ["Rooted {TEXT} firmly"],
    "walrus": ["Walrus {TEXT} ashore"],
    "starred": ["Starred %s and %s"],
    "starred_list": [None],
    "double_starred": ["Starred %s twice"],
    "translated": ["Translated %s well"],
    "computed": [None],
    "blank": [None],
    "one_letter": ["x"],
    "one_letter_text": [None],
}


def test_every_way_to_log_is_tried():
    """A way that is added to the list has its expected outcome here."""
    made_there = {
        name
        for name, value in vars(ways).items()
        if callable(value) and getattr(value, "__module__", "") == ways.__name__ and name.islower()
    }
    assert made_there - {"relay", "relay_up", "add_prefix"} == set(SHOWN)


@pytest.mark.parametrize("way", SHOWN)
def test_a_message_shows_the_literals_of_its_own_call_and_nothing_else(way):
    """What is proven is shown, the rest by its expression; no piece of a customer's text is in it."""
    with finding() as finder:
        getattr(ways, way)()
    found = finder.take()
    assert found == SHOWN[way]
    assert not [text for text in found if text is not None and ways.TEXT in text]


@pytest.mark.parametrize("way", ["relayed", "relayed_f"])
def test_a_named_wrapper_is_passed_over(way):
    """The argument of the wrapper's caller counts when a contract names the wrapper."""
    with finding(frozenset({"tests.seal.ways.relay"})) as finder:
        getattr(ways, way)()
    assert finder.take() == [{"relayed": "Relayed %s onwards", "relayed_f": "Relayed {TEXT} onwards"}[way]]


def test_a_site_names_the_place_of_the_call():
    """Module, qualified function, line, template, parts: all that is known of a composed message."""
    with finding() as finder:
        ways.f_string()
    site = finder.sites[0]
    assert (site.module, site.function, site.line) == (
        "tests.seal.ways",
        "f_string",
        ways.f_string.__code__.co_firstlineno + 1,
    )
    assert (site.literal, site.key) == (None, "Kept {} for {} s")
    assert site.parts == ("Kept ", Slot("TEXT"), " for ", Slot("SECONDS", numeric=True), " s")
    assert site.code is ways.f_string.__code__


def test_the_key_of_a_literal_depends_on_whether_it_is_formatted():
    """Without arguments logging does not format, so a percent sign is only a percent sign."""
    with finding() as finder:
        for args in ((), (3,)):
            logging.getLogger("ways").info("90%% of {it} and %d", *args)
    assert [site.key for site in finder.sites] == ["90%% of {{it}} and %d", "90% of {{it}} and {}"]


def test_the_site_of_a_wrapped_call_names_the_caller_and_keeps_the_records_code():
    """The caller is where a contract's row applies; the record's own code tells what its attributes may say."""
    with finding(frozenset({"tests.seal.ways.relay"})) as finder:
        ways.relayed()
    assert (finder.sites[0].function, finder.sites[0].code) == ("relayed", ways.relay.__code__)


def test_a_class_of_wrappers_covers_its_methods():
    """A contract names a class whose methods only hand messages on."""
    logging.setLoggerClass(ways.Named)
    try:
        named = logging.getLogger("ways.named")
    finally:
        logging.setLoggerClass(logging.Logger)
    with finding(frozenset({"tests.seal.ways.Named"})) as finder:
        named.shout("Shouted %s", ways.TEXT)
    with finding() as unaware:
        named.shout("Shouted %s", ways.TEXT)
    assert (finder.take(), unaware.take()) == (["Shouted %s"], [None])


def test_a_wrapper_that_composes_shows_what_it_adds_when_its_caller_proves_nothing():
    """The caller's own argument comes first; a text in it leaves the wrapper's own literal."""
    with finding(frozenset({"tests.seal.ways.add_prefix"})) as finder:
        ways.add_prefix(ways.TEXT)
        ways.add_prefix("Handed on to the relay")
    assert finder.take() == ["Relayed: {message}", "{prefix}Handed on to the relay"]


def test_a_message_that_is_no_text_is_unproven():
    """An object in place of a message has no literal; the place is known all the same."""
    with finding() as finder:
        logging.getLogger("ways").info(ValueError(ways.TEXT))
        logging.getLogger("ways").info(ways.COUNT)
    assert finder.take() == [None, None]
    assert {(site.module, site.function) for site in finder.sites} == {
        (__name__, "test_a_message_that_is_no_text_is_unproven")
    }


def test_a_subclass_of_str_is_unproven():
    """Such a class decides itself what its methods return."""

    class Text(str):
        __slots__ = ()

    message = Text("Looks like a literal")
    with finding() as finder:
        logging.getLogger("ways").info(message)
        logging.getLogger("ways").info(message, 1)
    assert finder.take() == [None, None]


def test_one_site_proves_several_templates_and_refuses_texts_between_them():
    """A variable that holds a template now and a text then is looked at each time."""
    with finding() as finder:
        for message in ("First %s", ways.TEXT + " %s", "Second %s", ways.TEXT + " %s", "First %s"):
            logging.getLogger("ways").info(message, 1)
    assert finder.take() == ["First %s", None, "Second %s", None, "First %s"]


def test_an_equal_text_is_no_literal():
    """Identity with the constant is needed: a customer may have typed the same words."""
    template = "Refused %s at the door"
    typed = "".join(list(template))
    with finding() as finder:
        logging.getLogger("ways").info(typed, 1)
        logging.getLogger("ways").info(template, 1)
    assert finder.take() == [None, template]


def test_a_call_that_fails_to_format_is_still_proven():
    """The proof is about the template; that it doesn't fit the arguments is another matter."""
    with finding() as finder:
        logging.getLogger("ways").info("Two %s and %s", 1)
    assert finder.take() == ["Two %s and %s"]


def test_an_unproven_site_has_no_template():
    """Nothing of the message is in the site."""
    with finding() as finder:
        logging.getLogger("ways").info(ways.TEXT)
    site = finder.sites[0]
    assert (site.literal, site.parts, site.key) == (None, None, None)


def test_a_record_without_its_attributes_is_found_nowhere():
    """Whoever deletes attributes of a record gets no exception from us."""
    record = logging.makeLogRecord({"msg": "x"})
    for name in ("lineno", "pathname", "funcName", "msg", "args"):
        del record.__dict__[name]

    class Stripper(logging.Handler):
        def emit(self, original):
            for name in ("pathname", "msg", "args"):
                original.__dict__.pop(name, None)
            found.append(find(original, frozenset()))

    found: list[Site] = [find(record, frozenset())]
    handler = Stripper()
    log = logging.getLogger("ways.stripped")
    log.propagate = False
    log.addHandler(handler)
    try:
        for _ in range(2):
            log.warning("Stripped of all")
    finally:
        log.removeHandler(handler)
    assert [(site.module, site.literal) for site in found] == [(None, None)] * 3


class Touchy:
    """An object that wants to be asked nothing."""

    def __eq__(self, other):
        raise AssertionError("compared")

    def __hash__(self):
        raise AssertionError("hashed")

    def __bool__(self):
        raise AssertionError("tested")

    def __len__(self):
        raise AssertionError("measured")

    def __str__(self):
        raise AssertionError("printed")


@pytest.mark.parametrize("name", ["lineno", "pathname", "funcName", "args", "msg"])
def test_no_object_on_a_record_is_asked_for_anything(name):
    """Attributes of a record can be of any class, whose methods are the application's."""

    class Setter(logging.Handler):
        def emit(self, record):
            setattr(record, name, Touchy())
            found.append(find(record, frozenset()))

    found: list[Site] = []
    log = logging.getLogger("ways.touchy")
    log.propagate = False
    handler = Setter()
    log.addHandler(handler)
    try:
        for _ in range(2):
            log.warning("Touched %s", 1)
    finally:
        log.removeHandler(handler)
    expected = {"args": "Touched %s"}.get(name)
    assert [site.literal for site in found] == [expected] * 2


def test_a_failure_of_our_own_proves_nothing_and_is_counted(monkeypatch):
    """Code that is not understood makes a log call neither fail nor show anything."""

    def fail(*args):
        raise error

    log = logging.getLogger("ways")
    outcomes = []
    for error in (IndexError("x"), RecursionError("x")):
        before = failures[type(error).__name__]
        with finding() as finder:
            for broken in (True, False):
                with monkeypatch.context() as patched:
                    if broken:
                        patched.setattr(plans, "call_at", fail)
                    log.info("Failed %s here", 1)
        outcomes.append((finder.take(), failures[type(error).__name__] > before))
        callsite._plans.clear()
    # Near the limit of the stack the next call may be understood; a mistake of ours stays one.
    assert outcomes == [([None, None], True), ([None, "Failed %s here"], True)]


def test_the_way_to_loggings_frame_may_change_each_time():
    """The distance is remembered; a handler that is called from further in finds the same."""

    class Deeper(logging.Handler):
        def emit(self, record):
            self.descend(record, depths.pop())

        def descend(self, record, levels):
            if levels:
                self.descend(record, levels - 1)
            else:
                found.append(find(record, frozenset()))

    found: list[Site] = []
    depths = [0, 3, 40, 40, 1, 0]
    log = logging.getLogger("ways.deep")
    log.propagate = False
    handler = Deeper()
    log.addHandler(handler)
    try:
        for _ in range(6):
            log.warning("Deeply felt")
    finally:
        log.removeHandler(handler)
    assert [site.literal for site in found] == ["Deeply felt"] * 6
