"""Every snippet runs under every set-up, in a process of its own; without ours each of them leaks."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator

import pytest

from tests.cases.harness import Outcome, Pool, Snippet, all_snippets, complaints, found

SNIPPETS = all_snippets()
GUARDED = ("alone", "beside", "dict_config")

# Two look for races and deadlocks with thousands of records each; for the third a set-up changes nothing.
ONCE = {"B14": ("beside",), "B19": ("beside",), "A47": ("alone",)}


def _setups(snippet: Snippet) -> tuple[str, ...]:
    """Return where a snippet runs: what hooks in before any handler needs the strict set-up, and says so."""
    return tuple(snippet.case.get("setups", ONCE.get(snippet.case["id"], GUARDED)))


def _marks(snippet: Snippet) -> list[pytest.MarkDecorator]:
    return [pytest.mark.integration] if "requires" in snippet.case else []


RUNS = [
    pytest.param(snippet, setup, id=f"{snippet.path.stem}-{setup}", marks=_marks(snippet))
    for snippet in SNIPPETS
    for setup in _setups(snippet)
]
LEAKING = [
    pytest.param(
        snippet,
        "unguarded",
        id=snippet.path.stem,
        marks=[pytest.mark.integration] if "requires" in snippet.case else [],
    )
    for snippet in SNIPPETS
    if snippet.secrets
]


@pytest.fixture(scope="module")
def pool(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pool]:
    """The runs of all tests that were selected, in their order."""
    params = [item.callspec.params for item in request.session.items if item.path == request.path and item.callspec]
    jobs = [(one["snippet"], one["setup"]) for one in params if missing(one["snippet"]) is None]
    with Pool(tmp_path_factory.mktemp("cases"), jobs) as found_pool:
        yield found_pool


def missing(snippet: Snippet) -> str | None:
    """Return a package that a snippet needs and that is not installed."""
    for name in snippet.case.get("requires", ()):
        try:
            spec = importlib.util.find_spec(name)
        except ModuleNotFoundError:
            spec = None
        if spec is None:
            return name
    return None


def _run(pool: Pool, snippet: Snippet, setup: str) -> Outcome:
    name = missing(snippet)
    if name is not None:
        pytest.skip(f"needs {name}")
    return pool.outcome(snippet, setup)


@pytest.mark.parametrize(("snippet", "setup"), RUNS)
def test_no_secret_comes_out_and_nothing_else_is_lost(pool: Pool, snippet: Snippet, setup: str) -> None:
    """No secret stands in a line, a span, a file or on the streams; what must come out does."""
    outcome = _run(pool, snippet, setup)

    assert complaints(snippet, outcome, content=setup == "alone") == []


@pytest.mark.parametrize(("snippet", "setup"), LEAKING)
def test_without_the_guard_every_secret_comes_out(pool: Pool, snippet: Snippet, setup: str) -> None:
    """A secret that plain logging does not show would be a test of nothing."""
    outcome = _run(pool, snippet, setup)

    assert outcome.exit_code == 0
    assert not (outcome.raised or "").startswith("AssertionError")
    words = snippet.secrets + snippet.allowed
    shown = found(outcome.texts, words)
    assert [word for word in words if not any(place.startswith(repr(word)) for place in shown)] == []
