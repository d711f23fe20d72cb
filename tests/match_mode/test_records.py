"""What a record of a logger in match mode shows."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Any

import pytest

import discreet
from discreet import public
from discreet.contract import activate, reset
from discreet.export.ledger import LEDGER
from discreet.scope import CustomerText, carry
from discreet.seal.matched import MAX_THROUGH
from tests.match_mode.lines import NAME, kinds, log, logged

QUESTION = "Does Wagtailmere still pay for the boat house on the hill?"
PLACE = f"{__name__}.{{}}.<locals>.emit"


def scope() -> CustomerText:
    return discreet.customer_text(question=QUESTION, chunks=["Nothing of note.", "Ida Holm rents pier nine."])


def test_strings_are_shown_unless_they_are_of_the_call() -> None:
    """By every kind of template; a string that is found is told by its text's place and its length band."""

    def emit() -> None:
        log.info("Read %s from %s in %.1f ms", "shelf 12", "Wagtailmere", 2.5)
        log.info("Read %-10s|%r|%5s", "shelf 12", "it's", "Ida Holm")
        log.info("Read %(what)s of %(who)s", {"what": "page 3", "who": "anna", "unused": QUESTION})
        log.info("Read %s", QUESTION)

    with scope():
        assert logged(emit) == [
            {"message": "Read shelf 12 from <question 1-15> in 2.5 ms", "withheld": 1},
            {"message": 'Read shelf 12  |"it\'s"|<chunks[1] 1-15>', "withheld": 1},
            {"message": "Read page 3 of anna"},
            {"message": "Read <question 16-63>", "withheld": 1},
        ]
    assert kinds() == {("no_match", "let_through"): 5, ("matched", "argument"): 3}


def test_slots_of_a_composed_message_are_shown_where_their_borders_are_certain() -> None:
    """Else, and where the matcher finds a text, by their expression or by the text's place."""

    def emit() -> None:
        shelf, who, ms, account = "shelf 12", "Wagtailmere", 2.5, 30_111_978
        log.info(f"Read {shelf} from {who} in {ms:.1f} ms")
        log.info("Read " + shelf.upper() + " twice")
        log.info(f"Read {shelf} of {account:d}")
        log.info(f"Read {'in and in'} in {shelf}")
        log.info(f"Read {shelf}{who}")

    with scope():
        assert logged(emit) == [
            {"message": "Read shelf 12 from <question 1-15> in 2.5 ms", "withheld": 1},
            {"message": "Read SHELF 12 twice"},
            {"message": "Read shelf 12 of {account}", "withheld": 1},
            {"message": "Read {'in and in'} in {shelf}", "withheld": 2},
            {"message": "Read {shelf}{who}", "withheld": 2},
        ]


def test_a_message_that_nothing_proves_is_shown_if_nothing_is_found_in_it() -> None:
    """With its arguments, each of which is looked at as well."""

    def emit() -> None:
        for text in ("Index is ready", "Index of Wagtailmere", "Asked: " + QUESTION):
            log.info(text)
        for end in ("%d", "%s and more"):
            log.info("Index %s of ".__add__(end), "north", 12345678)
        log.info("Index %(name)s of {}".format("pier").strip(), {"name": "Ida Holm"})

    place = PLACE.format("test_a_message_that_nothing_proves_is_shown_if_nothing_is_found_in_it")
    with scope():
        assert logged(emit) == [
            {"message": "Index is ready"},
            {"message": "Index of Wagtailmere"},
            {
                "message": "<question 64-255>",
                "withheld": 1,
                "code_function": place,
                "code_line": emit.__code__.co_firstlineno + 2,
            },
            {"message": "Index north of <int>", "withheld": 1},
            {"message": "Index north of <int> and more", "withheld": 1},
            {"message": "Index <chunks[1] 1-15> of pier", "withheld": 1},
        ]
    assert kinds() == {
        ("no_match", "let_through"): 7,
        ("undeclared", "argument"): 2,
        ("matched", "argument"): 1,
        ("matched", "message"): 1,
    }


def test_what_an_adapter_adds_is_looked_at_and_the_arguments_too() -> None:
    """The message that comes of it is looked at as a whole; if a text is found in it, it is as in deny."""

    class Prefix(logging.LoggerAdapter[logging.Logger]):
        def process(self, msg: Any, kwargs: Any) -> Any:
            return f"[{self.extra['who']}] {msg}", kwargs  # type: ignore[index]  # given below

    def emit() -> None:
        for who in ("north", QUESTION):
            adapter = Prefix(log, {"who": who})
            adapter.info("Index is read")
            adapter.info("Index %s of %s is read", "shelf 12", "Wagtailmere")

    with scope():
        assert logged(emit) == [
            {"message": "[north] Index is read"},
            {"message": "[north] Index shelf 12 of <question 1-15> is read", "withheld": 1},
            {"message": "<question 16-63>Index is read", "withheld": 1},
            {"message": "{prefix}Index %s of %s is read", "withheld": 3},
        ]


