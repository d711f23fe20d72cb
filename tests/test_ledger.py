"""The ledger: what was withheld where and why, as counts and as a table."""

from __future__ import annotations

import io
import logging
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import discreet
from discreet.export.ledger import LEDGER, OTHER_SITES, REASONS, Ledger
from discreet.seal import sealing

log = logging.getLogger("harbour")
CONTRACT = """
contract.name = "harbour"
contract.format = 1
contract.summary = "A harbour office."
loggers.names = ["harbour"]
attributes.berths = "count"
attributes.ship = "id"
records = [{ logger = "harbour", template = "Berth {} of {}", args = ["count", ""] }]
"""
CAPTAIN = "Captain Brandolf sleeps aboard the Merry Wherry"


@pytest.fixture
def _office(tmp_path: Path) -> Iterator[None]:
    file = tmp_path / "harbour.toml"
    file.write_text(CONTRACT, encoding="utf-8")
    LEDGER.clear()
    handle = discreet.configure(json=io.StringIO(), contracts=[file], service=None)
    LEDGER.clear()
    yield
    handle.close()
    LEDGER.clear()


def _by_reason() -> dict[tuple[str, str], int]:
    found: dict[tuple[str, str], int] = {}
    for (_, _, reason, kind), count in LEDGER.withheld.items():
        found[reason, kind] = found.get((reason, kind), 0) + count
    return found


@pytest.mark.usefixtures("_office")
def test_each_value_is_counted_with_the_reason_for_which_it_was_withheld() -> None:
    """Messages, arguments and attributes; what is shown is not counted."""
    words = "berth"
    log.info(f"{CAPTAIN} {words}".upper())
    log.info("No berth for %s", CAPTAIN)
    log.info("Berth %s of %s", CAPTAIN, "the pier")
    log.info("Berth %s of %s", 4, 12)
    log.info("Open", extra={"berths": CAPTAIN, "captain": CAPTAIN})
    log.info("Open", extra={"berths": 3})
    assert _by_reason() == {
        ("unproven", "message"): 1,
        ("undeclared", "argument"): 2,
        ("wrong_type", "argument"): 1,
        ("undeclared", "attribute"): 1,
        ("wrong_type", "attribute"): 1,
    }


@pytest.mark.usefixtures("_office")
def test_what_agrees_with_a_text_of_the_call_is_counted_as_matched() -> None:
    """Public arguments and attributes, public messages, and ids, whose type would take them."""
    with discreet.customer_text(question="Where is 5f0c3a9e77d1 moored, and who is Brandolf?"):
        log.info("Seen %s", discreet.public("Brandolf"))
        log.info(discreet.public("Brandolf"))
        log.info("Open", extra={"ship": "5f0c3a9e77d1"})
        log.info("Open", extra={"ship": discreet.public("Brandolf")})
        log.info("Seen %s", discreet.public("gull"))
    assert _by_reason() == {
        ("matched", "argument"): 1,
        ("matched", "message"): 1,
        ("matched", "attribute"): 2,
        ("declared", "public"): 1,
    }


@pytest.mark.usefixtures("_office")
def test_a_failure_of_the_guard_is_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    """The record is counted as withheld, without its call site, which the guard doesn't know then."""

    def fail(*_: object) -> None:
        raise ValueError(CAPTAIN)

    monkeypatch.setattr(sealing, "_seal", fail)
    log.info("Open")
    assert LEDGER.withheld == {("?", "<withheld>", "failed", "record"): 1}
    assert LEDGER.failures == {("seal", "ValueError"): 1}


@pytest.mark.usefixtures("_office")
def test_every_reason_that_is_counted_has_a_sentence() -> None:
    """The reasons of the tests above are those that the library tells people about."""
    assert set(REASONS) == {"unproven", "undeclared", "wrong_type", "matched", "failed"}


def test_the_table_shows_sinks_sites_and_failures_largest_first() -> None:
    """It is what ``print`` shows of a ledger."""
    ledger = Ledger()
    ledger.sink("json").count_observed()
    ledger.sink("json").count_missing("closed")
    ledger.sink("spans")
    ledger.withhold("harbour.open:7", "harbour", "argument", 2)
    ledger.withhold("harbour.close:9", "harbour", "message", 1200, reason="unproven")
    ledger.counts_of("harbour.shut:11", "harbour").public += 3
    ledger.failure("seal", ValueError(CAPTAIN))
    ledger.undeclared("event")
    assert str(ledger) == ledger.table()
    assert ledger.table().splitlines() == [
        "Records by sink",
        "  sink  total  eligible  filtered  observed  missing  why missing",
        "  json      2         2         0         1        1  closed 1",
        "",
        "Withheld: 1,202",
        "  count  kind      reason      site",
        "  1,200  message   unproven    harbour.close:9",
        "      2  argument  undeclared  harbour.open:7",
        "",
        "Declared public",
        "  count  site",
        "      3  harbour.shut:11",
        "",
        "Failures of the guard",
        "  count  error       where",
        "      1  ValueError  seal",
        "",
        "Names that no contract declares",
        "  count  kind",
        "      1  event",
    ]


def test_a_table_is_of_bounded_length() -> None:
    """The smallest counts stand as one row."""
    ledger = Ledger()
    for line in range(45):
        ledger.withhold(f"harbour.open:{line}", "harbour", "argument", 100 - line)
    rows = ledger.table().splitlines()
    assert len(rows) == 2 + 40 + 1
    assert rows[-1] == "    290                        (5 rows more)"


def test_an_empty_ledger_says_so() -> None:
    """And not nothing."""
    assert str(Ledger()) == "Nothing was counted yet.\n"


def test_call_sites_beyond_the_bound_are_counted_together() -> None:
    """With their reasons and kinds."""
    ledger = Ledger()
    for line in range(5000):
        ledger.withhold(f"harbour.open:{line}", "harbour", "argument")
    assert len(ledger.withheld) == 4097
    assert ledger.withheld[OTHER_SITES, "", "undeclared", "argument"] == 5000 - 4096


@pytest.mark.parametrize(
    "count",
    [
        lambda ledger: ledger.withhold("harbour.open:7", "harbour", "argument"),
        lambda ledger: ledger.counts_of("harbour.open:7", "harbour"),
        lambda ledger: ledger.failure("seal", ValueError()),
    ],
    ids=["withhold", "counts_of", "failure"],
)
def test_the_first_count_wakes_whoever_waits_for_it_once(count: Callable[[Ledger], object]) -> None:
    """Withheld values and failures alike."""
    woken: list[int] = []
    ledger = Ledger(on_first=lambda: woken.append(1))
    assert woken == []
    count(ledger)
    count(ledger)
    assert woken == [1]


def test_where_there_is_no_stack_left_for_it_the_next_count_wakes() -> None:
    """A log call that comes so late must not fail for a report."""
    woken: list[int] = []
    ledger = Ledger()

    def wake() -> None:
        woken.append(1)
        if len(woken) < 3:
            raise RecursionError

    ledger.on_first = wake
    for _ in range(5):
        ledger.withhold("harbour.open:7", "harbour", "argument")
    assert len(woken) == 3
