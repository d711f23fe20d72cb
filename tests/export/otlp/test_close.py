"""discreet.close(): the end of what sends, for processes whose own end does nothing for it."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pytest

import discreet
from discreet.export.ledger import LEDGER
from discreet.export.sending_handler import SendingHandler
from tests.export.otlp.fault_server import BlackHole, FaultServer
from tests.export.otlp.running import run

pytestmark = pytest.mark.long

BY_DICT = """
import logging.config
def dict_config(**more):
    bound = {"shutdown_timeout": 0.5, **more}
    logging.config.dictConfig({
        "version": 1,
        "disable_existing_loggers": False,
        "filters": {"guard": {"()": "discreet.ContentGuard", "attributes": {"n": "int", "pid": "int"}}},
        "handlers": {
            "json": {"()": "discreet.JsonHandler", "filename": "lines.jsonl"},
            "logs": {"()": "discreet.OtelLogHandler", "endpoint": url + "/v1/logs", **bound},
            "spans": {"()": "discreet.OtelSpanHandler", "otlp": url, **bound},
            "metrics": {"()": "discreet.OtelMetricHandler", "endpoint": url + "/v1/metrics", **bound},
        },
        "root": {"level": "INFO", "handlers": ["json", "logs", "spans", "metrics"]},
    })
"""
WAYS = {"dictConfig": "dict_config(shutdown_timeout=60)", "configure()": "set_up(json='lines.jsonl')"}
KILLED = "os.kill(os.getpid(), signal.SIGKILL)"


def program(text: str) -> str:
    lines = [line[8:] if line.startswith(" " * 8) else line for line in text.splitlines()]
    return BY_DICT + "\n".join(lines)


def written(folder: Path, **fields: Any) -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in (folder / "lines.jsonl").read_text("utf-8").splitlines()]
    return [line for line in lines if fields.items() <= line.items()]


@pytest.mark.integration
@pytest.mark.parametrize("way", WAYS)
def test_what_waits_is_sent_whichever_way_logging_is_set_up(way: str, tmp_path: Path) -> None:
    """Though the process is killed then: nothing is left for its end. The counts are told by the sink that stays."""
    text = program(f"""
        {WAYS[way]}
        say(700)
        with discreet.observe_call("harbour.ask", question="Who moored it?"):
            log.warning("No answer for %s", "Who moored it?")
        tell(done=discreet.close())
        {KILLED}
    """)
    with FaultServer() as server:
        ended = run(text, server.base, tmp_path, DISCREET_REPORT_EVERY="600", OTEL_METRICS_EXPORTER="otlp")

    assert (ended.code, ended.said, ended.stderr) == (-9, [{"done": True}], "")
    bodies = [record.body.string_value.partition(",")[0].partition(":4")[0] for record in server.logs]
    assert bodies.count("record") == 700
    assert [body for body in bodies if body != "record"][-3:] == [
        "No answer for <str 1-15>",
        "harbour.ask: ok",
        "1 value withheld at __main__",
    ]
    assert {span.name for span in server.spans} & {"harbour.ask", "call_finished"}
    assert len(server.metrics) == 2
    (closed,) = written(tmp_path, event="pipeline_closed")
    assert (closed["missing"], closed["observed"]) == (0, closed["eligible"])


@pytest.mark.integration
def test_what_is_logged_later_is_written_and_counted_as_closed(tmp_path: Path) -> None:
    """Lines of JSON go on; what would be sent is missing, with its reason, and nothing is said of it on the way."""
    text = program(f"""
        dict_config(shutdown_timeout=60)
        say(3)
        tell(done=discreet.close())
        say(2)
        log.error("Too late", extra={{"event": "call_finished"}})
        tell(done=discreet.close(), again=discreet.close(0))
        tell(logs=counts()["missing_by_reason"], spans=counts("spans")["missing_by_reason"])
        {KILLED}
    """)
    with FaultServer() as server:
        ended = run(text, server.base, tmp_path)

    assert ended.stderr == ""
    assert ended.said == [
        {"done": True},
        {"done": True, "again": True},
        {"logs": {"closed": 3}, "spans": {"closed": 1}},
    ]
    assert len(server.logs) == 3
    assert [line["message"] for line in written(tmp_path)] == [
        *["record"] * 3,
        "The sinks were closed",
        *["record"] * 2,
        "Too late",
    ]


@pytest.mark.integration
def test_a_handle_closes_what_is_left(tmp_path: Path) -> None:
    """The set-up's own sink stays until then."""
    text = program("""
        handle = set_up(json="lines.jsonl")
        say(1)
        tell(done=discreet.close())
        say(1)
        handle.close()
        say(1)
        tell(left=len(logging.root.handlers))
    """)
    with FaultServer() as server:
        ended = run(text, server.base, tmp_path)

    assert (ended.code, ended.said) == (0, [{"done": True}, {"left": 0}])
    assert len(written(tmp_path, message="record")) == 2
    # The handle says what came in between, which nobody has said yet.
    assert [one["missing"] for one in written(tmp_path, event="pipeline_closed")] == [0, 1]
    assert ended.stderr.splitlines() == ["discreet: 1 of 3 records are missing in the sink otlp_logs: closed"]


