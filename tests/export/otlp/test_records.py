"""What a sealed record becomes in OTLP, and what is cut of it."""

from __future__ import annotations

import json
import logging
import time
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider

import discreet
from discreet.export.otlp.limits import MOST_FIELDS, kept_fields, kept_text
from tests.export.otlp.fault_server import FaultServer, fields

pytestmark = pytest.mark.integration

CONTRACT = """
[contract]
name = "lighthouse"
format = 1
summary = "A lighthouse."
[loggers]
names = ["lighthouse"]
content = ["lighthouse.content"]
[attributes]
lamps = "count"
warm = "bool"
watts = "float"
[[events]]
name = "lamp_lit"
level = "INFO"
attributes = ["lamps"]
meaning = "A lamp was lit."
[[warning_codes]]
code = "lamp_dim"
emitted_by = "the keeper"
meaning = "A lamp is dim."
[[error_codes]]
code = "lamp_out"
exception = "builtins.LookupError"
meaning = "A lamp is out."
[[exceptions]]
class = "builtins.LookupError"
error_class = "upstream"
code = "lamp_out"
"""
QUESTION = "Which ship passes before midnight?"
log = logging.getLogger("lighthouse")


@pytest.fixture
def contract(tmp_path: Path) -> Path:
    path = tmp_path / "lighthouse.toml"
    path.write_text(CONTRACT, encoding="utf-8")
    return path


def _sent(contract: Path, work: Any, **options: Any) -> list[Any]:
    """Return the messages of what is logged meanwhile, and write the same as lines of JSON beside the contract."""
    with FaultServer() as server:
        handler = discreet.OtelLogHandler(endpoint=f"{server.base}/v1/logs", contracts=[contract], **options)
        lines = discreet.JsonHandler(filename=contract.with_name("lines.jsonl"))
        log.handlers[:] = [lines, handler]
        log.setLevel(1)
        log.propagate = False
        work()
        assert handler.force_flush(20)
        handler.retire(5)
        lines.close()
    return server.logs


def _lines(contract: Path) -> list[dict[str, Any]]:
    text = contract.with_name("lines.jsonl").read_text("utf-8")
    return [json.loads(line) for line in text.splitlines()]


def test_a_record_has_the_fields_of_its_line(contract: Path) -> None:
    """Those for which OTLP has no place of its own are attributes of the same name and value."""

    def work() -> None:
        log.info("Lit %d of %s", 7, QUESTION, extra={"event": "lamp_lit", "lamps": 7, "warm": True, "watts": 2.5})
        try:
            raise LookupError(QUESTION)
        except LookupError:
            log.exception("Out", extra={"warning_code": "lamp_dim"})

    first, second = _sent(contract, work)
    lines = _lines(contract)

    places = {"timestamp", "level", "logger", "message", "trace_id", "span_id"}
    for record, line in zip((first, second), lines, strict=True):
        assert fields(record) == {name: value for name, value in line.items() if name not in places}
        assert record.body.string_value == line["message"]
        assert record.severity_text == line["level"]
    assert first.event_name == "lamp_lit"
    assert fields(first) == {"event": "lamp_lit", "lamps": 7, "warm": True, "watts": 2.5, "withheld": 1}
    assert second.event_name == ""
    assert {"exception_type", "exception_frames", "exception_code", "error_code", "error_class", "warning_code"} <= set(
        fields(second)
    )
    assert QUESTION.encode() not in first.SerializeToString() + second.SerializeToString()


def test_times_and_severities_are_opentelemetrys(contract: Path) -> None:
    """DEBUG 5, INFO 9, WARNING 13, ERROR 17, CRITICAL 21; a level between two is above the lower one."""
    before = time.time_ns()

    def work() -> None:
        for level in (5, 10, 15, 20, 25, 30, 40, 50, 60):
            log.log(level, "Said")

    found = _sent(contract, work)

    assert [record.severity_number for record in found] == [1, 5, 8, 9, 12, 13, 17, 21, 24]
    assert all(before - 10_000 <= one.time_unix_nano <= one.observed_time_unix_nano <= time.time_ns() for one in found)


def test_trace_and_span_stand_in_their_places(contract: Path) -> None:
    """They are those of the span that is current at the log call; without one they are empty."""
    tracer = TracerProvider().get_tracer("lighthouse")
    ids = []

    def work() -> None:
        log.info("Outside")
        with tracer.start_as_current_span("watch") as span:
            context = span.get_span_context()
            ids.extend((context.trace_id, context.span_id))
            log.info("Inside")

    outside, inside = _sent(contract, work)

    assert (outside.trace_id, outside.span_id) == (b"", b"")
    assert (int.from_bytes(inside.trace_id, "big"), int.from_bytes(inside.span_id, "big")) == tuple(ids)
    assert "trace_id" not in fields(inside)


