"""The Collector between services and stores of records, traces and metrics."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.servers.catalog import Collector, Jaeger, OloproofCollect, Prometheus, VictoriaLogs
from tests.servers.process import get, wait_until
from tests.shipping.guard import write_allow_list
from tests.shipping.shipping import CONFIGS

pytestmark = [pytest.mark.integration, pytest.mark.servers]


def configs(folder: Path, receiver: str) -> list[Path]:
    allowed = write_allow_list(folder / f"allow-{receiver}.yaml", ["seq"])
    return [CONFIGS / "common.yaml", CONFIGS / f"{receiver}.yaml", allowed, CONFIGS / "victorialogs.yaml"]


def run(program: str, *arguments: str) -> str:
    command = [sys.executable, str(Path(__file__).with_name(program)), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout


def rows(store: VictoriaLogs, count: int) -> list[dict[str, Any]]:
    """The service's own records by their time, without what differs in nanoseconds.

    What the guard says when its sinks close, only the sink that is closed last gets.
    """
    found: list[dict[str, Any]] = []

    def enough() -> bool:
        found[:] = store.query('!"scope.name":discreet | sort by (_time) | delete _time, _stream, _stream_id')
        return len(found) >= count

    wait_until(enough, f"{count} records are in the store", pause=0.3)
    return found


def test_both_ways_into_the_store_give_the_same_records(tmp_path: Path) -> None:
    """The file and OTLP: the same names, the same values, nothing more on either."""
    logs = tmp_path / "logs"
    logs.mkdir()
    with VictoriaLogs(tmp_path / "by-file") as by_file, VictoriaLogs(tmp_path / "by-otlp") as by_otlp:
        files = {"LOG_STORE": by_file.url(), "LOG_FILES": f"{logs}/*.jsonl"}
        with (
            Collector(tmp_path / "reader", configs(tmp_path, "files"), files),
            Collector(tmp_path / "gateway", configs(tmp_path, "otlp"), {"LOG_STORE": by_otlp.url()}) as gateway,
        ):
            run("service.py", str(logs / "app.jsonl"), gateway.url())
            from_file = rows(by_file, 3)
            from_otlp = rows(by_otlp, 3)

    assert from_file == from_otlp
    assert [row["_msg"] for row in from_file] == ["Answered 3 of 4", "Failed for <str 1-15>", "Ready after 0.5 s"]
    assert "dropped_attributes" not in {key for row in from_file for key in row}


@pytest.mark.parametrize("kind", [Jaeger, OloproofCollect], ids=["Jaeger", "oloproof collect"])
def test_a_record_finds_its_trace_and_the_trace_its_records(
    kind: type[Jaeger | OloproofCollect], tmp_path: Path
) -> None:
    """By the trace id, from either store to the other."""
    with VictoriaLogs(tmp_path / "records") as records, kind(tmp_path / "traces") as traces:
        port = "otlp" if isinstance(traces, Jaeger) else "http"
        variables = {"LOG_STORE": records.url(), "TRACE_STORE": traces.url("", port)}
        with Collector(tmp_path / "gateway", configs(tmp_path, "otlp"), variables) as gateway:
            run("service.py", str(tmp_path / "app.jsonl"), gateway.url())
            wait_until(lambda: bool(records.query('"Answered 3 of 4"')), "the record is in the store", pause=0.3)
            (record,) = records.query('"Answered 3 of 4"')
            wait_until(lambda: record["trace_id"] in traces.traces(), "the trace is in its store", pause=0.3)
            of_trace = records.query(f"trace_id:{record['trace_id']} | sort by (_time) | fields _msg")

    assert [row["_msg"] for row in of_trace] == ["Answered 3 of 4", "Failed for <str 1-15>"]


def test_workers_of_one_service_keep_their_counters_apart_in_prometheus(tmp_path: Path) -> None:
    """The sum over workers is the sum of what they counted, also of those that no longer run."""
    workers: list[subprocess.Popen[str]] = []
    with (
        VictoriaLogs(tmp_path / "records") as records,
        Jaeger(tmp_path / "traces") as traces,
        Collector(
            tmp_path / "gateway",
            configs(tmp_path, "otlp"),
            {"LOG_STORE": records.url(), "TRACE_STORE": traces.url("", "otlp")},
        ) as gateway,
        Prometheus(tmp_path / "prometheus", [f"127.0.0.1:{gateway.ports['prometheus']}"]) as prometheus,
    ):
        try:
            for count in (5, 7):
                said = tmp_path / f"sent-{count}"
                command = [
                    sys.executable,
                    str(Path(__file__).with_name("meter.py")),
                    gateway.url(),
                    str(count),
                    str(said),
                ]
                workers.append(subprocess.Popen(command, stdin=subprocess.PIPE, text=True))
                wait_until(said.exists, f"the worker of {count} has sent its counts")
            started = "discreet_calls_started_total"
            wait_until(lambda: len(prometheus.query(started)) == 2, "both workers were scraped", pause=0.3)
            series = {row["metric"]["service_instance_id"]: row["value"][1] for row in prometheus.query(started)}
            # Some of the calls' traces, beside their durations.
            exemplars = "discreet_call_duration_seconds_bucket"
            wait_until(lambda: bool(prometheus.exemplars(exemplars)), "exemplars were scraped", pause=0.3)
            trace = prometheus.exemplars(exemplars)[0]["labels"]["trace_id"]
            wait_until(lambda: trace in traces.traces(), "the exemplar's trace is in its store", pause=0.3)
            (span,) = traces.spans(trace)
        finally:
            for worker in workers:
                worker.communicate("")
        outcomes = prometheus.query("sum by (operation, outcome) (discreet_calls_total) > 0")
        events = prometheus.query('sum by (event, contract, level) (discreet_events_total{event="call_finished"})')
        active = prometheus.query("sum by (operation) (discreet_calls_active)")
        missing = prometheus.query(
            f"sum({started}) - sum(discreet_calls_total) - sum(discreet_calls_active)",
        )

    assert sorted(series.values()) == ["5", "7"]
    assert len(series) == 2
    assert {(row["metric"]["operation"], row["metric"]["outcome"]): row["value"][1] for row in outcomes} == {
        ("harbour.find", "ok"): "7",
        ("harbour.find", "degraded"): "5",
    }
    assert [(row["metric"], row["value"][1]) for row in events] == [
        ({"event": "call_finished", "contract": "discreet", "level": "INFO"}, "12")
    ]
    assert [(row["metric"], row["value"][1]) for row in active] == [({"operation": "harbour.find"}, "0")]
    assert [row["value"][1] for row in missing] == ["0"]
    assert span["operationName"] == "harbour.find"


def test_the_second_guard_also_holds_for_spans(tmp_path: Path) -> None:
    """Attributes of spans and of their events that nothing names stay behind, and so does the text of a status."""
    text = {"stringValue": "Who dug the well?"}
    trace_id = "0af7651916cd43dd8448eb211c80319c"
    attributes = [{"key": "question", "value": text}, {"key": "http.request.method", "value": {"stringValue": "GET"}}]
    span = {
        "traceId": trace_id,
        "spanId": "b7ad6b7169203331",
        "name": "GET",
        "startTimeUnixNano": "1796054619000000000",
        "endTimeUnixNano": "1796054620000000000",
        "attributes": attributes,
        "events": [{"timeUnixNano": "1796054619500000000", "name": "exception", "attributes": attributes}],
        "status": {"code": 2, "message": "Who dug the well?"},
    }
    resource = {"attributes": [{"key": "service.name", "value": {"stringValue": "answers"}}]}
    sent = {"resourceSpans": [{"resource": resource, "scopeSpans": [{"scope": {"name": "app"}, "spans": [span]}]}]}
    with VictoriaLogs(tmp_path / "records") as records, Jaeger(tmp_path / "traces") as traces:
        variables = {"LOG_STORE": records.url(), "TRACE_STORE": traces.url("", "otlp")}
        with Collector(tmp_path / "gateway", configs(tmp_path, "otlp"), variables) as gateway:
            get(gateway.url("/v1/traces"), json.dumps(sent).encode(), {"Content-Type": "application/json"})
            wait_until(lambda: bool(traces.spans(trace_id)), "the span is in its store", pause=0.3)
            (found,) = traces.spans(trace_id)

    assert "well" not in json.dumps(found)
    assert {tag["key"] for tag in found["tags"]} == {
        "error",
        "http.request.method",
        "otel.scope.name",
        "otel.status_code",
    }
    assert [{field["key"] for field in log["fields"]} for log in found["logs"]] == [{"event", "http.request.method"}]
