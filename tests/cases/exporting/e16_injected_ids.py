"""Instrumentations put ids of their own on every record: they are no attributes, and the real ones win."""

import logging

CASE = {
    "collectors": ["ok"],
    "app_records": 1,
    "absent": ["otelTraceID", "otelSpanID", "otelServiceName", "dd.trace_id"],
}


def emit() -> None:
    made_before = logging.getLogRecordFactory()

    def factory(*args: object, **kwargs: object) -> logging.LogRecord:
        record = made_before(*args, **kwargs)
        record.otelTraceID, record.otelSpanID, record.otelServiceName = "0", "0", "svc"
        setattr(record, "dd.trace_id", "1")
        return record

    logging.setLogRecordFactory(factory)
    try:
        logging.getLogger("app").info("record", extra={"event": "case.event"})
    finally:
        logging.setLogRecordFactory(made_before)