@pytest.mark.integration
def test_a_collector_that_never_answers_has_the_sinks_bound(tmp_path: Path) -> None:
    """Not the 100 seconds of a request, and not the bounds of all sinks one after the other; the counts say so."""
    text = program("""
        dict_config()
        say(5)
        tell(done=discreet.close(), missing=counts()["missing_by_reason"])
        tell(again=discreet.close())
    """)
    with BlackHole() as hole:
        ended = run(text, hole.base, tmp_path, OTEL_EXPORTER_OTLP_TIMEOUT="100")

    assert ended.said == [{"done": False, "missing": {"shutdown": 5}}, {"again": False}]
    assert ended.stderr.splitlines() == [
        "discreet: 5 of 5 records are missing in the sink otlp_logs: shutdown",
        "discreet: 2 of 2 records are missing in the sink otlp_metrics: shutdown",
    ]


@pytest.mark.integration
def test_threads_and_forked_children_may_close_at_once(tmp_path: Path) -> None:
    """Each process sends its own, once."""
    text = program("""
        dict_config(shutdown_timeout=60)
        say(20)
        child = os.fork()
        if not child:
            say(10)
        threads = [threading.Thread(target=lambda: done.append(discreet.close())) for _ in range(8)]
        done = []
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        tell(child=not child, done=done)
        if child:
            os.waitpid(child, 0)
        os._exit(0)
    """)
    with FaultServer() as server:
        ended = run(text, server.base, tmp_path)

    assert sorted(ended.said, key=str) == [{"child": False, "done": [True] * 8}, {"child": True, "done": [True] * 8}]
    assert len(server.logs) == 30
    assert len(written(tmp_path, event="pipeline_closed")) == 2


def test_it_never_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever shuts down goes on; the failure is counted."""

    class Broken(SendingHandler):
        def stop(self, timeout: float | None = None, *, wait: bool = True) -> None:
            raise OSError("Who moored it?")

    before = LEDGER.failures.get(("exit", "OSError"), 0)
    handler = Broken(sink="broken")
    try:
        assert discreet.close() is False
    finally:
        monkeypatch.setattr(Broken, "stop", lambda self, timeout=None, *, wait=True: None)
        handler.retire()
    assert LEDGER.failures[("exit", "OSError")] == before + 1


@pytest.mark.integration
@pytest.mark.parametrize("timeout", ["float('inf')", "10**400", "1e18", "'9'", "float('nan')", "True"])
def test_a_time_of_any_length_is_time_enough(timeout: str, tmp_path: Path) -> None:
    """What is no number counts as a failure, and each sink has its own bound then."""
    text = program(f"""
        dict_config(shutdown_timeout=60)
        say(20)
        from discreet.export.ledger import LEDGER
        tell(done=discreet.close({timeout}), failures=["/".join(one) for one in LEDGER.failures])
        {KILLED}
    """)
    with FaultServer() as server:
        ended = run(text, server.base, tmp_path)

    failures = ["exit/Exception"] if timeout in ("'9'", "float('nan')", "True") else []
    assert ended.said == [{"done": True, "failures": failures}]
    assert len(server.logs) == 20


def test_its_time_is_over_though_another_thread_closes(monkeypatch: pytest.MonkeyPatch) -> None:
    """That one may have more time."""
    closing, may_end = threading.Event(), threading.Event()

    class Slow(SendingHandler):
        def stop(self, timeout: float | None = None, *, wait: bool = True) -> None:
            closing.set()
            may_end.wait()

    handler = Slow(sink="slow")
    other = threading.Thread(target=discreet.close, args=(60,))
    other.start()
    try:
        closing.wait()
        assert discreet.close(0.01) is False
    finally:
        may_end.set()
        other.join()
        handler.retire()


def test_without_a_sink_that_sends_nothing_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    """There was nothing to close."""
    assert discreet.close() is True
    assert capsys.readouterr() == ("", "")
