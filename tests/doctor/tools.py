"""The same with other tools: OpenTelemetry, sentry-sdk, loguru and structlog."""

from __future__ import annotations

import logging
import sys
from pathlib import Path
from typing import Any

import discreet
from tests.doctor.configurations import configuration, guarded, keep


@configuration("open", "log records of OpenTelemetry to")
def log_processors_that_another_tool_has_patched() -> None:
    from opentelemetry._logs import set_logger_provider
    from opentelemetry.sdk._logs import LoggerProvider
    from opentelemetry.sdk._logs._internal import SynchronousMultiLogRecordProcessor
    from opentelemetry.sdk._logs.export import ConsoleLogRecordExporter, SimpleLogRecordProcessor

    def on_emit(self: Any, log_record: Any) -> None:
        for one in self._log_record_processors:
            one.on_emit(log_record)

    provider = LoggerProvider()
    exporter = ConsoleLogRecordExporter(out=Path("otel.jsonl").open("w", encoding="utf-8"))
    provider.add_log_record_processor(SimpleLogRecordProcessor(exporter))
    set_logger_provider(provider)
    guarded()
    SynchronousMultiLogRecordProcessor.on_emit = on_emit  # type: ignore[method-assign]


@configuration()
def contrib_handler_with_a_provider_of_its_own() -> None:
    from opentelemetry._logs import set_logger_provider
    from opentelemetry.instrumentation.logging.handler import LoggingHandler
    from opentelemetry.sdk._logs import LoggerProvider
    from opentelemetry.sdk._logs.export import ConsoleLogRecordExporter, SimpleLogRecordProcessor

    provider = LoggerProvider()
    exporter = ConsoleLogRecordExporter(out=Path("otel.jsonl").open("w", encoding="utf-8"))
    provider.add_log_record_processor(SimpleLogRecordProcessor(exporter))
    set_logger_provider(provider)
    guarded()
    logging.getLogger().addHandler(LoggingHandler(logger_provider=provider))


@configuration()
def logging_instrumented_by_opentelemetry() -> None:
    from opentelemetry.instrumentation.logging import LoggingInstrumentor

    LoggingInstrumentor().instrument()
    guarded()


@configuration("cannot see", "logging.setLogRecordFactory: opentelemetry.instrumentation.logging")
def logging_instrumented_by_opentelemetry_with_a_hook() -> None:
    from opentelemetry.instrumentation.logging import LoggingInstrumentor

    LoggingInstrumentor().instrument(log_hook=keep)
    guarded()


@configuration()
def all_that_is_sent_over_otlp() -> None:
    guarded(otlp="http://127.0.0.1:9", shutdown_timeout=0)


@configuration()
def spans_over_otlp_and_to_a_file() -> None:
    guarded(otlp="http://127.0.0.1:9", metrics=False, spans="spans.jsonl", shutdown_timeout=0)


@configuration("open", "spans to opentelemetry.sdk.trace.export.ConsoleSpanExporter")
def span_processor_added_without_the_guard() -> None:
    from opentelemetry import trace
    from opentelemetry.sdk.trace.export import ConsoleSpanExporter, SimpleSpanProcessor

    guarded(spans="spans.jsonl")
    exporter = ConsoleSpanExporter(out=Path("otel.jsonl").open("w", encoding="utf-8"))
    provider: Any = trace.get_tracer_provider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))


@configuration("cannot see", "spans to tests.doctor.tools")
def span_processor_of_the_programs_own() -> None:
    from opentelemetry import trace
    from opentelemetry.sdk.trace import SpanProcessor

    class Own(SpanProcessor):
        def on_end(self, span: Any) -> None:
            keep(span.name)

    guarded(spans="spans.jsonl")
    provider: Any = trace.get_tracer_provider()
    provider.add_span_processor(Own())


def _init_sentry(**options: Any) -> None:
    import sentry_sdk
    from sentry_sdk.transport import Transport

    class Keeping(Transport):
        def capture_envelope(self, envelope: Any) -> None:
            keep(envelope.serialize())

    sentry_sdk.init("http://key@127.0.0.1:9/1", transport=Keeping, **options)


@configuration("open", "sentry-sdk past logging")
def sentry_with_its_usual_integrations() -> None:
    _init_sentry(auto_enabling_integrations=False)
    guarded()
    discreet.install(strict=True)


@configuration("open", "uncaught exceptions (sys.excepthook)")
def sentry_set_up_after_the_guard() -> None:
    from sentry_sdk.integrations.excepthook import ExcepthookIntegration

    guarded()
    _init_sentry(default_integrations=False, integrations=[ExcepthookIntegration(always_run=True)])


@configuration()
def sentry_as_the_doctor_says() -> None:
    from sentry_sdk.integrations.excepthook import ExcepthookIntegration
    from sentry_sdk.integrations.logging import LoggingIntegration

    _init_sentry(
        default_integrations=False,
        auto_enabling_integrations=False,
        integrations=[LoggingIntegration(), ExcepthookIntegration(always_run=True)],
    )
    guarded()
    discreet.install(strict=True)


@configuration("open", "loguru's sink")
def loguru_with_a_sink_of_its_own() -> None:
    from loguru import logger

    guarded()
    logger.remove()
    logger.add("loguru.log")


@configuration()
def loguru_into_a_handler_of_ours() -> None:
    from loguru import logger

    guarded()
    logger.remove()
    logger.add(discreet.JsonHandler(filename="loguru.jsonl"))


@configuration("open", "structlog to structlog._output.PrintLoggerFactory")
def structlog_that_prints() -> None:
    import structlog

    guarded()
    structlog.configure(
        processors=[structlog.processors.add_log_level, structlog.dev.ConsoleRenderer()],
        logger_factory=structlog.PrintLoggerFactory(file=sys.__stderr__),
    )


@configuration()
def structlog_that_prints_to_a_guarded_stream() -> None:
    import structlog

    globals()["log"] = structlog.get_logger()
    guarded()


@configuration("cannot see", "structlog processor tests.doctor.tools")
def structlog_processor_before_ours() -> None:
    import structlog

    import discreet.structlog

    def copying(logger: Any, method: str, event: Any) -> Any:
        keep(event)
        return event

    guarded()
    structlog.configure(
        processors=[copying, *discreet.structlog.processors(), discreet.structlog.JsonRenderer()],
        logger_factory=structlog.PrintLoggerFactory(file=sys.__stderr__),
    )


@configuration()
def structlog_with_ours() -> None:
    import structlog

    import discreet.structlog

    guarded()
    structlog.configure(
        processors=[*discreet.structlog.processors(), discreet.structlog.JsonRenderer()],
        logger_factory=structlog.PrintLoggerFactory(file=sys.__stderr__),
    )


@configuration("cannot see", "failures in the running loop")
def loop_with_a_handler_of_its_own() -> Any:
    import asyncio

    async def within() -> Any:
        asyncio.get_running_loop().set_exception_handler(lambda *values: keep(*values))
        return discreet.doctor()

    guarded()
    return lambda: asyncio.run(within())
