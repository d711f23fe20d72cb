"""Which interpreters the suite runs on, and which releases of our dependencies."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests import interpreters, lowest


def _fake(path: Path, script: str) -> str:
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    path.chmod(0o755)
    return str(path)


def test_a_shim_without_its_interpreter_is_passed_over(tmp_path: Path) -> None:
    """Version managers leave names on the path that fail when they are run."""
    shim = _fake(tmp_path / "python3.12", "echo 'python3.12: command not found' >&2; exit 127")
    silent = _fake(tmp_path / "python3.13", "exit 0")

    found = interpreters.find([shim, silent, str(tmp_path / "absent"), sys.executable], [])

    assert found == {sys.version_info.minor: sys.executable}


def test_the_version_is_what_the_interpreter_says_not_its_name(tmp_path: Path) -> None:
    """A link may be called otherwise than what it leads to."""
    wrong = _fake(tmp_path / "python3.99", f"exec '{sys.executable}' \"$@\"")

    assert interpreters.probe(wrong) == sys.version_info.minor


def test_a_version_that_is_done_is_not_found_again() -> None:
    """The first interpreter has run the suite already."""
    assert interpreters.find([sys.executable], without=[sys.version_info.minor]) == {}


@pytest.mark.parametrize(
    "facts",
    [
        '{"version": [3, 10], "final": true, "cpython": true, "gil": true}',
        '{"version": [3, 13], "final": false, "cpython": true, "gil": true}',
        '{"version": [3, 13], "final": true, "cpython": false, "gil": true}',
        '{"version": [3, 13], "final": true, "cpython": true, "gil": false}',
    ],
    ids=["too old", "pre-release", "not CPython", "free-threaded"],
)
def test_an_interpreter_that_we_do_not_support_is_passed_over(tmp_path: Path, facts: str) -> None:
    """Its failures would say nothing about us."""
    assert interpreters.probe(_fake(tmp_path / "python", f"echo '{facts}'")) is None


def test_the_oldest_allowed_releases_are_those_of_the_lower_bounds() -> None:
    """Extras in brackets and upper bounds don't count."""
    assert lowest.lowest(["orjson>=3.11,<4", "a-b[c]>=0.61b0,<1", "d==0.0.21"]) == [
        "orjson==3.11",
        "a-b==0.61b0",
        "d==0.0.21",
    ]


def test_a_dependency_without_a_lower_bound_is_refused() -> None:
    """Nobody would know which release was tested."""
    with pytest.raises(ValueError, match=r"^orjson<4: no lower bound\."):
        lowest.lowest(["orjson<4"])
