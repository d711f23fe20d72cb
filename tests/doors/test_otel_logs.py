"""What libraries emit through OpenTelemetry's own log API, past logging, has no text for processors of others."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.doors.programs import run

SENTENCE = "Which ferry takes Widow Tansley to the lighthouse?"

PROVIDER = """
from opentelemetry._logs import LogRecord, get_logger, set_logger_provider
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor, InMemoryLogRecordExporter, SimpleLogRecordProcessor
memory = InMemoryLogRecordExporter()
provider = LoggerProvider(shutdown_on_exit=False, {options})
provider.add_log_record_processor({processor}(memory))
set_logger_provider(provider)
"""
SHOW = """
import json
provider.force_flush()
for one in memory.get_finished_logs():
    record = one.log_record
    print(json.dumps([record.event_name, record.body, dict(record.attributes), record.attributes.dropped]))
"""
EMIT = f"""
get_logger("fastapi").emit(body={SENTENCE!r}, event_name="exception", attributes={{"note": {SENTENCE!r}, "retries": 3,
    "exception.type": "ValueError", "exception.message": {SENTENCE!r}}})
get_logger("fastapi").emit(LogRecord(body={{"text": {SENTENCE!r}}}, event_name={SENTENCE!r}))
"""
CONCURRENT = "multi_log_record_processor=__import__('opentelemetry.sdk._logs._internal').sdk._logs._internal"


def provided(options: str = "", processor: str = "SimpleLogRecordProcessor") -> str:
    return PROVIDER.format(options=options, processor=processor)


def told(folder: Path, *parts: str) -> list[Any]:
    ended = run(folder, "\n".join(parts))
    assert (ended.code, ended.err) == (0, "")
    assert SENTENCE not in ended.out
    return [json.loads(line) for line in ended.out.splitlines()]


@pytest.mark.parametrize("processor", ["SimpleLogRecordProcessor", "BatchLogRecordProcessor"])
@pytest.mark.parametrize("options", ["", f"{CONCURRENT}.ConcurrentMultiLogRecordProcessor()"], ids=["one", "several"])
@pytest.mark.parametrize("order", ["guard first", "guard last"])
def test_text_past_logging_stays(order: str, options: str, processor: str, tmp_path: Path) -> None:
    """Whether the SDK is there when the guard comes or not; what has a known key goes."""
    parts = ["discreet.install()", provided(options, processor)]
    found = told(tmp_path, *(parts if order == "guard first" else reversed(parts)), EMIT, SHOW)

    assert found == [
        ["exception", "<str 16-63>", {"exception.type": "ValueError"}, found[0][3]],
        ["event", "<dict>", {}, 0],
    ]
    assert found[0][3] >= 2


@pytest.mark.integration
def test_what_a_handler_of_logging_emits_goes_as_it_was_sealed(tmp_path: Path) -> None:
    """Also from a handler of the program's own, and while an exception is handled."""
    found = told(
        tmp_path,
        provided(),
        "from opentelemetry.instrumentation.logging.handler import LoggingHandler",
        "class Own(logging.Handler):",
        "    def emit(self, record):",
        "        get_logger('own').emit(body=record.getMessage())",
        "logging.getLogger().handlers[:] = [LoggingHandler(logger_provider=provider), Own()]",
        "discreet.install()",
        "try:",
        f"    raise ValueError({SENTENCE!r})",
        "except ValueError:",
        f"    logging.getLogger('app').error('No boat for %s', {SENTENCE!r})",
        SHOW,
        "# As Python ends, contrib's handler starts a thread for flushing, which 3.12 refuses.",
        "logging.getLogger().handlers.clear()",
    )

    assert [one[1] for one in found] == ["No boat for <str 16-63>"] * 2


@pytest.mark.parametrize("way", ["signal handler", "destructor", "filter"])
def test_what_comes_between_is_none_of_the_handlers(way: str, tmp_path: Path) -> None:
    """Whatever runs while a handler has a record, or before it has it sealed."""
    act = {
        "signal handler": "signal.raise_signal(signal.SIGUSR1)",
        "destructor": "Left()",
        "filter": "pass",
    }[way]
    found = told(
        tmp_path,
        provided(),
        f"def say(*_): get_logger('own').emit(body={SENTENCE!r}); return True",
        "import signal",
        "signal.signal(signal.SIGUSR1, say)",
        "class Left:",
        "    def __del__(self): say()",
        "class Own(logging.Handler):",
        "    def emit(self, record):",
        f"        {act}",
        "handler = Own()",
        "handler.addFilter(say)" if way == "filter" else "",
        "logging.getLogger().handlers[:] = [handler]",
        "discreet.install()",
        "logging.getLogger('app').error('No boat')",
        SHOW,
    )

    assert [one[1] for one in found] == ["<str 16-63>"]


def test_an_exporter_that_guards_by_itself_gets_the_record_itself(tmp_path: Path) -> None:
    """It may have keys of the operator's; those beside it get what the shipped rules leave."""
    found = told(
        tmp_path,
        "discreet.install()",
        provided(),
        "bare = memory",
        "memory = InMemoryLogRecordExporter()",
        "guard = discreet.GuardedLogRecordExporter(memory, attributes={'retries': 'count'})",
        "provider.add_log_record_processor(SimpleLogRecordProcessor(guard))",
        EMIT,
        SHOW,
        "memory = bare",
        SHOW,
    )

    assert [one[2].get("retries") for one in found] == [3, None, None, None]


def test_uninstall_gives_everything_back(tmp_path: Path) -> None:
    """Also to a program that imports the SDK only then."""
    code = [
        "discreet.install(); before = list(sys.meta_path)",
        "discreet.uninstall()",
        "print(len(before) - len(sys.meta_path))",
        provided(),
        "kind = type(provider._multi_log_record_processor)",
        "on_emit = kind.on_emit",
        "discreet.install()",
        "print(kind.on_emit is on_emit)",
        "discreet.uninstall()",
        "print(kind.on_emit is on_emit, type(kind.on_emit.__globals__['__loader__']).__name__)",
    ]
    ended = run(tmp_path, "\n".join(code))

    assert (ended.code, ended.err, ended.out) == (0, "", "1\nFalse\nTrue SourceFileLoader\n")


FASTAPI = f"""
from fastapi import FastAPI
from fastapi.testclient import TestClient
app = FastAPI()
@app.get("/boats/{{boat}}")
def boats(boat: str):
    raise LookupError({SENTENCE!r})
assert TestClient(app, raise_server_exceptions=False).get("/boats/4").status_code == 500
"""


@pytest.mark.integration
@pytest.mark.parametrize("order", ["guard first", "guard last"])
def test_an_exception_that_fastapi_reports_has_no_text(order: str, tmp_path: Path) -> None:
    """FastAPI sends them to the global log provider by itself."""
    parts = ["discreet.install()", provided()]
    found = told(tmp_path, *(parts if order == "guard first" else reversed(parts)), FASTAPI, SHOW)

    assert [one[:2] for one in found] == [["http.server.request.exception", "<str 16-63>"]]
    assert found[0][2]["exception.type"] == "LookupError"
