"""The part of the program that makes log records with OpenTelemetry's own API, as instrumentations do."""

from __future__ import annotations

import io
import logging

from opentelemetry._logs import LogRecord
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import ConsoleLogRecordExporter, SimpleLogRecordProcessor

import discreet
from discreet.choke import installed
from tests.cases.snippets._common import OUT


def log_body() -> None:
    provider = LoggerProvider(shutdown_on_exit=False)
    with (OUT / "otel-logs.txt").open("a", encoding="utf-8") as file:
        exporter = ConsoleLogRecordExporter(out=file)
        guarded = discreet.GuardedLogRecordExporter(exporter) if installed() else exporter
        provider.add_log_record_processor(SimpleLogRecordProcessor(guarded))
        provider.get_logger("app").emit(
            LogRecord(
                body="body of alderbrook",
                event_name="event of birchwater",
                attributes={"gen_ai.input.messages": "attribute of cedarholme"},
            )
        )


def log_past_logging() -> None:
    provider = LoggerProvider(shutdown_on_exit=False)
    with (OUT / "otel-past.txt").open("a", encoding="utf-8") as file:
        provider.add_log_record_processor(SimpleLogRecordProcessor(ConsoleLogRecordExporter(out=file)))
        provider.get_logger("app").emit(body="failure at dogrosehill")


def log_event_name() -> None:
    """Be a check of its own: `log_body` brings the name out too."""


def log_attribute() -> None:
    """The same for the attribute."""


def public_pieces() -> str | None:
    text = "The larkspur stands behind the old barn door"
    stream = io.StringIO()
    handler = discreet.JsonHandler(stream=stream)
    log = logging.getLogger("app")
    log.addHandler(handler)
    try:
        with discreet.customer_text(question=text):
            log.warning("%s%s", discreet.public(text[6:21]), discreet.public(text[21:37]))
    finally:
        log.removeHandler(handler)
    return "a text came out in pieces" if text[21:37] in stream.getvalue() else None
