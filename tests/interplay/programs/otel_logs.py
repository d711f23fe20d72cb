"""OpenTelemetry's contrib handler beside ours: argument `before`, `after` or `reconfigured`, or `unguarded`."""

from __future__ import annotations

import json
import logging
import logging.config
import sys
from pathlib import Path

from opentelemetry.instrumentation.logging.handler import _setup_logging_handler
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import InMemoryLogRecordExporter, SimpleLogRecordProcessor

import discreet
from tests.interplay.calls import LOGGER, work

order = sys.argv[1]
exporter = InMemoryLogRecordExporter()
provider = LoggerProvider()
provider.add_log_record_processor(SimpleLogRecordProcessor(exporter))


def guard() -> None:
    discreet.configure(json="ours.jsonl", attributes={"shard": "int"})


if order == "after":
    guard()
_setup_logging_handler(provider, log_code_attributes=True)
if order != "after":
    if order == "unguarded":
        logging.root.setLevel("INFO")
    else:
        guard()
if order == "reconfigured":
    # OpenTelemetry's wrapper takes its handler off, and adds it again behind those of the configuration.
    logging.config.dictConfig(
        {
            "version": 1,
            "disable_existing_loggers": False,
            "handlers": {"json": {"()": "discreet.JsonHandler", "filename": "ours.jsonl"}},
            "root": {"level": "INFO", "handlers": ["json"]},
        }
    )
work(logging.getLogger(LOGGER))
with Path("otel.jsonl").open("w", encoding="utf-8") as file:
    for found in exporter.get_finished_logs():
        record = found.log_record
        values = {"body": record.body, "severity": record.severity_text, **(record.attributes or {})}
        if found.instrumentation_scope.name == LOGGER:
            print(json.dumps(values), file=file)
provider.shutdown()
