"""Values that are declared public, and what the texts of the running call withhold."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import discreet
from discreet import public, scoped
from discreet.contract import activate, reset
from discreet.export.ledger import LEDGER
from discreet.seal.event_dict import seal_event
from discreet.seal.values import NOTES

QUESTION = "Does Wagtailmere pay invoice 4417-0099312 of the boat house?"
OTHER = "Will Quillhaven owe account 5528-1100423 of the farm house??"
log = logging.getLogger("app.public")


@pytest.fixture(autouse=True)
def _attributes() -> Iterator[None]:
    activate([], {"tenant": "id", "table": "id", "shard": "int", "model": "model_id"})
    LEDGER.clear()
    yield
    LEDGER.clear()
    reset()


def logged(emit: Callable[[], None]) -> list[dict[str, Any]]:
    """What a handler of ours writes meanwhile, without times."""
    stream = io.StringIO()
    handler = discreet.JsonHandler(stream=stream)
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    try:
        emit()
    finally:
        log.removeHandler(handler)
    found = [json.loads(line) for line in stream.getvalue().splitlines()]
    for one in found:
        del one["timestamp"], one["level"], one["logger"]
    return found


def uses() -> dict[str, int]:
    """The ledger's counts by kind."""
    found: dict[str, int] = {}
    for (_, _, _, kind), count in LEDGER.withheld.items():
        found[kind] = found.get(kind, 0) + count
    return found


def test_public_arguments_and_attributes_are_shown_and_counted() -> None:
    """Text and numbers, by every kind of template; each call site's uses are counted."""

    def emit() -> None:
        log.info("Index %s has %d shards", public("invoices"), public(12))
        log.info("Index %-10s| %r of %s", public("invoices"), public("old ones"), "Wagtailmere")
        log.info("Index %(name)s", {"name": public("invoices")})
        log.info(public("Index invoices"))
        log.info("Opened", extra={"tenant": public("acme"), "shard": public(3), "table": public(12345678901)})

    assert logged(emit) == [
        {"message": "Index invoices has 12 shards"},
        {"message": "Index invoices  | 'old ones' of <str 1-15>", "withheld": 1},
        {"message": "Index invoices"},
        {"message": "Index invoices"},
        {"message": "Opened", "tenant": "acme", "shard": 3, "table": 12345678901},
    ]
    # Those whose type lets them through anyway need no declaration.
    assert uses() == {"public": 7, "argument": 1}
    assert {site.rpartition(":")[0] for site, _, _, _ in LEDGER.withheld} == {
        f"{__name__}.test_public_arguments_and_attributes_are_shown_and_counted.<locals>.emit"
    }
    assert NOTES == []


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("two\nlines", "<str 1-15>"),
        ("a\x1b[31m", "<str 1-15>"),
        ("\ud800", "<str 1-15>"),
        ("x" * 1024, "<str 1024-4095>"),
        (2**63, "<int>"),
        (b"bytes", "<bytes 1-15>"),
        (["list"], "<list>"),
        (type("Mine", (str,), {})("x"), "<str+>"),
    ],
)
def test_what_is_no_short_printable_text_is_withheld_all_the_same(value: object, shown: str) -> None:
    """A line break could begin a line that nobody wrote; of other objects no method is called."""
    found = logged(lambda: log.info("Is %s", public(value)))
    assert found == [{"message": f"Is {shown}", "withheld": 1}]
    assert "public" not in uses()


def test_a_float_that_is_declared_public_has_all_its_digits() -> None:
    """One that isn't has nine, and none if there are more than seven before the point."""

    def emit() -> None:
        for value in (0.12345678901234, 5528110.5, 1234567890.5, float("inf")):
            log.info("Took %s or %s", value, public(value))
        with discreet.customer_text(question="Is it 441700993.12 or more?"):
            log.info("Took %s", public(441700993.12))

    assert [one["message"] for one in logged(emit)] == [
        "Took 0.123456789 or 0.12345678901234",
        "Took 5528110.5 or 5528110.5",
        "Took <float> or 1234567890.5",
        "Took inf or inf",
        "Took <question float>",
    ]


def test_an_undeclared_attribute_stays_out_and_a_number_stays_a_number() -> None:
    """The name of an attribute is not what was declared; a store takes its kind from the first value."""

    def emit() -> None:
        log.info("Opened", extra={"berth": public("north"), "shard": public("three")})

    assert logged(emit) == [{"message": "Opened", "withheld": 2}]


def test_a_public_value_that_the_call_knows_is_withheld_by_its_place() -> None:
    """A name of a customer isn't public because somebody said so."""

    def emit() -> None:
        with discreet.customer_text(question=QUESTION, chunks=["nothing here", "the ledger of Quillhaven"]):
            log.info("Asked %s of %s", public("Wagtailmere"), public("invoices"))
            log.info("Asked %s", public("Quillhaven"), extra={"tenant": public("wagtailmere")})
            log.info("Number %d", public(44170099312))
        log.info("Asked %s", public("Wagtailmere"))

    assert logged(emit) == [
        {"message": "Asked <question 1-15> of invoices", "withheld": 1},
        {"message": "Asked <chunks[1] 1-15>", "withheld": 2},
        {"message": "Number 44170099312"},
        {"message": "Asked Wagtailmere"},
    ]


