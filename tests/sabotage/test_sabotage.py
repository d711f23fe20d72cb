"""Planted defects: each small sabotage of the guard makes a named check fail, and none fails without."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.forking import ForkServer, environment
from tests.sabotage import (  # noqa: F401 - they enter the sabotages
    of_calls,
    of_copies,
    of_levels,
    of_logs,
    of_match,
    of_requests,
    of_streams,
    of_values,
)
from tests.sabotage.checks import SECRETS, failing
from tests.sabotage.sabotages import SABOTAGES

pytestmark = pytest.mark.long

CHILD = Path(__file__).with_name("child.py")
Run = Callable[..., dict[str, list[str]]]


@pytest.fixture(scope="module")
def server() -> Iterator[ForkServer]:
    """One server for all runs of the program."""
    with ForkServer(CHILD, environment()) as found:
        yield found


@pytest.fixture
def run(server: ForkServer, tmp_path: Path) -> Run:
    """A function that runs the program in a new process and returns the checks that fail."""

    def once(sabotage: str | None = None, *, guarded: bool = True) -> dict[str, list[str]]:
        out, result = tmp_path / "out", tmp_path / "result.json"
        (out / "files").mkdir(parents=True)
        job = {
            "out": str(out),
            "result": str(result),
            "sabotage": sabotage,
            "guarded": guarded,
            "timeout": 40,
        }
        code = server.run(job)
        assert code == 0, (out / "stderr").read_text("utf-8", "backslashreplace")[-2000:]
        return failing(out, json.loads(result.read_text("utf-8")))

    return once


def test_no_check_fails_without_a_sabotage(run: Run) -> None:
    """The guard as it is passes every check."""
    assert run() == {}


def test_every_check_of_a_text_fails_without_the_guard(run: Run) -> None:
    """Each text does come out where nothing holds it back: no check is a check of nothing."""
    assert set(SECRETS) - set(run(guarded=False)) == set()


@pytest.mark.parametrize("sabotage", SABOTAGES)
def test_a_sabotage_makes_its_checks_fail(run: Run, sabotage: str) -> None:
    """Whoever breaks the guard at one place is told so by the check of that place."""
    assert set(SABOTAGES[sabotage].noticed_by) - set(run(sabotage)) == set()


def test_every_check_is_of_use() -> None:
    """For each check there is a sabotage that it notices."""
    noticed = {check for sabotage in SABOTAGES.values() for check in sabotage.noticed_by}

    assert set(SECRETS) - noticed == set()
