"""The end of a process: what waits is sent, within a bound, and what is not is told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.export.otlp.fault_server import BlackHole, Fault, FaultServer, nobody, status
from tests.export.otlp.running import run

pytestmark = [pytest.mark.integration, pytest.mark.long]

ENDS = {
    "the handle is closed": "handle.close()",
    "the program ends": "",
    "it is left by an exception": "sys.excepthook = lambda *error: None; raise SystemExit(3)",
    "a handler was closed by logging": "logging.shutdown()",
}


def last_record(folder: Path, event: str, **more: Any) -> dict[str, Any]:
    lines = [json.loads(line) for line in (folder / "lines.jsonl").read_text("utf-8").splitlines()]
    found = [line for line in lines if line.get("event") == event and more.items() <= line.items()]
    assert len(found) == 1
    return found[0]


@pytest.mark.parametrize("end", ENDS)
def test_what_waits_is_sent_at_the_end(end: str, tmp_path: Path) -> None:
    """Nobody has to flush; the remaining sink tells what became of everything."""
    program = f"""
    handle = set_up(json="lines.jsonl")
    say(700)
    {ENDS[end]}
    """
    with FaultServer() as server:
        ended = run(program, server.base, tmp_path)

    assert (ended.code, ended.stderr) == (3 if "SystemExit" in ENDS[end] else 0, "")
    assert len(server.logs) == 701
    closed = last_record(tmp_path, "pipeline_closed")
    # The lines of JSON and the records sent; one event became a span, which its handler and its sender count.
    assert closed["sinks"] >= 4
    assert closed["observed"] >= 701 + 701 + 1 + 1
    assert closed["total"] == closed["eligible"] + closed["filtered"]
    assert closed["eligible"] == closed["observed"]
    assert closed["missing"] == 0
    assert closed["level"] == "INFO"


def test_a_collector_that_never_answers_is_not_waited_for_longer_than_the_bound(tmp_path: Path) -> None:
    """The process would take the 100 seconds of a request; what ends it is the bound, as its counts say."""
    program = """
    handle = set_up(json="lines.jsonl", shutdown_timeout=0.5)
    say(5)
    """
    with BlackHole() as hole:
        ended = run(program, hole.base, tmp_path, OTEL_EXPORTER_OTLP_TIMEOUT="100")

    assert ended.code == 0
    told = ended.stderr.splitlines()
    assert told[:1] == ["discreet: 6 of 6 records are missing in the sink otlp_logs: shutdown"]
    assert told[-1:] == ["discreet: 1 of 1 records are missing in the sink otlp_spans: shutdown"]
    assert last_record(tmp_path, "pipeline_closed")["missing"] >= 7


def test_nobody_listens_and_the_program_ends_all_the_same(tmp_path: Path) -> None:
    """There is no time for four attempts, so the last reason stands."""
    program = """
    handle = set_up(json="lines.jsonl", shutdown_timeout=1.5, level="WARNING", all_spans=False)
    log.warning("record")
    """
    ended = run(program, nobody(), tmp_path)

    assert ended.code == 0
    assert "discreet: 1 of 1 records are missing in the sink otlp_logs: connection_failed\n" in ended.stderr
    missing = last_record(tmp_path, "records_missing", sink="otlp_logs")
    assert (missing["sink"], missing["reason"], missing["count"], missing["level"]) == (
        "otlp_logs",
        "connection_failed",
        1,
        "WARNING",
    )


def test_a_retry_that_would_come_too_late_is_not_waited_for(tmp_path: Path) -> None:
    """A collector that asks for a minute gets the record again only if the process lives as long."""
    program = """
    handle = set_up(shutdown_timeout=50, level="WARNING")
    log.warning("record")
    begin = time.monotonic()
    handle.close()
    tell(counts=counts(), late=time.monotonic() - begin >= 50)
    """
    with FaultServer([status(503, Retry_After="60")]) as server:
        ended = run(program, server.base, tmp_path)

    assert server.requests == 1
    assert ended.said == [
        {
            "counts": {
                # The record that says that one is missing doesn't go where it is.
                "total": 2,
                "eligible": 1,
                "filtered": 1,
                "observed": 0,
                "missing": 1,
                "missing_by_reason": {"server_error": 1},
                "cut": 0,
            },
            "late": False,
        }
    ]


def test_what_is_logged_while_the_sink_closes_is_counted(tmp_path: Path) -> None:
    """Sending takes its time, and other threads of the program may go on."""
    program = """
    handle = set_up(shutdown_timeout=0.5, level="WARNING", all_spans=False)
    logged = 0

    def work():
        global logged
        while not stop.is_set():
            log.warning("record")
            logged += 1
            time.sleep(0.001)

    stop = threading.Event()
    thread = threading.Thread(target=work)
    log.warning("record")
    thread.start()
    closing = threading.Thread(target=handle.close)
    closing.start()
    while not counts()["missing_by_reason"].get("closed"):
        time.sleep(0.001)
    stop.set()
    thread.join()
    closing.join()
    tell(logged=logged + 1, counts=counts())
    """
    with BlackHole() as hole:
        ended = run(program, hole.base, tmp_path)

    found = ended.said[0]["counts"]
    assert found["eligible"] == ended.said[0]["logged"]
    assert found["missing_by_reason"].keys() == {"shutdown", "closed"}


def test_a_closing_that_is_interrupted_still_says_at_the_end_what_became_of_all(tmp_path: Path) -> None:
    """Ctrl-C while a collector is waited for."""
    program = """
    handle = set_up(json="lines.jsonl", shutdown_timeout=3)
    say(5)
    threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    try:
        handle.close()
    except KeyboardInterrupt:
        tell(interrupted=True)
    """
    with BlackHole() as hole:
        ended = run(program, hole.base, tmp_path)

    assert (ended.code, ended.said) == (0, [{"interrupted": True}])
    assert "discreet: 6 of 6 records are missing in the sink otlp_logs: shutdown\n" in ended.stderr
    assert last_record(tmp_path, "pipeline_closed")["missing"] >= 7


def test_after_an_interrupted_closing_each_record_is_counted_once(tmp_path: Path) -> None:
    """A thread that somebody waited for in vain is no thread that has ended: its work isn't done a second time."""
    program = """
    handle = set_up(json="lines.jsonl", shutdown_timeout=20)
    say(1500)
    threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    try:
        handle.close()
    except KeyboardInterrupt:
        tell(interrupted=True)
    """
    with FaultServer([Fault(delay=0.2)]) as server:
        ended = run(program, server.base, tmp_path)

    assert (ended.code, ended.said, ended.stderr) == (0, [{"interrupted": True}], "")
    assert last_record(tmp_path, "pipeline_closed")["missing"] == 0
    assert len(server.logs) == 1501


