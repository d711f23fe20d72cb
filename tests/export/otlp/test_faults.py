"""Whatever the collector does, no log call fails or waits, and the counts are what it has acknowledged."""

from __future__ import annotations

import logging
import threading
from typing import Any

import pytest

import discreet
from tests.export.otlp.fault_server import (
    GARBAGE,
    LOGIN_PAGE,
    NO_HTTP,
    OK,
    RESET,
    BlackHole,
    Fault,
    FaultServer,
    nobody,
    status,
)

pytestmark = pytest.mark.integration

log = logging.getLogger("faults")


def _handler(base: str, **options: Any) -> discreet.OtelLogHandler:
    handler = discreet.OtelLogHandler(endpoint=f"{base}/v1/logs", attributes={"n": "int"}, **options)
    log.handlers[:] = [handler]
    log.setLevel(logging.INFO)
    log.propagate = False
    return handler


def _say(count: int) -> None:
    for n in range(count):
        log.info("record %d", n, extra={"n": n})


def _counts(handler: discreet.OtelLogHandler) -> tuple[int, dict[str, int]]:
    found = handler.counts.as_dict()
    assert found["total"] == found["eligible"] + found["filtered"]
    assert found["eligible"] == found["observed"] + found["missing"]
    return found["observed"], found["missing_by_reason"]


# Fault of each request in turn, what is acknowledged of ten records and what is missing, requests.
CASES: dict[str, tuple[list[Fault], int, dict[str, int], int]] = {
    "ok": ([OK], 10, {}, 1),
    "400 for every record": ([status(400)], 0, {"refused": 10}, 19),
    "413 for every record": ([status(413)], 0, {"too_large": 10}, 19),
    "413 once": ([status(413), OK], 10, {}, 3),
    "401": ([status(401)], 0, {"unauthorized": 10}, 1),
    "404": ([status(404)], 0, {"refused": 10}, 1),
    "429 with Retry-After": ([status(429, Retry_After="7"), OK], 10, {}, 2),
    "429 for ever": ([status(429)], 0, {"rate_limited": 10}, 4),
    "500": ([status(500)], 0, {"server_error": 10}, 1),
    "502 and 504": ([status(502), status(504), OK], 10, {}, 3),
    "503 three times, then 200": ([status(503), status(503), status(503), OK], 10, {}, 4),
    "503 for ever": ([status(503)], 0, {"server_error": 10}, 4),
    "partial success": ([Fault(rejected=3)], 7, {"rejected": 3}, 1),
    "more rejected than sent": ([Fault(rejected=99)], 0, {"rejected": 10}, 1),
    "fewer rejected than none": ([Fault(rejected=-3)], 0, {"bad_answer": 10}, 1),
    "redirect": ([status(307, Location="http://127.0.0.1:1/v1/logs")], 0, {"redirected": 10}, 1),
    "garbage": ([GARBAGE], 0, {"bad_answer": 10}, 1),
    "login page": ([LOGIN_PAGE], 0, {"bad_answer": 10}, 1),
    "no HTTP": ([NO_HTTP], 0, {"bad_answer": 10}, 1),
    "reset once": ([RESET, OK], 10, {}, 2),
    "reset for ever": ([RESET], 0, {"connection_failed": 10}, 4),
    "one bad record": ([Fault(400, body=b"", only_if=lambda text: text == "record 6")], 9, {"refused": 1}, 7),
}


@pytest.mark.parametrize("name", CASES)
def test_every_record_is_counted_as_what_became_of_it(name: str, waits: list[float]) -> None:
    """What is observed is what the collector has acknowledged, and the rest is missing with a reason."""
    faults, observed, missing, requests = CASES[name]
    with FaultServer(faults) as server:
        handler = _handler(server.base)

        _say(10)
        answered = handler.force_flush(20)

        assert answered
        assert _counts(handler) == (observed, missing)
        # A collector that says that it rejects more than it got keeps none.
        assert len(server.logs) == observed or name in ("more rejected than sent", "fewer rejected than none")
        assert server.requests == requests
        assert len({record.body.string_value for record in server.logs}) == len(server.logs)
        handler.retire(5)


