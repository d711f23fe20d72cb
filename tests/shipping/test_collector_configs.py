"""The shipped configurations of the Collector: it loads them, and records come out of it as they should."""

from __future__ import annotations

import itertools
import json
import logging
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

import discreet
from tests.servers.catalog import Collector, VictoriaLogs, program
from tests.servers.process import get, wait_until
from tests.shipping.guard import write_allow_list
from tests.shipping.shipping import CONFIGS

RECEIVERS = ("files", "kubernetes", "otlp")
STORES = ("victorialogs", "loki")
GATE = "--feature-gates=stanza.synchronousLogEmitter"

SENTENCE = "My neighbour's well runs dry every August."
integration = pytest.mark.integration
servers = pytest.mark.servers


def configs(receiver: str, store: str) -> list[Path]:
    return [CONFIGS / f"{name}.yaml" for name in ("common", receiver, "allow-list", store)]


def validate(paths: list[Path]) -> str:
    """What the Collector says against the configuration; nothing when it is right."""
    command = [str(program("collector")), "validate", GATE, *(f"--config={path}" for path in paths)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    return done.stderr if done.returncode else ""


@integration
@servers
@pytest.mark.parametrize(("receiver", "store"), list(itertools.product(RECEIVERS, STORES)))
def test_the_collector_takes_every_shipped_configuration(receiver: str, store: str) -> None:
    """Each way in with each store."""
    assert validate(configs(receiver, store)) == ""


@integration
@servers
def test_the_collector_refuses_to_start_without_the_allow_list() -> None:
    """Nobody runs without the second guard by leaving a file out."""
    paths = [path for path in configs("files", "loki") if path.stem != "allow-list"]

    assert 'references processor "transform/allow_list" which is not configured' in validate(paths)


def test_the_shipped_allow_list_is_that_of_the_shipped_contracts(tmp_path: Path) -> None:
    """Make it anew with `make docs`."""
    made = write_allow_list(tmp_path / "allow-list.yaml", [])

    assert made.read_text(encoding="utf-8") == (CONFIGS / "allow-list.yaml").read_text(encoding="utf-8")


def test_every_yaml_file_of_the_collector_is_loaded_by_a_test() -> None:
    """A new one has to be added to the lists above."""
    known = {"common", "allow-list", *RECEIVERS, *STORES}

    assert {path.stem for path in CONFIGS.glob("*.yaml")} == known


def test_both_readers_of_files_make_records_in_the_same_way() -> None:
    """A container's lines are unpacked first; what follows is the same."""
    files, pods = (
        yaml.safe_load((CONFIGS / f"{name}.yaml").read_text(encoding="utf-8"))["receivers"]["file_log"]["operators"]
        for name in ("files", "kubernetes")
    )

    assert [one["id"] for one in pods[:3]] == ["container", "logtag_read", "path_read"]
    assert pods[3:] == files


def test_what_both_stores_are_sent_differs_in_address_and_headers_only() -> None:
    """Queue, batches and retries are the same."""
    sent = [
        yaml.safe_load((CONFIGS / f"{name}.yaml").read_text(encoding="utf-8"))["exporters"]["otlp_http/logs"]
        for name in STORES
    ]
    for one in sent:
        del one["logs_endpoint"], one["headers"]

    assert sent[0] == sent[1]


def test_every_variable_of_a_configuration_has_a_default() -> None:
    """So that each file can be tried as it is."""
    used = [
        name
        for path in CONFIGS.glob("*.yaml")
        for name in re.findall(r"\$\{env:(\w+)(?!\w|:-)", path.read_text(encoding="utf-8"))
    ]

    assert used == []


@pytest.fixture
def shipped(tmp_path: Path) -> Iterator[Callable[[str, dict[str, str]], Callable[[int], list[dict[str, Any]]]]]:
    """Start the Collector with one way in; the result waits for that many records and returns their fields."""
    running: list[Collector] = []
    with VictoriaLogs(tmp_path / "store") as store:

        def start(receiver: str, variables: dict[str, str]) -> Callable[[int], list[dict[str, Any]]]:
            paths = configs(receiver, "victorialogs")
            collector = Collector(tmp_path / "collector", paths, {"LOG_STORE": store.url(), **variables})
            running.append(collector.start())
            found: list[dict[str, Any]] = []

            def asked(count: int) -> list[dict[str, Any]]:
                def enough() -> bool:
                    found[:] = store.query("* | sort by (_time)")
                    return len(found) >= count

                wait_until(enough, f"{count} records are in the store", pause=0.3)
                return [
                    {key: value for key, value in row.items() if not key.startswith("_stream") and value != "unknown"}
                    for row in found
                ]

            asked.collector = collector  # type: ignore[attr-defined]
            return asked

        try:
            yield start
        finally:
            for collector in running:
                collector.stop()


def record(**fields: object) -> bytes:
    said = {"timestamp": "2026-11-30T16:03:39.871561Z", "level": "INFO", "logger": "verbatim_core.transform"}
    return json.dumps({**said, "message": "Done", "service": "answers", **fields}, ensure_ascii=False).encode() + b"\n"


NOTHING = {"scope.name": "verbatim_core.transform", "service.name": "answers", "_time": "2026-11-30T16:03:39.871561Z"}


@integration
@servers
def test_a_line_becomes_a_record_with_severity_time_trace_and_event(shipped, tmp_path: Path) -> None:
    """What has a place of its own in OpenTelemetry is there, and only what contracts name stays an attribute."""
    (tmp_path / "app.jsonl").write_bytes(
        record(
            event="call_finished",
            level="ERROR",
            error_code="upstream_error",
            trace_id="0af7651916cd43dd8448eb211c80319c",
            span_id="b7ad6b7169203331",
            duration_ms=12.5,
            items=3,
            retryable=True,
            question=SENTENCE,
        )
    )
    (found,) = shipped("files", {"LOG_FILES": f"{tmp_path}/*.jsonl*"})(1)

    assert found == {
        **NOTHING,
        "_msg": "Done",
        "severity_number": "17",
        "severity_text": "ERROR",
        "event_name": "call_finished",
        "event": "call_finished",
        "error_code": "upstream_error",
        "trace_id": "0af7651916cd43dd8448eb211c80319c",
        "span_id": "b7ad6b7169203331",
        "duration_ms": "12.5",
        "items": "3",
        "retryable": "true",
        "dropped_attributes": "1",
    }


@integration
@servers
def test_text_of_lines_that_are_no_record_stays_behind(shipped, tmp_path: Path) -> None:
    """What other programs write to the same place is counted and not shown; neither are open content loggers."""
    lines = [
        f"Traceback: {SENTENCE}",
        json.dumps({"level": "INFO", "msg": SENTENCE}),
        f'{{"timestamp": "2026-11-30T16:03:39Z", "message": "{SENTENCE}',
    ]
    opened = record(message=SENTENCE, content=True, level="DEBUG")
    (tmp_path / "app.jsonl").write_bytes("".join(f"{line}\n" for line in lines).encode() + opened)
    asked = shipped("files", {"LOG_FILES": f"{tmp_path}/*.jsonl*"})
    found = asked(4)

    assert sorted(row["_msg"] for row in found) == [
        f"<content, {len(SENTENCE)} characters>",
        *sorted(f"<no record, {len(line)} characters>" for line in lines),
    ]
    assert [row.get("unparsed") for row in found].count("true") == 3
    assert "neighbour" not in json.dumps(found)
    assert "neighbour" not in asked.collector.log.read_text(encoding="utf-8")


@integration
@servers
def test_lines_of_container_runtimes_are_put_together_again(shipped, tmp_path: Path) -> None:
    """containerd's and CRI-O's marks P and F, two streams, a split inside a character."""
    long = record(message="é" * 20_000)
    split = long.index("é".encode()) + 16_001
    folder = tmp_path / "default_answers-7d9f_5d3c0f4a-1f1e-4f9e-9a43-6c7d2b8e0001" / "app"
    folder.mkdir(parents=True)
    (folder / "0.log").write_bytes(
        b"2026-11-30T16:03:40.100000001Z stdout P "
        + long[:split]
        + b"\n2026-11-30T16:03:40.100000003Z stdout P "
        + long[split : split + 16_384]
        + b"\n2026-11-30T16:03:40.100000004Z stdout F "
        + long[split + 16_384 :]
        + b"2026-11-30T16:03:40.100000005Z stderr F "
        + SENTENCE.encode()
        + b"\n2026-11-30T11:03:40.200000000-05:00 stdout F "
        + record(event="call_finished")
    )
    found = shipped("kubernetes", {"POD_LOGS": str(tmp_path)})(3)
    pod = {
        "k8s.pod.name": "answers-7d9f",
        "k8s.pod.uid": "5d3c0f4a-1f1e-4f9e-9a43-6c7d2b8e0001",
        "k8s.namespace.name": "default",
        "k8s.container.name": "app",
        "k8s.container.restart_count": "0",
        "severity_number": "9",
        "severity_text": "INFO",
        "log.iostream": "stdout",
    }
    by_message = {row["_msg"]: row for row in found}

    assert by_message == {
        "é" * 20_000: {**NOTHING, **pod, "_msg": "é" * 20_000},
        "Done": {**NOTHING, **pod, "_msg": "Done", "event": "call_finished", "event_name": "call_finished"},
        f"<no record, {len(SENTENCE)} characters>": {
            **pod,
            "_msg": f"<no record, {len(SENTENCE)} characters>",
            "_time": "2026-11-30T16:03:40.100000005Z",
            "severity_number": "0",
            "severity_text": "Unspecified",
            "log.iostream": "stderr",
            "unparsed": "true",
        },
    }


@integration
@servers
def test_the_guard_also_holds_for_what_comes_over_otlp(shipped) -> None:
    """Attributes of records, resources and scopes that nothing names stay behind."""
    text = {"stringValue": SENTENCE}
    sent = {
        "resourceLogs": [
            {
                "resource": {
                    "attributes": [
                        {"key": "service.name", "value": {"stringValue": "answers"}},
                        {"key": "process.command_line", "value": text},
                    ]
                },
                "scopeLogs": [
                    {
                        "scope": {
                            "name": "verbatim_core.transform",
                            "attributes": [{"key": "question", "value": text}],
                        },
                        "logRecords": [
                            {
                                "timeUnixNano": "1796054619871561000",
                                "severityNumber": 9,
                                "severityText": "INFO",
                                "body": {"stringValue": "Done"},
                                "attributes": [
                                    {"key": "event", "value": {"stringValue": "call_finished"}},
                                    {"key": "question", "value": text},
                                ],
                            }
                        ],
                    }
                ],
            }
        ]
    }
    asked = shipped("otlp", {})
    get(asked.collector.url("/v1/logs"), json.dumps(sent).encode(), {"Content-Type": "application/json"})
    (found,) = asked(1)

    assert found == {
        **NOTHING,
        "_msg": "Done",
        "severity_number": "9",
        "severity_text": "INFO",
        "event": "call_finished",
        "event_name": "call_finished",
        "dropped_attributes": "1",
    }


@integration
@servers
def test_levels_of_python_become_severities(shipped, tmp_path: Path) -> None:
    """Lines of the handler itself; a level of one's own keeps its text and has no number."""
    logging.addLevelName(35, "NOTICE")
    log = logging.getLogger("verbatim_core.levels")
    log.handlers.clear()
    log.propagate = False
    log.setLevel(logging.DEBUG)
    log.addHandler(discreet.JsonHandler(tmp_path / "app.jsonl"))
    for level in (10, 20, 30, 35, 40, 50):
        log.log(level, "Said")
    found = shipped("files", {"LOG_FILES": f"{tmp_path}/*.jsonl*"})(6)

    assert [(row["severity_text"], row["severity_number"]) for row in found] == [
        ("DEBUG", "5"),
        ("INFO", "9"),
        ("WARNING", "13"),
        ("NOTICE", "0"),
        ("ERROR", "17"),
        ("CRITICAL", "21"),
    ]
