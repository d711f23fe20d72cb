"""Two worlds over real libraries, with the texts of each call registered: what goes out is the same in both."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.forking import ForkServer, environment
from tests.worlds.library_running import LIBRARIES

pytestmark = [pytest.mark.integration, pytest.mark.long]

CHILD = Path(__file__).with_name("library_child.py")
TIMEOUT_S = 240
MAX_SHOWN = 12
SINKS = ["console.log", "everything.log", "fields.log", "ledger.txt", "logs.jsonl", "plain.log", "spans.jsonl"]
MATCHED = re.compile(r"<(?:question|chunks)[\[ ]")
Outputs = dict[str, list[str]]


class Runs:
    """Runs of programs in worlds, each in a process of its own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._done: dict[tuple[str, int | None, str], Outputs] = {}
        self.server = ForkServer(CHILD, environment(PYTHONHASHSEED="0", COLUMNS="110"))

    def __call__(self, library: str, seed: int | None, name: str = "first", *, guarded: bool = True) -> Outputs:
        """Return the lines of each file that a program leaves in a world."""
        key = library, seed, name
        if key not in self._done:
            out = self._folder / library / f"{seed}-{name}"
            job = {"library": library, "seed": seed, "out": str(out), "guarded": guarded, "timeout": TIMEOUT_S}
            code = self.server.run(job)
            found = {file.name: file.read_text("utf-8").split("\n") for file in sorted(out.iterdir())}
            assert code == 0, found.get("stderr", [])[-40:]
            self._done[key] = found
        return self._done[key]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Runs]:
    """What runs programs; one run is made once."""
    found = Runs(tmp_path_factory.mktemp("libraries"))
    yield found
    found.server.close()


def _differences(one: Outputs, other: Outputs) -> list[str]:
    assert sorted(one) == sorted(other)
    shown = []
    for name, lines in one.items():
        if lines == other[name]:
            continue
        changed = difflib.unified_diff(lines, other[name], lineterm="", n=0)
        shown += [f"{name}: {line}" for line in changed if not line.startswith(("---", "+++", "@@"))]
    return shown[:MAX_SHOWN]


@pytest.mark.parametrize("library", LIBRARIES)
def test_the_same_world_twice_gives_the_same_bytes(runs: Runs, library: str) -> None:
    """The control: only texts can make a difference."""
    assert _differences(runs(library, None), runs(library, None, "control")) == []


@pytest.mark.parametrize("library", LIBRARIES)
def test_other_letters_and_digits_give_the_same_bytes(runs: Runs, library: str) -> None:
    """Requests, parameters, rows, templates and replies of a library that fails in many ways leave no trace."""
    assert _differences(runs(library, None), runs(library, 7)) == []


@pytest.mark.parametrize("library", LIBRARIES)
def test_without_the_guard_the_worlds_differ(runs: Runs, library: str) -> None:
    """The programs do log texts: a good part of what a plain handler writes is another in the other world."""
    one, other = (runs(library, seed, "unguarded", guarded=False)["plain.log"] for seed in (None, 7))

    different = sum(a != b for a, b in zip(one, other, strict=False))

    assert different > max(80, len(one) // 12)


@pytest.mark.parametrize("library", LIBRARIES)
def test_what_comes_out_is_more_than_nothing(runs: Runs, library: str) -> None:
    """Levels, types of exceptions and the messages of programs are there; every sink has something."""
    found = runs(library, None)
    lines = [json.loads(line) for line in found["logs.jsonl"] if line]
    shown = [line for line in lines if not line["message"].startswith("<")]

    assert set(SINKS) <= {name for name, content in found.items() if content != [""]} | {"spans.jsonl"}
    assert {"DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"} <= {line["level"] for line in lines}
    assert len(shown) > len(lines) // 3
    assert len({line.get("exception_type") for line in lines}) > 2
    assert any(MATCHED.search(line["message"]) for line in lines)
