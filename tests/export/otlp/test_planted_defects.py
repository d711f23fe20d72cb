"""Planted defects of sending: a check that holds as it is fails with each."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import pytest

import discreet
from discreet import ending
from discreet.export import logs
from discreet.export.otlp import answers, batches, sender
from tests.export.otlp.fault_server import GARBAGE, OK, Fault, FaultServer, fields, status

pytestmark = pytest.mark.integration

CONTENT = logging.getLogger("verbatim_core.content")


def _run(faults: list[Fault], work: Callable[[], None]) -> tuple[FaultServer, dict[str, Any]]:
    with FaultServer(faults) as server:
        handler = discreet.OtelLogHandler(endpoint=f"{server.base}/v1/logs", name="planted")
        before = handler.counts.as_dict()
        logging.root.setLevel(logging.DEBUG)
        logging.root.handlers[:] = [handler]
        work()
        for _ in range(2):
            assert handler.force_flush(20)
        logging.root.handlers.clear()
        handler.retire(5)
        after = handler.counts.as_dict()
    return server, {key: after[key] - before[key] for key in ("total", "filtered", "observed", "missing")}


def _ten() -> None:
    for n in range(10):
        logging.getLogger("app").info("record %d", n)


def content_stays() -> bool:
    """Tell whether what an open content logger says stays here, and that it said it."""
    CONTENT.setLevel(logging.DEBUG)
    server, _ = _run([OK], lambda: CONTENT.debug("Asked %s", "Which ship passes?"))
    return not any("content" in fields(record) or "ship" in record.body.string_value for record in server.logs)


def counts_are_the_collectors(*faults: Fault) -> bool:
    """Tell whether what counts as observed is what the collector has."""
    server, counts = _run(list(faults), _ten)
    return len(server.logs) == counts["observed"] and counts["observed"] + counts["missing"] == 10


def no_feedback() -> bool:
    """Tell whether one record makes one request."""
    server, _ = _run([OK], lambda: logging.getLogger("app").info("one"))
    return server.requests == 1


def closing_sends_all() -> bool:
    """Tell whether discreet.close() has sent all when it returns, says so, and misses nothing of its own."""
    with FaultServer([OK]) as server:
        handler = discreet.OtelLogHandler(endpoint=f"{server.base}/v1/logs", name="closed")
        before = handler.counts.as_dict()
        logging.root.setLevel(logging.INFO)
        logging.root.handlers[:] = [handler]
        _ten()
        done = discreet.close()
        sent = len(server.logs)
        logging.root.handlers.clear()
        handler.retire(5)
        missing = handler.counts.as_dict()["missing"] - before["missing"]
    return (done, sent, missing) == (True, 10, 0)


DEFECTS: dict[str, tuple[Any, str, Any, Callable[[], bool]]] = {
    "content is sent without leave": (logs, "without_content", lambda sealed: sealed, content_stays),
    "a rejection is overlooked": (
        answers.Verdict,
        "rejected",
        property(lambda self: 0, lambda self, value: None),
        lambda: counts_are_the_collectors(Fault(rejected=3)),
    ),
    "a redirect counts as success": (
        answers,
        "_SUCCESS",
        range(200, 400),
        lambda: counts_are_the_collectors(status(302)),
    ),
    "any body counts as success": (
        sender,
        "judge",
        lambda answer, rejected: answers.judge(answer, lambda _: 0),
        lambda: counts_are_the_collectors(GARBAGE),
    ),
    "a bad record takes its batch along": (
        answers,
        "_HALVED",
        {},
        lambda: (
            counts_are_the_collectors(Fault(400, body=b"", only_if=lambda text: text == "record 3"))
            and _run([Fault(400, body=b"", only_if=lambda text: text == "record 3")], _ten)[1]["observed"] == 9
        ),
    ),
    "the sending thread is not marked": (batches, "exporting", nullcontext, no_feedback),
    "closing forgets a sink": (ending, "open_handlers", list, closing_sends_all),
    "closing only begins to send": (
        ending,
        "end_sending",
        lambda handlers, timeout: [handler.begin_retiring(0) for handler in handlers],
        closing_sends_all,
    ),
    "closing tells the sinks that it has closed": (ending, "exporting", nullcontext, closing_sends_all),
}


@pytest.mark.parametrize("name", DEFECTS)
def test_a_planted_defect_is_noticed(name: str, monkeypatch: pytest.MonkeyPatch, waits: list[float]) -> None:
    """By a check that holds without it."""
    place, attribute, instead, check = DEFECTS[name]
    assert check()
    monkeypatch.setattr(place, attribute, instead)

    assert not check()
