"""Each row of the README's table is held by tests that exist, and the other way round nothing is promised without."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from tests.docs.checks import ROOT
from tests.forking import environment

ROW = re.compile(r"^\| (?P<where>.+?) \| (?P<guarded>yes|no|with `streams=True`) \| (?P<tests>.+) \|$", re.MULTILINE)
TEST = re.compile(r"\[[^\]]+\]\((?P<file>tests/[\w/]+\.py) \"(?P<name>test_\w+)\"\)")
TABLE = re.compile(r"^\| where .+\n\|[-|]+\n(?P<rows>(?:\|.+\n)+)", re.MULTILINE)


def _rows() -> list[re.Match[str]]:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    table = TABLE.search(text)
    assert table is not None
    rows = list(ROW.finditer(table["rows"]))
    assert len(rows) == len(table["rows"].splitlines())
    return rows


def _tests(row: re.Match[str]) -> list[str]:
    return [f"{test['file']}::{test['name']}" for test in TEST.finditer(row["tests"])]


def test_every_row_names_its_tests() -> None:
    """By a link to the file, with the name of the test for its title."""
    assert {row["where"]: _tests(row) for row in _rows() if len(_tests(row)) != row["tests"].count("](")} == {}
    assert {row["where"] for row in _rows() if not _tests(row)} == set()


def test_the_table_says_what_is_not_guarded_too() -> None:
    """Who has to answer for a service must know both."""
    guarded = [row["guarded"] for row in _rows()]

    assert min(guarded.count("yes"), guarded.count("no")) >= 3


@pytest.mark.integration
def test_the_tests_of_every_row_can_be_collected() -> None:
    """A test that is gone or renamed holds nothing."""
    names = sorted({name for row in _rows() for name in _tests(row)})

    done = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", *names],
        cwd=ROOT,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )

    assert done.returncode == 0, done.stdout + done.stderr
    assert [name for name in names if name not in done.stdout] == []
