"""GuardedLogRecordExporter: log records of other instrumentations leave without text."""

from __future__ import annotations

from typing import Any

import pytest
from opentelemetry._logs import LogRecord, SeverityNumber
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import InMemoryLogRecordExporter, LogRecordExportResult, SimpleLogRecordProcessor
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider

import discreet
from discreet.export.ledger import LEDGER

SCOPE = "opentelemetry.instrumentation.openai_v2"
SENTENCE = "Which ship passes before midnight?"


def _through(record: LogRecord, scope: str = SCOPE, **options: Any) -> Any:
    memory = InMemoryLogRecordExporter()
    provider = LoggerProvider(resource=Resource({"service.name": "answers", "note": SENTENCE}), shutdown_on_exit=False)
    guard = discreet.GuardedLogRecordExporter(memory, **options)
    provider.add_log_record_processor(SimpleLogRecordProcessor(guard))
    provider.get_logger(scope, "1.2").emit(record)
    (found,) = memory.get_finished_logs()
    assert SENTENCE not in repr(found.log_record.__dict__)
    assert SENTENCE not in found.to_json()
    return found


def test_text_stays_and_what_is_known_goes() -> None:
    """Attributes by key and type, as of spans; of the body only what it was."""
    found = _through(
        LogRecord(
            timestamp=5,
            observed_timestamp=7,
            severity_text="INFO",
            severity_number=SeverityNumber.INFO,
            body=SENTENCE,
            event_name=SENTENCE,
            attributes={
                "gen_ai.request.model": "gpt-4o",
                "gen_ai.input.messages": SENTENCE,
                "gen_ai.usage.input_tokens": 12,
                "exception.type": "ValueError",
                "exception.message": SENTENCE,
                "nested": {"text": [SENTENCE]},
                SENTENCE: 1,
            },
        )
    )

    record = found.log_record
    assert (record.timestamp, record.observed_timestamp) == (5, 7)
    assert (record.severity_text, record.severity_number) == ("INFO", SeverityNumber.INFO)
    assert (record.body, record.event_name) == ("<str 16-63>", "event")
    assert dict(record.attributes) == {
        "gen_ai.request.model": "gpt-4o",
        "gen_ai.usage.input_tokens": 12,
        "exception.type": "ValueError",
    }
    assert dict(found.resource.attributes) == {"service.name": "answers"}
    assert (found.instrumentation_scope.name, found.instrumentation_scope.version) == (SCOPE, "1.2")


@pytest.mark.parametrize(
    ("body", "shown"),
    [
        (None, None),
        (True, True),
        (12, 12),
        (2.5, 2.5),
        (123_456_789_012, "<int>"),
        ({"question": SENTENCE}, "<dict>"),
        ([SENTENCE], "<list>"),
        (SENTENCE.encode(), "<bytes 16-63>"),
    ],
)
def test_a_body_shows_short_numbers_and_types(body: Any, shown: Any) -> None:
    """Nobody can tell any more which part of a text was a literal."""
    assert _through(LogRecord(body=body)).log_record.body == shown


def test_known_names_of_events_pass_and_the_operators_own_too() -> None:
    """As of span events."""
    assert _through(LogRecord(event_name="model_loaded")).log_record.event_name == "model_loaded"
    assert _through(LogRecord(event_name="tide_came"), names=["tide_came"]).log_record.event_name == "tide_came"
    assert _through(LogRecord(event_name="tide_came")).log_record.event_name == "event"


def test_a_severity_text_of_ones_own_is_left_out() -> None:
    """It may be any text."""
    assert _through(LogRecord(severity_text="WARN")).log_record.severity_text == "WARN"
    assert _through(LogRecord(severity_text=SENTENCE)).log_record.severity_text is None


def test_the_trace_stays() -> None:
    """Ids are what connects logs and traces."""
    with TracerProvider().get_tracer("t").start_as_current_span("s") as span:
        record = _through(LogRecord(body=1)).log_record

    context = span.get_span_context()
    assert (record.trace_id, record.span_id, record.trace_flags) == (*context[:2], context.trace_flags)


def test_what_is_left_out_is_counted_by_its_scope() -> None:
    """And records by what the exporter behind says."""
    _through(LogRecord(body=SENTENCE, attributes={"prompt": SENTENCE}))

    found = {key: count for key, count in LEDGER.withheld.items() if key[0].startswith("log of")}
    assert {(site, kind): count for (site, _, _, kind), count in found.items()} == {
        (f"log of {SCOPE}", "body"): 1,
        (f"log of {SCOPE}", "attribute"): 1,
        (f"log of {SCOPE}", "resource attribute"): 1,
    }
    assert LEDGER.sink("guarded_logs").as_dict()["observed"] == 1


def test_an_exporter_that_fails_or_raises_is_counted() -> None:
    """Its error is the SDK's to handle."""

    class Refusing(InMemoryLogRecordExporter):
        def export(self, batch: Any) -> LogRecordExportResult:
            if not batch:
                raise RuntimeError(SENTENCE)
            return LogRecordExportResult.FAILURE

    guard = discreet.GuardedLogRecordExporter(Refusing())
    memory = InMemoryLogRecordExporter()
    provider = LoggerProvider(shutdown_on_exit=False)
    provider.add_log_record_processor(SimpleLogRecordProcessor(memory))
    provider.get_logger("s").emit(LogRecord(body=1))

    assert guard.export(memory.get_finished_logs()) is LogRecordExportResult.FAILURE
    with pytest.raises(RuntimeError):
        guard.export(())
    assert LEDGER.sink("guarded_logs").as_dict()["missing_by_reason"] == {"export_failed": 1}
    assert guard.force_flush() is True
    guard.shutdown()


def test_when_the_guard_fails_nothing_of_the_record_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ids, times and severity are."""
    from discreet.export import log_guard

    def broken(*args: Any) -> Any:
        raise LookupError(SENTENCE)

    monkeypatch.setattr(log_guard, "_safe_body", broken)

    found = _through(LogRecord(timestamp=5, body=SENTENCE, event_name="model_loaded", attributes={"n": SENTENCE}))

    assert (found.log_record.timestamp, found.log_record.body, found.log_record.event_name) == (5, None, None)
    assert not found.log_record.attributes
    assert LEDGER.failures == {("log_guard", "LookupError"): 1}


def test_what_is_no_exporter_is_refused() -> None:
    """At once, and not at the first record."""
    with pytest.raises(discreet.ConfigurationError, match="is no log exporter"):
        discreet.GuardedLogRecordExporter(7)  # type: ignore[arg-type]
