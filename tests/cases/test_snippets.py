"""Every snippet runs under every set-up, in a process of its own; without ours each of them leaks."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cases.harness import Runner, Snippet, all_snippets, complaints, found

SNIPPETS = all_snippets()
GUARDED = ("alone", "beside", "dict_config")


# Thousands of records each, to look for races and deadlocks: once is enough, with all handlers.
LONG = {"B14": ("beside",), "B19": ("beside",)}

NOT_YET = "nothing guards a process that has not been set up; telling which those are is for a later release"


def _setups(snippet: Snippet) -> tuple[str, ...]:
    """Return where a snippet runs: what hooks in before any handler needs the strict set-up, and says so."""
    return tuple(snippet.case.get("setups", LONG.get(snippet.case["id"], GUARDED)))


def _marks(snippet: Snippet) -> list[pytest.MarkDecorator]:
    marks = [pytest.mark.integration] if "requires" in snippet.case else []
    if snippet.case.get("before_setup"):
        marks.append(pytest.mark.xfail(strict=True, reason=NOT_YET))
    return marks


RUNS = [
    pytest.param(snippet, setup, id=f"{snippet.path.stem}-{setup}", marks=_marks(snippet))
    for snippet in SNIPPETS
    for setup in _setups(snippet)
]
LEAKING = [
    pytest.param(
        snippet,
        id=snippet.path.stem,
        marks=[pytest.mark.integration] if "requires" in snippet.case else [],
    )
    for snippet in SNIPPETS
    if snippet.secrets
]


@pytest.fixture(scope="module")
def runner() -> Iterator[Runner]:
    """One server for all of them."""
    with Runner() as found_runner:
        yield found_runner


def _need(snippet: Snippet) -> None:
    for name in snippet.case.get("requires", ()):
        if importlib.util.find_spec(name) is None:
            pytest.skip(f"needs {name}")


@pytest.mark.parametrize(("snippet", "setup"), RUNS)
def test_no_secret_comes_out_and_nothing_else_is_lost(
    runner: Runner, snippet: Snippet, setup: str, tmp_path: Path
) -> None:
    """No secret stands in a line, a span, a file or on the streams; what must come out does."""
    _need(snippet)

    outcome = runner.run(snippet, setup, tmp_path / "out")

    assert complaints(snippet, outcome) == []


@pytest.mark.parametrize("snippet", LEAKING)
def test_without_the_guard_every_secret_comes_out(runner: Runner, snippet: Snippet, tmp_path: Path) -> None:
    """A secret that plain logging does not show would be a test of nothing."""
    _need(snippet)

    outcome = runner.run(snippet, "unguarded", tmp_path / "out")

    assert outcome.exit_code == 0
    assert not (outcome.raised or "").startswith("AssertionError")
    shown = found(outcome.texts, snippet.secrets + snippet.allowed)
    hidden = [
        word for word in snippet.secrets + snippet.allowed if not any(place.startswith(repr(word)) for place in shown)
    ]
    assert hidden == []