def test_waits_grow_and_are_not_shorter_than_the_collector_asks(waits: list[float]) -> None:
    """At most four attempts, the waits one, two and four seconds and up to one more by chance."""
    with FaultServer([status(503), status(503), status(429, Retry_After="30"), status(503)]) as server:
        handler = _handler(server.base)
        _say(1)
        handler.force_flush(20)
        handler.retire(5)

    assert len(waits) == 3
    assert 1 <= waits[0] <= 2
    assert 2 <= waits[1] <= 3
    assert waits[2] == 30


def test_refused_connections_are_tried_four_times(waits: list[float]) -> None:
    """A collector that isn't there is a collector that may come."""
    handler = _handler(nobody())
    _say(10)

    assert handler.force_flush(20)
    assert _counts(handler) == (0, {"connection_failed": 10})
    assert len(waits) == 3
    handler.retire(5)


def test_a_collector_that_never_answers_keeps_no_log_call_waiting() -> None:
    """The records are logged while the first request hangs: had a call waited for it, this test would never end."""
    with BlackHole() as hole:
        handler = _handler(hole.base, timeout=100)
        _say(512)
        assert hole.came.wait(20)

        _say(20_000)
        log.error("the one that matters")
        before = handler.counts.as_dict()
        handler.retire(0.2)

    assert before["total"] == 20_513
    assert before["observed"] == 0
    # 512 are on their way, 7,168 wait, and the error has one of the places that are kept for such.
    assert before["missing_by_reason"] == {"pending": 512 + 7168 + 1, "queue_full": 20_000 - 7168}
    assert _counts(handler) == (0, {"queue_full": 20_000 - 7168, "shutdown": 512 + 7168 + 1})


def test_a_slow_answer_counts_when_it_comes() -> None:
    """Until then the records are pending."""
    gate = threading.Event()
    with FaultServer([Fault(wait=gate)]) as server:
        handler = _handler(server.base)
        _say(10)
        assert not handler.force_flush(0.05)
        waiting = _counts(handler)
        gate.set()

        assert handler.force_flush(20)
        assert waiting == (0, {"pending": 10})
        assert _counts(handler) == (10, {})
        assert len(server.logs) == 10
        handler.retire(5)


def test_an_answer_that_comes_too_late_is_a_time_out(waits: list[float]) -> None:
    """Each attempt has its own time."""
    gate = threading.Event()
    with FaultServer([Fault(wait=gate)]) as server:
        handler = _handler(server.base, timeout=0.05)
        _say(10)

        assert handler.force_flush(20)
        assert _counts(handler) == (0, {"timeout": 10})
        assert len(waits) == 3
        gate.set()
        handler.retire(5)


def test_where_everything_is_refused_requests_are_bounded(waits: list[float]) -> None:
    """Halving finds a bad record; it must not become a storm where the collector wants none at all."""
    with FaultServer([status(400)]) as server:
        handler = _handler(server.base)
        for _ in range(4):
            _say(500)
            assert handler.force_flush(20)

        assert _counts(handler) == (0, {"refused": 2000})
        assert server.requests < 64 + 16 + 3 * (8 + 16)
        handler.retire(5)


def test_bad_records_among_many_take_no_good_one_with_them(waits: list[float]) -> None:
    """Each is found by halving, wherever it stands."""
    bad = {"record 0", "record 255", "record 256", "record 499"}
    with FaultServer([Fault(400, body=b"", only_if=lambda text: text in bad)]) as server:
        handler = _handler(server.base)
        _say(500)

        assert handler.force_flush(20)
        assert _counts(handler) == (496, {"refused": 4})
        assert {record.body.string_value for record in server.logs} == {f"record {n}" for n in range(500)} - bad
        handler.retire(5)


def test_what_waits_at_the_end_is_sent(waits: list[float]) -> None:
    """Closing sends, and what is logged afterwards is missing as closed."""
    with FaultServer() as server:
        handler = _handler(server.base)
        _say(10)
        handler.retire(5)
        _say(2)

        assert _counts(handler) == (10, {"closed": 2})
        assert len(server.logs) == 10