@pytest.mark.parametrize(("options", "said"), [({}, False), ({"content": True}, True)])
def test_content_goes_out_only_with_leave(contract: Path, options: dict[str, Any], said: bool) -> None:
    """A content logger that is open for a file is not open for another machine."""
    content = logging.getLogger("lighthouse.content")
    content.setLevel(logging.DEBUG)

    found = _sent(contract, lambda: content.debug("Asked %s", QUESTION), **options)
    (line,) = _lines(contract)

    assert line["message"] == f"Asked {QUESTION}"
    assert found[0].body.string_value == (f"Asked {QUESTION}" if said else "Asked <str 16-63>")
    assert fields(found[0]) == ({"content": True} if said else {"withheld": 1})


def test_odd_texts_and_numbers_go_out_as_far_as_they_can(contract: Path) -> None:
    """A lone surrogate becomes a question mark; a number that isn't one of JSON's is withheld, and counted."""

    def work() -> None:
        log.info("A \ud800 comes", extra={"watts": float("nan"), "lamps": 3})

    (found,) = _sent(contract, work)

    assert found.body.string_value == "A ? comes"
    assert fields(found) == {"lamps": 3, "withheld": 1}


@pytest.mark.parametrize(
    ("value", "sent"),
    [
        (2**63 - 1, 2**63 - 1),
        (-(2**63), -(2**63)),
        (2**63, "9223372036854775808"),
        (-(2**70), "-1180591620717411303424"),
        (1e308, 1e308),
        (float("nan"), "NaN"),
        (float("inf"), "Infinity"),
        (float("-inf"), "-Infinity"),
        ((1.5, float("nan"), 2**64), (1.5, "NaN", "18446744073709551616")),
        (True, True),
    ],
)
def test_no_number_of_the_resource_vanishes(value: Any, sent: Any) -> None:
    """What the protocol's numbers can't hold goes out as a text, as OpenTelemetry's specification has it."""
    # Here, because the suite without the extra reads this file too.
    from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest

    from discreet.export.otlp._encode import LogEncoder

    encoder = LogEncoder(Resource({"boat.length": value}))
    request = ExportLogsServiceRequest.FromString(encoder.body([]))
    (found,) = [one.value for one in request.resource_logs[0].resource.attributes if one.key == "boat.length"]

    def plain(one: Any) -> Any:
        kind = one.WhichOneof("value")
        return tuple(map(plain, one.array_value.values)) if kind == "array_value" else getattr(one, kind)

    assert plain(found) == sent


def test_a_time_that_stores_refuse_stands_in_an_attribute(contract: Path) -> None:
    """A record older than a week, or ahead of the clock, gets the present time."""
    counts = discreet.OtelLogHandler(endpoint="http://127.0.0.1:9/v1/logs", shutdown_timeout=0).counts
    before = counts.as_dict()["cut"]
    now = time.time()

    def work() -> None:
        for shift in (-8 * 86_400, 3600, -60):
            record = logging.makeLogRecord({"name": "lighthouse", "msg": "Lit", "levelno": 20, "created": now + shift})
            log.handle(record)

    old, ahead, usual = _sent(contract, work)

    for record in (old, ahead):
        assert abs(record.time_unix_nano - now * 1e9) < 60e9
        assert fields(record)["truncated"] is True
        assert fields(record)["timestamp"].endswith("Z")
    assert "truncated" not in fields(usual)
    assert counts.as_dict()["cut"] == before + 2


def test_a_long_record_is_cut_as_its_line_is() -> None:
    """Frames first; it says that it was cut, and is within the limits of every store."""
    long = {"message": "m" * 300, "event": "lamp_lit", "exception_frames": "f:g:1 > " * 5000, "exception_type": "E"}

    kept, cut = kept_fields(long)

    assert cut
    assert kept["truncated"] is True
    assert kept["message"] == "m" * 300
    assert len(json.dumps(kept)) < 16_384
    assert kept_fields({"message": "short", "event": "lamp_lit"}) == ({"message": "short", "event": "lamp_lit"}, False)


def test_many_fields_are_cut_to_what_loki_takes() -> None:
    """128 with those of the resource and the scope."""
    kept, cut = kept_fields({"message": "m", **{f"field_{n}": n for n in range(200)}})

    assert cut
    assert len(kept) == MOST_FIELDS
    assert kept["truncated"] is True


@pytest.mark.parametrize(("text", "length"), [("a" * 2048, None), ("a" * 2049, 2048), ("é" * 3000, 2047)])
def test_a_text_of_a_span_is_cut_to_what_tempo_keeps(text: str, length: int | None) -> None:
    """2,048 bytes, never within a character."""
    kept = kept_text(text)

    assert (None if kept is None else len(kept.encode())) == length
