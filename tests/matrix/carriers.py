"""What carries records out of a process, each set up as its documentation says, without any guard of ours.

Each is a context manager that is given the folder of its files and the address of a server; it gives the logger to use.
"""

from __future__ import annotations

import logging
import logging.handlers
import pickle
import queue
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

Carrier = Callable[[Path, str], AbstractContextManager[Any]]

FIELDS = (
    "asctime levelname levelno name message threadName processName taskName funcName pathname filename module lineno"
    " process thread exc_text stack_info"
).split()
PLAIN = "%(asctime)s %(levelname)s %(name)s %(threadName)s %(taskName)s %(message)s question=%(question)s"


class Everything(logging.Formatter):
    """Shows all that it can reach from a record, as trackers of errors and debuggers do."""

    def format(self, record: logging.LogRecord) -> str:
        shown = [record.getMessage(), repr(vars(record))]
        waiting: list[Any] = [record.exc_info[1]] if record.exc_info else []
        while waiting:
            error = waiting.pop()
            if error is None:
                continue
            frames = traceback.StackSummary.extract(traceback.walk_tb(error.__traceback__), capture_locals=True)
            shown.append(f"{error!r} {vars(error)} {''.join(frames.format())}")
            waiting += [error.__cause__, error.__context__, *getattr(error, "exceptions", ())]
        return "\n".join(shown)


def formatter() -> logging.Formatter:
    """Return a formatter of the standard library that names whatever it can."""
    return logging.Formatter(PLAIN, defaults={"question": None, "taskName": None})


def to_root(*handlers: logging.Handler) -> logging.Logger:
    """Give the root logger its handlers, let warnings be records, and return the application's logger."""
    logging.captureWarnings(capture=True)
    logging.root.setLevel(logging.INFO)
    for handler in handlers:
        logging.root.addHandler(handler)
    return logging.getLogger("app")


def file_handler(path: Path, of: logging.Formatter) -> logging.Handler:
    """Return a handler of the standard library that writes a file."""
    handler = logging.FileHandler(path, encoding="utf-8")
    handler.setFormatter(of)
    return handler


@contextmanager
def stream(out: Path, url: str) -> Iterator[Any]:
    """A StreamHandler with a format that names all that a format can."""
    handler = logging.StreamHandler()
    handler.setFormatter(formatter())
    yield to_root(handler)


@contextmanager
def everything(out: Path, url: str) -> Iterator[Any]:
    """A handler whose formatter shows all that can be reached from a record."""
    yield to_root(file_handler(out / "everything.log", Everything()))


@contextmanager
def json_lines(out: Path, url: str) -> Iterator[Any]:
    """python-json-logger, with all fields of a record."""
    from pythonjsonlogger.json import JsonFormatter

    yield to_root(file_handler(out / "lines.jsonl", JsonFormatter(FIELDS)))


@contextmanager
def last_resort(out: Path, url: str) -> Iterator[Any]:
    """No handlers at all."""
    yield logging.getLogger("app")


@contextmanager
def failing(out: Path, url: str) -> Iterator[Any]:
    """A handler that always fails, and tells standard error so; the marks of the rows have a file."""
    from tests.matrix.rows import ENDED

    class Full:
        def write(self, text: str) -> None:
            raise OSError("disk full")

        def flush(self) -> None:
            """There is nothing to flush."""

    broken = logging.StreamHandler(Full())
    broken.addFilter(lambda record: record.msg != ENDED)
    marks = file_handler(out / "marks.log", logging.Formatter("%(message)s"))
    marks.addFilter(lambda record: record.msg == ENDED)
    yield to_root(broken, marks)


@contextmanager
def queued(out: Path, url: str) -> Iterator[Any]:
    """A QueueHandler, whose queue is on the wire too, and its listener with a formatter that shows all."""
    waiting: queue.Queue[Any] = queue.Queue()
    log = to_root(logging.handlers.QueueHandler(waiting))
    yield log
    records = list(waiting.queue)
    with (out / "wire.pickle").open("wb") as wire:
        for record in records:
            wire.write(pickle.dumps(record))
    listener = logging.handlers.QueueListener(waiting, file_handler(out / "listened.log", Everything()))
    listener.start()
    listener.stop()


@contextmanager
def opentelemetry(out: Path, url: str) -> Iterator[Any]:
    """OpenTelemetry's handler with an exporter of OTLP."""
    from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
    from opentelemetry.instrumentation.logging.handler import LoggingHandler
    from opentelemetry.sdk._logs import LoggerProvider
    from opentelemetry.sdk._logs.export import SimpleLogRecordProcessor

    provider = LoggerProvider()
    provider.add_log_record_processor(SimpleLogRecordProcessor(OTLPLogExporter(endpoint=f"{url}/v1/logs")))
    yield to_root(LoggingHandler(logger_provider=provider))
    provider.shutdown()


@contextmanager
def sentry(out: Path, url: str) -> Iterator[Any]:
    """sentry-sdk with its defaults, and its logs."""
    import sentry_sdk

    sentry_sdk.init(
        f"{url.replace('://', '://key@')}/1", enable_logs=True, auto_enabling_integrations=False, max_breadcrumbs=200
    )
    yield to_root(logging.NullHandler())
    sentry_sdk.flush(timeout=20)
    sentry_sdk.get_client().close()


@contextmanager
def structlog_lines(out: Path, url: str) -> Iterator[Any]:
    """structlog with JSONRenderer, and logging through the same renderer."""
    import structlog

    shared = [structlog.contextvars.merge_contextvars, structlog.processors.add_log_level]
    rendering = [
        structlog.processors.TimeStamper(fmt="iso"),
        structlog.processors.dict_tracebacks,
        structlog.processors.JSONRenderer(default=str),
    ]
    with (out / "structlog.jsonl").open("w", encoding="utf-8") as file:
        structlog.configure(processors=[*shared, *rendering], logger_factory=structlog.PrintLoggerFactory(file))
        to_root(_through_structlog(out, rendering))
        yield structlog.get_logger()


@contextmanager
def structlog_on_logging(out: Path, url: str) -> Iterator[Any]:
    """structlog's loggers on top of logging, all rendered by a ProcessorFormatter."""
    import structlog

    shared = [
        structlog.stdlib.add_logger_name,
        structlog.stdlib.add_log_level,
        structlog.stdlib.PositionalArgumentsFormatter(),
    ]
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        wrapper_class=structlog.stdlib.BoundLogger,
        logger_factory=structlog.stdlib.LoggerFactory(),
    )
    rendering = [structlog.processors.dict_tracebacks, structlog.processors.JSONRenderer(default=str)]
    to_root(_through_structlog(out, rendering))
    yield structlog.get_logger("app")


def _through_structlog(out: Path, rendering: list[Any]) -> logging.Handler:
    from structlog import stdlib

    return file_handler(
        out / "logging.jsonl",
        stdlib.ProcessorFormatter(
            foreign_pre_chain=[stdlib.add_logger_name, stdlib.add_log_level, stdlib.ExtraAdder()],
            processors=[stdlib.ProcessorFormatter.remove_processors_meta, *rendering],
        ),
    )


@contextmanager
def loguru_lines(out: Path, url: str) -> Iterator[Any]:
    """loguru with serialised records, and logging intercepted, as its documentation shows."""
    from loguru import logger

    class InterceptHandler(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            logger.opt(exception=record.exc_info).log(record.levelname, record.getMessage())

    logger.remove()
    logger.add(out / "loguru.jsonl", serialize=True)
    logger.add(sys.stderr)
    to_root(InterceptHandler())
    yield logger
    logger.complete()