def test_without_a_text_of_the_call_everything_is_as_in_deny() -> None:
    """Outside any scope, in a thread that wasn't handed the scope, in one that holds no text, and after the call."""

    def emit() -> None:
        who = "anna"
        log.info("Read %s", "shelf 12")
        log.info(f"Read {who}")

    def in_a_thread(work: Callable[[], None]) -> None:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()

    denied = [{"message": "Read <str 1-15>", "withheld": 1}, {"message": "Read {who}", "withheld": 1}]
    shown = [{"message": "Read shelf 12"}, {"message": "Read anna"}]
    assert logged(emit) == denied
    with discreet.customer_text(question=None, chunks=["", " \n"]):
        assert logged(emit) == denied
        with scope():
            assert logged(emit) == shown
            assert logged(lambda: in_a_thread(emit)) == denied
            assert logged(lambda: in_a_thread(carry(emit))) == shown
            late = carry(emit)
    assert logged(late) == denied


def test_a_call_that_ends_while_its_record_is_sealed_lets_nothing_through(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its texts are forgotten then, so that nothing would be found any more."""
    with scope() as own:
        find = type(own._index).find

        def find_late(self: Any, value: str, **options: bool) -> Any:
            own.close()
            return find(self, value, **options)

        monkeypatch.setattr(type(own._index), "find", find_late)
        assert logged(lambda: log.info("Read %s", QUESTION[6:46])) == [{"message": "Read <str 16-63>", "withheld": 1}]


def test_only_strings_are_let_through() -> None:
    """Objects, containers, long numbers, subclasses of str and bytes are as in deny; none of their code runs."""

    class Spoken:
        def __str__(self) -> str:
            raise AssertionError("asked for its text")

        __repr__ = __str__

    class Text(str):
        __slots__ = ()

    def emit() -> None:
        log.info("Read %s %s %s", Spoken(), ["a"], {"a": "b"})
        log.info("Read %s %s %s", 12345678, b"shelf", Text("shelf"))
        log.info(Text("shelf"))
        log.info(Spoken())

    with scope():
        inside = logged(emit)
    assert inside == logged(emit)
    assert ("no_match", "let_through") not in kinds()


def test_a_string_is_let_through_only_on_one_line_and_up_to_a_length() -> None:
    """As values that are declared public: no line breaks, no control or invisible characters."""
    texts = ["a\nb", "a\x1b[31mb", "a\u202eb", "a\ud800b", "x" * MAX_THROUGH, "x" * (MAX_THROUGH + 1)]

    def emit() -> None:
        for text in texts:
            log.info("Read %s", text)
            log.info(f"Read {text}!")
            log.info(text)

    with scope():
        found = [one["message"] for one in logged(emit)]
    short = ["Read <str 1-15>", "Read {text}!", "<str 1-15>"]
    long = "x" * MAX_THROUGH
    cut = ["Read <str 1024-4095>", "Read {text}!", "<str 1024-4095>"]
    assert found == [*short * 4, f"Read {long}", f"Read {long}!", long, *cut]


def test_a_text_that_comes_in_pieces_is_found_when_they_stand_together() -> None:
    """The finished message is looked at too, and the strings without what stands between them."""

    def emit() -> None:
        log.info("%s%s", QUESTION[:13], QUESTION[13:26])
        log.info("%s and %s and %s", "Wag", "tail", "mere")
        start, end = QUESTION[:13], QUESTION[13:26]
        log.info(f"{start}|{end}")
        log.info("Does Wagtailmere still pay %s", "for the x")

    with scope():
        assert logged(emit) == [
            {"message": "<str 1-15><str 1-15>", "withheld": 2},
            {"message": "<str 1-15> and <str 1-15> and <str 1-15>", "withheld": 3},
            {"message": "{start}|{end}", "withheld": 2},
            {"message": "Does Wagtailmere still pay <str 1-15>", "withheld": 1},
        ]
    assert kinds() == {("matched", "argument"): 8}


def test_attributes_and_exceptions_are_as_in_deny() -> None:
    """Attributes by their contract, exceptions without their text; so are slots that a contract types."""

    def emit() -> None:
        error = ValueError("shelf 12")
        log.info("Read", extra={"shelf": "shelf 12", "tenant": "north-1"})
        log.error("Failed on %s", error)
        log.error("Failed", exc_info=error)
        log.info("Read %s", public("shelf 12"))

    activate([], {"tenant": "id"})
    try:
        with scope():
            inside = logged(emit)
        assert inside == logged(emit)
    finally:
        reset()
    assert ("no_match", "let_through") not in kinds()


def test_loggers_that_are_not_below_the_prefix_are_in_deny() -> None:
    """A name that only begins with the same letters is another logger's."""

    def emit() -> None:
        for name in (NAME, f"{NAME}.index", f"{NAME}er", "harbour", "other", "root"):
            logging.getLogger(name).info("Read %s", "shelf 12")

    with scope():
        assert [one["message"] for one in logged(emit)] == ["Read shelf 12"] * 2 + ["Read <str 1-15>"] * 4


@pytest.mark.parametrize(("method", "value"), [("lacks", "shelf 12"), ("find", "полка 12"), ("find_part", "полка 12")])
def test_a_matcher_that_fails_withholds_the_whole_record(
    monkeypatch: pytest.MonkeyPatch, method: str, value: str
) -> None:
    """And is counted, whichever way a value is looked up."""

    def broken(*_: object, **__: object) -> None:
        raise RuntimeError(QUESTION)

    monkeypatch.setattr(f"discreet.matching.index.Index.{method}", broken)
    with scope():
        assert [one["message"] for one in logged(lambda: log.info("Read %s", value))] == [
            "<record withheld: the guard failed>"
        ]
    assert LEDGER.failures == {("seal", "RuntimeError"): 1}
    assert kinds() == {("failed", "record"): 1}