def test_a_handler_of_a_dict_config_sends_at_the_end_and_when_it_is_replaced(tmp_path: Path) -> None:
    """The second configuration closes the first one's handler, whose thread sends what waits and ends."""
    program = """
    import logging.config

    def configuration(name):
        handler = {"()": "discreet.OtelLogHandler", "endpoint": f"{url}/v1/logs", "name": name}
        return {
            "version": 1,
            "disable_existing_loggers": False,
            "handlers": {"otlp": {**handler, "attributes": {"n": "int", "pid": "int"}}},
            "root": {"level": "INFO", "handlers": ["otlp"]},
        }

    logging.config.dictConfig(configuration("first"))
    say(300)
    logging.config.dictConfig(configuration("second"))
    say(400)
    tell(total=[counts(name)["total"] for name in ("first", "second")])
    """
    with FaultServer() as server:
        ended = run(program, server.base, tmp_path)

    assert (ended.code, ended.stderr) == (0, "")
    assert ended.said == [{"total": [300, 400]}]
    assert len(server.logs) == 700


def test_where_no_thread_can_be_started_what_waits_is_sent_at_the_end(tmp_path: Path) -> None:
    """Log calls go on as if nothing was; flushing says that it could not."""
    program = """
    handle = set_up(level="WARNING", all_spans=False)

    def refuse(self):
        raise RuntimeError("can't start new thread")

    start, threading.Thread.start = threading.Thread.start, refuse
    log.warning("record")
    log.warning("record")
    flushed = handle.flush(1)
    waiting = counts()
    handle.close()
    threading.Thread.start = start
    tell(flushed=flushed, waiting=waiting["missing_by_reason"], counts=counts())
    """
    with FaultServer() as server:
        ended = run(program, server.base, tmp_path)

    assert ended.code == 0
    assert ended.said[0]["flushed"] is False
    assert ended.said[0]["waiting"] == {"pending": 2}
    assert (ended.said[0]["counts"]["observed"], ended.said[0]["counts"]["missing"]) == (2, 0)
    assert len(server.logs) == 2


def test_json_alone_says_nothing_at_its_end(tmp_path: Path) -> None:
    """Every line was written, so there is nothing that a person has to look at."""
    program = """
    set_up(otlp=False, json="lines.jsonl").close()
    """
    ended = run(program, "none", tmp_path)

    assert (ended.code, ended.stderr) == (0, "")
    assert "pipeline_closed" not in (tmp_path / "lines.jsonl").read_text("utf-8")
