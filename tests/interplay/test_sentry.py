"""sentry-sdk keeps type, chain, frames and grouping; its envelopes hold no text."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.interplay.calls import CHAIN, EXPECTED, LOGGER, MESSAGES, found_in, of_lines
from tests.interplay.running import Outcome, run

pytestmark = [pytest.mark.integration, pytest.mark.long]


def _events(outcome: Outcome) -> list[dict[str, Any]]:
    return [value for value in outcome.lines("sentry.jsonl") if "event_id" in value and "level" in value]


def _grouping(event: dict[str, Any]) -> list[tuple[Any, ...]]:
    """Return what Sentry groups exceptions by: the type, module and frames of each, innermost cause first."""
    return [
        (
            one["type"],
            one["module"],
            [(frame["function"], frame["module"], frame["lineno"]) for frame in one["stacktrace"]["frames"]],
        )
        for one in event["exception"]["values"]
    ]


@pytest.fixture(scope="module")
def unguarded(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    """The same program without the guard."""
    return run("sentry_events.py", tmp_path_factory.mktemp("unguarded"), "unguarded")


@pytest.mark.parametrize("order", ["first", "last"])
def test_envelopes_hold_sealed_records_only(order: str, tmp_path: Path) -> None:
    """With `install(strict=True)`, whether sentry has put its hook on logging before or after."""
    outcome = run("sentry_events.py", tmp_path, order)

    assert outcome.leaks == []
    assert of_lines(outcome.lines("ours.jsonl")) == list(MESSAGES)
    assert outcome.lines("ours.jsonl")[-1]["exception_chain"] == CHAIN
    (event,) = _events(outcome)
    assert (event["level"], event["logger"]) == ("error", LOGGER)
    assert event["logentry"]["message"] == "Failed for %s"
    assert event["logentry"]["params"] == ["<str 64-255>"]
    assert [crumb["message"] for crumb in event["breadcrumbs"]["values"] if crumb["category"] == LOGGER] == list(
        MESSAGES[:4]
    )
    assert event["extra"]["shard"] == 4
    logs = [item for value in outcome.lines("sentry.jsonl") for item in value.get("items", ()) if "body" in item]
    assert [log["body"] for log in logs if log["attributes"]["logger.name"]["value"] == LOGGER] == list(MESSAGES)


@pytest.mark.parametrize("order", ["first", "last"])
def test_exceptions_are_grouped_as_without_the_guard(order: str, tmp_path: Path, unguarded: Outcome) -> None:
    """The same types, modules, functions and lines, without values, local variables and source."""
    (event,) = _events(run("sentry_events.py", tmp_path, order))

    values = event["exception"]["values"]
    frames = [frame for one in values for frame in one["stacktrace"]["frames"]]
    assert _grouping(event) == _grouping(_events(unguarded)[0])
    assert [one["type"] for one in values] == ["LookupError", "ValueError"]
    assert [one.get("value") for one in values] == ["", ""]
    assert [frame.get("vars") or frame.get("context_line") for frame in frames] == [None] * len(frames)


def test_what_was_matched_is_told_by_its_place(tmp_path: Path) -> None:
    """Envelopes are made after the handlers ran and sent from a thread; the scope is over by then."""
    outcome = run("sentry_events.py", tmp_path, "scoped")

    assert outcome.leaks == []
    (event,) = _events(outcome)
    assert (event["logentry"]["message"], event["logentry"]["params"]) == ("Failed for %s", ["<question 1-15>"])
    assert [(one["type"], one.get("value")) for one in event["exception"]["values"]] == [("LookupError", "")]
    crumbs = [crumb["message"] for crumb in event["breadcrumbs"]["values"] if crumb["category"].startswith(LOGGER)]
    assert crumbs == EXPECTED[:2]


def test_without_the_guard_the_sentences_arrive(unguarded: Outcome) -> None:
    """The control."""
    assert found_in(unguarded.files["sentry.jsonl"]) == found_in(str(_events(unguarded)))
    assert len(found_in(unguarded.files["sentry.jsonl"])) > 10
