"""C70: OpenTelemetry's own handler exports every extra, and an exception with text and stack."""

import logging

from _common import OUT, codes

CASE = {
    "id": "C70",
    "group": "C",
    "kind": "both",
    "requires": ["opentelemetry.instrumentation.logging"],
    "right": "It exports the sealed record: template, codes, the exception's type.",
    "min_records": 2,
}
SECRETS = ["rookeryhill", "magpiecroft"]


def emit() -> None:
    from opentelemetry.instrumentation.logging.handler import LoggingHandler
    from opentelemetry.sdk._logs import LoggerProvider
    from opentelemetry.sdk._logs.export import InMemoryLogRecordExporter, SimpleLogRecordProcessor

    exporter = InMemoryLogRecordExporter()
    provider = LoggerProvider()
    provider.add_log_record_processor(SimpleLogRecordProcessor(exporter))
    handler = LoggingHandler(logger_provider=provider)
    log = logging.getLogger("app.otel")
    log.addHandler(handler)
    log.info("about %s", "rookeryhill", extra=codes(prompt="magpiecroft", n=3))
    try:
        raise ValueError("magpiecroft")
    except ValueError:
        log.exception("failed for %s", "rookeryhill", extra=codes(error=True))
    log.removeHandler(handler)
    records = [data.log_record for data in exporter.get_finished_logs()]
    lines = [f"{record.body} {dict(record.attributes or {})}" for record in records]
    provider.shutdown()
    (OUT / "otel.txt").write_text("\n".join(lines), encoding="utf-8")
    assert len(lines) == 2
    assert "ValueError" in lines[1]
