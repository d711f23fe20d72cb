"""pytest's caplog shows a developer what the code wrote, and with --discreet what goes out."""

from __future__ import annotations

import sys
from importlib.metadata import entry_points

import pytest

from tests.forking import environment
from tests.interplay.calls import SENTENCES, found_in

pytestmark = pytest.mark.long

pytest_plugins = ["pytester"]

INNER = """
import logging

import discreet
from tests.interplay.calls import LOGGER, MESSAGES, SENTENCES, found_in, work


def test_unguarded(caplog):
    discreet.install()
    work(logging.getLogger(LOGGER))
    assert SENTENCES[0] in caplog.text
    assert caplog.records[1].args[0] == SENTENCES[3]
    assert caplog.records[2].prompt == SENTENCES[1]
    assert str(caplog.records[4].exc_info[1]) == SENTENCES[3]


def test_guarded(caplog):
    work(logging.getLogger(LOGGER))
    assert [record.getMessage() for record in caplog.records] == list(MESSAGES)
    assert found_in(caplog.text) == []
    assert "LookupError" in caplog.text
    assert "ValueError" in caplog.text


def test_failing(caplog):
    work(logging.getLogger(LOGGER))
    assert 0
"""


@pytest.fixture
def inner(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A project with tests of its own that logs sentences."""
    for name, value in environment().items():
        monkeypatch.setenv(name, value)
    pytester.makepyfile(test_inner=INNER)
    return pytester


def _run(inner: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    # Installed, the plugin is found by its entry point; a source tree has none.
    found = any(point.value == "discreet.pytest_plugin" for point in entry_points(group="pytest11"))
    plugin = () if found else ("-p", "discreet.pytest_plugin")
    command = [sys.executable, "-m", "pytest", *plugin, "-p", "no:cacheprovider", "--tb=short", *arguments]
    return inner.run(*command)


def test_capturing_handlers_are_left_alone(inner: pytest.Pytester) -> None:
    """Although the guard is installed: reports of failures are the developer's own."""
    _run(inner, "-k", "unguarded").assert_outcomes(passed=1, deselected=2)

    result = _run(inner, "-k", "failing")

    result.assert_outcomes(failed=1, deselected=2)
    assert SENTENCES[0] in result.stdout.str()


def test_the_option_guards_them_too(inner: pytest.Pytester) -> None:
    """Records, text and the report of a failing test; type and chain of the exception stay."""
    _run(inner, "--discreet", "-k", "test_guarded").assert_outcomes(passed=1, deselected=2)

    result = _run(inner, "--discreet", "-k", "failing")

    result.assert_outcomes(failed=1, deselected=2)
    report = result.stdout.str()
    assert "Asked {question} in 12.5 ms" in report
    assert found_in(report, result.stderr.str()) == []