def test_a_text_that_is_cut_into_public_pieces_is_found_by_the_pieces_side_by_side() -> None:
    """None of them has enough of it alone; the last one that would complete it is withheld."""

    def emit() -> None:
        one, two, three = public(QUESTION[6:20]), public(QUESTION[20:36]), public(QUESTION[36:50])
        log.info("%s%s", one, two)
        log.info("%s and %s and %s", one, two, three)
        log.info("%(a)s, %(b)s", {"a": one, "b": two})
        log.info("Asked %s", one, extra={"tenant": two})
        log.info("Asked %s", one)
        log.info("Asked %s", two)

    with discreet.customer_text(question=QUESTION):
        found = logged(emit)
    shown = [QUESTION[6:20], QUESTION[20:36]]
    assert found == [
        {"message": f"{shown[0]}<question 16-63>", "withheld": 1},
        {"message": f"{shown[0]} and <question 16-63> and {QUESTION[36:50]}", "withheld": 1},
        {"message": f"{shown[0]}, <question 16-63>", "withheld": 1},
        {"message": f"Asked {shown[0]}", "withheld": 1},
        {"message": f"Asked {shown[0]}"},
        {"message": f"Asked {shown[1]}"},
    ]
    assert NOTES == []


def test_ids_that_the_call_knows_are_withheld() -> None:
    """An identifier that stands in the question identifies a customer's matter."""

    def emit() -> None:
        for _ in range(3):
            log.info("Asked", extra={"tenant": "0099312", "model": "house-7b"})

    free = {"message": "Asked", "tenant": "0099312", "model": "house-7b"}
    assert logged(emit) == [free] * 3
    with discreet.customer_text(question=f"{QUESTION} Or house-7b?"):
        assert logged(emit) == [{"message": "Asked", "withheld": 2}] * 3
    assert logged(emit) == [free] * 3


def test_nothing_is_looked_up_before_there_was_a_scope(monkeypatch: pytest.MonkeyPatch) -> None:
    """And a look that fails withholds."""
    monkeypatch.setattr(scoped, "LOOK", [])
    monkeypatch.setattr("discreet.scope.LOOK", scoped.LOOK)
    assert logged(lambda: log.info("Asked %s", public("Wagtailmere")))[0]["message"] == "Asked Wagtailmere"
    assert scoped.LOOK == []

    def fail(value: str) -> str | None:
        raise MemoryError

    scoped.LOOK.append(fail)
    found = logged(lambda: log.info("Asked", extra={"tenant": "0099312"}))
    assert found == [{"message": "Asked", "withheld": 1}]
    assert logged(lambda: log.info("Asked %s", public("Wagtailmere")))[0]["message"].startswith("<record withheld")


def test_an_event_dict_has_public_values_too() -> None:
    """Its pairs are of the kind of logging's extra."""
    sealed = seal_event({"event": public("Opened"), "tenant": public("acme"), "berth": public("north")}, name="app")
    assert (sealed.message, dict(sealed.attributes), sealed.withheld) == ("Opened", {"tenant": "acme"}, 1)
    assert uses() == {"attribute": 1, "public": 2}


def test_two_worlds_look_the_same() -> None:
    """Whatever the customer wrote, what comes out is the same as long as the lengths are."""

    def world(question: str) -> list[dict[str, Any]]:
        name, number = question.split()[1], question.split()[4]

        def emit() -> None:
            with discreet.customer_text(question=question):
                for value in (
                    name,
                    name.upper(),
                    question,
                    number,
                    question[3:45],
                    f"<{name}>",
                    int(number.replace("-", "")),
                ):
                    if type(value) is str:
                        log.info("Asked %s", public(value), extra={"tenant": public(value)})
                    log.info("Asked %s of %s", public("invoices"), value, extra={"table": number.partition("-")[2]})
                    log.info("Asked %(it)r", {"it": public(name)}, extra={"tenant": value if type(value) is str else 1})

        return logged(emit)

    first = world(QUESTION)
    assert first == world(OTHER)
    assert {one["message"] for one in first} >= {"Asked <question 1-15>", "Asked invoices of <str 1-15>"}


def test_what_is_written_onto_a_sealed_record_leaves_nothing_to_be_counted_later() -> None:
    """A thread that hands on what is sealed already never seals, so what it noted would pile up."""

    class Stamp(logging.Filter):
        def filter(self, record: logging.LogRecord) -> bool:
            record.__dict__["tenant_name"] = public("Ferry Ltd")
            return True

    records: list[logging.LogRecord] = []
    keeper = logging.Handler()
    keeper.emit = records.append  # type: ignore[method-assign]  # one of those that keep what they get
    discreet.install()
    log.addHandler(keeper)
    stream = io.StringIO()
    last = logging.StreamHandler(stream)
    last.setFormatter(logging.Formatter("%(message)s for %(tenant_name)s"))
    try:
        log.warning("Docked")
    finally:
        log.removeHandler(keeper)
    Stamp().filter(records[0])
    NOTES.clear()
    last.handle(records[0])

    assert stream.getvalue() == "Docked for Ferry Ltd\n"
    assert NOTES == []
