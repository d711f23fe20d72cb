"""OpenTelemetry's contrib LoggingHandler gets sealed records, wherever it stands."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.interplay.calls import CHAIN, LOGGER, MESSAGES, found_in, of_lines
from tests.interplay.running import run

pytestmark = pytest.mark.integration


@pytest.mark.parametrize("order", ["before", "after", "reconfigured"])
def test_the_contrib_handler_exports_only_what_is_sealed(order: str, tmp_path: Path) -> None:
    """Installed before ours, after ours, and added again by a dictConfig; bodies, codes and types stay."""
    outcome = run("otel_logs.py", tmp_path, order)

    assert outcome.leaks == []
    assert of_lines(outcome.lines("ours.jsonl")) == list(MESSAGES)
    exported = outcome.lines("otel.jsonl")
    assert [record["body"] for record in exported] == list(MESSAGES)
    assert [record["severity"] for record in exported] == ["WARN"] * 4 + ["ERROR"]
    assert [record.get("shard") for record in exported] == [None, None, 3, None, 4]
    assert exported[-1]["exception.type"] == "ValueError"
    assert "exception.message" not in exported[-1]
    assert "LookupError" in exported[-1]["exception.stacktrace"]
    assert "in fail" in exported[-1]["exception.stacktrace"]
    assert [record["code.function.name"] for record in exported] == ["work"] * 5
    last = [line for line in outcome.lines("ours.jsonl") if line["logger"] == LOGGER][-1]
    assert last["exception_chain"] == CHAIN


def test_without_the_guard_it_exports_all_of_it(tmp_path: Path) -> None:
    """The control."""
    outcome = run("otel_logs.py", tmp_path, "unguarded")

    exported = outcome.lines("otel.jsonl")
    assert [bool(found_in(str(record))) for record in exported] == [True] * 5
