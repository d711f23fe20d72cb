"""configure(): what each argument does, what is replaced by the next call, and what the handle can."""

from __future__ import annotations

import io
import json
import logging
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.util._once import Once

import discreet
from discreet import config, content
from discreet.choke import installed
from discreet.contract import Coverage, reporting
from discreet.export import global_spans
from discreet.export.ledger import LEDGER
from discreet.seal.types import forget_routes

QUESTION = "Did the chimney sweep mention my brother's debts to the baker?"
CONTENT = "verbatim_core.content"
LOADED = {
    "level": "INFO",
    "logger": "discreet",
    "message": "Contracts are active",
    "event": "contract_loaded",
    "contracts": 6,
    "outside": 0,
}
ASKED = {"level": "INFO", "logger": __name__, "message": "Asked <str 16-63>", "withheld": 1}
CONTRACT = """\
[contract]
name = "harbour"
format = 1
summary = "A harbour."
[loggers]
names = ["harbour"]
content = ["harbour.content"]
[attributes]
duration_ms = "duration_ms"
[[events]]
name = "boat_moored"
level = "INFO"
attributes = ["duration_ms"]
meaning = "A boat has its berth."
"""
log = logging.getLogger(__name__)


@pytest.fixture(autouse=True)
def _nothing_set_up(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """Start in an empty folder, without an earlier set-up or a global tracer provider; close what a test leaves."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OTEL_SERVICE_NAME", raising=False)
    monkeypatch.setattr(config, "_current", None)
    cover(monkeypatch)
    monkeypatch.setattr(trace, "_TRACER_PROVIDER", None)
    monkeypatch.setattr(trace, "_TRACER_PROVIDER_SET_ONCE", Once())
    monkeypatch.setattr(global_spans, "_switch", None)
    LEDGER.clear()
    yield
    if config._current is not None:
        config._current.close()
    forget_routes()
    LEDGER.clear()


def cover(monkeypatch: pytest.MonkeyPatch, *found: Coverage) -> None:
    for module in (config, reporting):
        monkeypatch.setattr(module, "coverage", lambda: found)


def parsed(text: str) -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in text.splitlines()]
    return [{key: value for key, value in line.items() if key != "timestamp"} for line in lines]


def lines(source: io.StringIO | Path) -> list[dict[str, Any]]:
    return parsed(source.getvalue() if isinstance(source, io.StringIO) else source.read_text(encoding="utf-8"))


def own_handlers() -> list[logging.Handler]:
    return [handler for handler in logging.root.handlers if type(handler).__module__.startswith("discreet.")]


def test_without_arguments_json_goes_to_standard_output_and_the_process_is_guarded(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """At INFO, with every content logger closed, and no spans."""
    plain = io.StringIO()
    logging.root.addHandler(logging.StreamHandler(plain))
    discreet.configure()
    log.info("Asked %s", QUESTION)
    log.debug("Asked %s", QUESTION)
    assert parsed(capsys.readouterr().out) == [LOADED, ASKED]
    assert plain.getvalue() == "Contracts are active\nAsked <str 16-63>\n"
    assert [type(handler) for handler in own_handlers()] == [discreet.JsonHandler]
    assert (logging.root.level, logging.getLogger(CONTENT).level, installed()) == (logging.INFO, logging.INFO, True)


def test_json_is_a_path_a_stream_standard_output_or_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    """A file is appended to, as text or path object; None leaves the handlers as they are."""
    Path("a.jsonl").write_text('{"timestamp":1,"before":true}\n', encoding="utf-8")
    stream, octets = io.StringIO(), io.BytesIO()
    for json_ in ("a.jsonl", Path("b.jsonl"), stream, octets, "-", None):
        with discreet.configure(json=json_):
            log.info("Asked %s", QUESTION)
            assert len(own_handlers()) == (json_ is not None)
    assert lines(Path("a.jsonl")) == [{"before": True}, LOADED, ASKED]
    assert lines(Path("b.jsonl")) == lines(stream) == parsed(capsys.readouterr().out) == [LOADED, ASKED]
    assert parsed(octets.getvalue().decode()) == [LOADED, ASKED]
    assert not stream.closed
    assert not octets.closed


@pytest.mark.parametrize(
    ("level", "number"), [("DEBUG", 10), ("warning", 30), ("Error", 40), (15, 15), (0, 0), ("25", 25)]
)
def test_the_level_is_a_name_or_a_number(level: int | str, number: int) -> None:
    """It is the root logger's; a closed content logger stays at INFO or goes with a higher one."""
    discreet.configure(level=level, json=None)
    assert logging.root.level == number
    assert logging.getLogger(CONTENT).level == max(number, logging.INFO)


def test_contracts_attributes_and_routes_hold_for_the_process() -> None:
    """A contract's event, an application's attribute and its router's template come out."""
    Path("harbour.toml").write_text(CONTRACT, encoding="utf-8")
    stream = io.StringIO()
    discreet.configure(
        contracts=["harbour.toml", "verbatim"], attributes={"tenant": "id"}, routes=["/boats/{name}"], json=stream
    )
    extra = {"event": "boat_moored", "duration_ms": 250.0, "tenant": "8f14e45fceea167a", "captain": QUESTION}
    logging.getLogger("harbour").info("Moored", extra=extra)
    access = ("127.0.0.1:5000", "GET", "/boats/ida?q=1", "1.1", 200)
    logging.getLogger("uvicorn.access").info('%s - "%s %s HTTP/%s" %d', *access)
    assert lines(stream) == [
        LOADED | {"contracts": 7},
        {
            "level": "INFO",
            "logger": "harbour",
            "message": "Moored",
            "event": "boat_moored",
            "duration_ms": 250.0,
            "tenant": "8f14e45fceea167a",
            "withheld": 1,
        },
        {
            "level": "INFO",
            "logger": "uvicorn.access",
            "message": '<str 1-15> - "GET /boats/{name}?… HTTP/1.1" 200',
            "method": "GET",
            "route": "/boats/{name}?…",
            "status": 200,
            "withheld": 1,
        },
    ]
    assert logging.getLogger("harbour.content").level == logging.INFO


def test_install_false_leaves_other_handlers_alone() -> None:
    """The sink seals all the same."""
    plain, stream = io.StringIO(), io.StringIO()
    logging.root.addHandler(logging.StreamHandler(plain))
    discreet.configure(json=stream, install=False)
    log.info("Asked %s", QUESTION)
    assert plain.getvalue() == f"Contracts are active\nAsked {QUESTION}\n"
    assert lines(stream) == [LOADED, ASKED]
    assert not installed()


def test_spans_go_to_a_file_or_an_exporter_with_the_services_name() -> None:
    """Also those of other tracers, whose names go out if they are known; None makes none."""
    exporter, stream = InMemorySpanExporter(), io.StringIO()
    with discreet.configure(json=stream, spans="spans.jsonl", service="answers") as handle:
        with trace.get_tracer("library").start_as_current_span("search"):
            log.info("Asked %s", QUESTION)
        assert handle.flush()
    with discreet.configure(json=None, spans=exporter, service="others"):
        trace.get_tracer("library").start_span("rank").end()
    written = [json.loads(line) for line in Path("spans.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [span["name"] for span in written] == ["contract_loaded", "span"]
    assert {span["service"] for span in written} == {"answers"}
    assert [span.name for span in exporter.get_finished_spans()] == ["contract_loaded", "span"]
    asked = lines(stream)[1]
    assert asked.pop("trace_id") == written[1]["trace_id"]
    assert asked.pop("span_id") == written[1]["span_id"]
    assert asked == ASKED | {"service": "answers"}


def test_the_services_name_comes_from_the_environment_last(monkeypatch: pytest.MonkeyPatch) -> None:
    """The argument, then DISCREET_SERVICE, then OTEL_SERVICE_NAME; None means none."""
    monkeypatch.setenv("OTEL_SERVICE_NAME", "of otel")
    found = []
    for variable, options in [(None, {}), ("of ours", {}), ("of ours", {"service": "said"}), ("", {"service": None})]:
        if variable is not None:
            monkeypatch.setenv("DISCREET_SERVICE", variable)
        stream = io.StringIO()
        with discreet.configure(json=stream, **options):
            found.append(lines(stream)[0].get("service"))
    assert found == ["of otel", "of ours", "said", None]


def test_content_debug_opens_the_named_loggers_and_says_so_at_start() -> None:
    """Only their DEBUG records go out whole; the next call closes them again."""
    stream = io.StringIO()
    discreet.configure(json=stream, level="WARNING", content_debug=[CONTENT])
    for level in (logging.DEBUG, logging.INFO):
        logging.getLogger(CONTENT).log(level, "Question: %s", QUESTION)
    assert lines(stream) == [
        {
            "level": "WARNING",
            "logger": "discreet",
            "message": "Customer text may be logged: a content logger is set to DEBUG",
            "event": "content_logging_enabled",
            "open_loggers": 1,
        },
        {"level": "DEBUG", "logger": CONTENT, "message": f"Question: {QUESTION}", "content": True},
        {"level": "INFO", "logger": CONTENT, "message": "Question: <str 16-63>", "withheld": 1},
    ]
    closed = io.StringIO()
    discreet.configure(json=closed)
    logging.getLogger(CONTENT).debug("Question: %s", QUESTION)
    assert (lines(closed), content.open_content_loggers()) == ([LOADED], [])


def test_an_open_content_logger_is_recalled_every_hour(monkeypatch: pytest.MonkeyPatch) -> None:
    """At the first of its records after that time, once, so that nobody forgets it."""
    now = [1000.0]
    monkeypatch.setattr(content.time, "monotonic", lambda: now[0])
    stream = io.StringIO()
    discreet.configure(json=stream, level="WARNING", content_debug=[CONTENT])
    for seconds in (10, 3589, 2, 3, 3600):
        now[0] += seconds
        logging.getLogger(CONTENT).debug("Question")
    events = [line.get("event", line["message"]) for line in lines(stream)]
    assert events[0] == "content_logging_enabled"
    assert sorted(events[1:]) == sorted(["Question"] * 5 + ["content_logging_enabled"] * 2)
    later = [index for index, event in enumerate(events) if event == "content_logging_enabled"]
    assert later[1] in (3, 4)


@pytest.mark.parametrize("parent", [None, "verbatim_core"])
def test_debug_on_a_parent_opens_nothing(parent: str | None) -> None:
    """Not even for a content logger that somebody gave back the level of its parents."""
    stream = io.StringIO()
    discreet.configure(json=stream, level="DEBUG" if parent is None else "INFO")
    logging.getLogger(parent).setLevel(logging.DEBUG)
    logging.getLogger(CONTENT).debug("Question: %s", QUESTION)
    logging.getLogger(CONTENT).setLevel(logging.NOTSET)
    logging.getLogger(CONTENT).debug("Question: %s", QUESTION)
    assert lines(stream) == [
        LOADED,
        {"level": "DEBUG", "logger": CONTENT, "message": "Question: <str 16-63>", "withheld": 1},
    ]


def test_a_release_that_no_contract_covers_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """One record counts them, and each has a WARNING of its own; what isn't installed is not missing."""
    found = (
        Coverage("verbatim", "verbatim-core", "0.9.1", ">=0.2.8,<0.4", covered=False),
        Coverage("verbatim", "verbatim-rag", None, ">=0.2.8,<0.4", covered=True),
        Coverage("common", "uvicorn", "0.40.0", ">=0.30,<1", covered=True),
    )
    cover(monkeypatch, *found)
    stream = io.StringIO()
    discreet.configure(json=stream)
    assert lines(stream) == [
        LOADED | {"outside": 1},
        {
            "level": "WARNING",
            "logger": "discreet",
            "message": "An installed release lies outside what its contract covers",
            "event": "contract_loaded",
            "contract": "verbatim",
            "distribution": "verbatim-core",
            "version": "0.9.1",
        },
    ]


def test_a_second_call_replaces_the_first() -> None:
    """The new sinks get what follows, once; the old file is closed, and closing the old handle does nothing more."""
    plain = io.StringIO()
    logging.root.addHandler(logging.StreamHandler(plain))
    first = discreet.configure(json="first.jsonl", spans="first-spans.jsonl")
    log.info("Asked %s", QUESTION)
    old = own_handlers()
    stream = io.StringIO()
    second = discreet.configure(json=stream)
    first.close()
    log.info("Asked %s", QUESTION)
    assert lines(Path("first.jsonl")) == lines(stream) == [LOADED, ASKED]
    assert len(own_handlers()) == 1
    assert not set(own_handlers()) & set(old)
    assert [handler._file and handler._file.fd for handler in old if isinstance(handler, discreet.JsonHandler)] == [-1]
    assert plain.getvalue().count("Asked") == 2
    assert second is config._current


def test_calls_from_several_threads_leave_one_set_up() -> None:
    """Whoever comes last wins, and nobody's sinks stay behind."""
    threads = [threading.Thread(target=discreet.configure, kwargs={"json": io.StringIO()}) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(own_handlers()) == 1


def test_closing_takes_the_sinks_away_and_leaves_the_guard() -> None:
    """What is logged afterwards goes to the other handlers, sealed."""
    plain, stream = io.StringIO(), io.StringIO()
    logging.root.addHandler(logging.StreamHandler(plain))
    with discreet.configure(json=stream) as handle:
        assert handle.flush()
    handle.close()
    log.warning("Asked %s", QUESTION)
    assert (lines(stream), own_handlers(), installed()) == ([LOADED], [], True)
    assert plain.getvalue() == "Contracts are active\nAsked <str 16-63>\n"


def test_flush_says_whether_all_was_handed_on_in_time() -> None:
    """An exporter that takes longer than it may is no success."""

    class Slow(SpanExporter):
        def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
            released.wait(30)
            exported.extend(spans)
            return SpanExportResult.SUCCESS

    released, exported = threading.Event(), list[ReadableSpan]()
    handle = discreet.configure(json=None, spans=Slow())
    assert not handle.flush(timeout=0.05)
    released.set()
    assert handle.flush(timeout=30)
    assert [span.name for span in exported] == ["contract_loaded"]


def test_the_ledger_counts_records_by_sink_and_values_by_call_site() -> None:
    """It is the process's."""
    handle = discreet.configure(json=io.StringIO(), spans=InMemorySpanExporter())
    log.info("Asked %s", QUESTION)
    log.info("Done")
    counts = {name: sink.as_dict() for name, sink in handle.ledger.sinks.items()}
    assert handle.ledger is LEDGER
    assert (counts["json"]["observed"], counts["json"]["missing"]) == (3, 0)
    assert (counts["spans"]["observed"], counts["spans"]["filtered"]) == (1, 2)
    ((site, logger, reason, kind), count) = next(iter(handle.ledger.withheld.items()))
    assert site.startswith(f"{__name__}.test_the_ledger_counts_records_by_sink_and_values_by_call_site:")
    assert (logger, reason, kind, count) == (__name__, "undeclared", "argument", 1)
