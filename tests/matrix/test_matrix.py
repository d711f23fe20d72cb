"""Texts in every place, through every way out: none comes out, and without the guard each does."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs import leak_matrix
from tests.matrix.columns import OURS
from tests.matrix.rows import LOGURU, ROWS, STRUCTLOG
from tests.matrix.running import Results, run_all

pytestmark = [pytest.mark.integration, pytest.mark.long]


@pytest.fixture(scope="module")
def results() -> Results:
    """Every column, run once."""
    return run_all()


@pytest.mark.parametrize("name", OURS)
def test_nothing_of_a_text_comes_out(results: Results, name: str) -> None:
    """Wherever it stood, whatever it was sent through; and the program ran to its end, as the marks tell."""
    outcome = results.guarded[name]

    assert outcome.found == {}
    assert outcome.code == OURS[name].code
    assert outcome.unended(OURS[name].mark) == []


@pytest.mark.parametrize("name", OURS)
def test_without_the_guard_every_text_comes_out(results: Results, name: str) -> None:
    """But for those that this way out has no place for; so none of the cells is a test of nothing."""
    outcome = results.plain[name]
    column = OURS[name]

    assert [row for row in ROWS if row not in outcome.found] == [row for row in ROWS if row in column.unable]
    assert column.unable.keys() <= ROWS.keys()
    assert outcome.code == column.code


def test_every_package_ran_all_rows(results: Results) -> None:
    """What another package keeps back, it keeps back by itself, not because the program broke off."""
    assert {name: outcome.code for name, outcome in results.peers.items()} == dict.fromkeys(results.peers, 0)
    assert {name: outcome.unended("Row {} ended") for name, outcome in results.peers.items()} == {
        name: [] for name in results.peers
    }


def test_every_way_to_log_has_the_same_rows() -> None:
    """A row's number tells its sentence."""
    assert [list(ROWS)] * 2 == [list(STRUCTLOG), list(LOGURU)]


def test_the_page_is_what_the_run_gives(results: Results) -> None:
    """`make docs` writes it anew; releases of other packages are those of the page."""
    written = Path(leak_matrix.PAGE).read_text(encoding="utf-8")

    assert written == leak_matrix.page(results, leak_matrix.versions_of(written))
