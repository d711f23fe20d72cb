"""The ways in which logging is set up around a snippet, inside its process."""

from __future__ import annotations

import logging
import logging.config
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import ConsoleSpanExporter, SimpleSpanProcessor, SpanExporter
from pythonjsonlogger.json import JsonFormatter

import discreet

NAMES = Path(__file__).with_name("names.toml")
CONTENT_LOGGER = "rag.content"
ALL_FIELDS = (
    "asctime levelname levelno name message threadName processName taskName funcName pathname "
    "filename module lineno process thread exc_text stack_info"
)


class TrackingFormatter(logging.Formatter):
    """Shows of an exception all that error trackers show: the whole chain, attributes, locals."""

    def format(self, record: logging.LogRecord) -> str:
        # Logging's own `format` would give the text that another formatter has left on the record.
        shown = [record.getMessage()]
        waiting: list[Any] = [record.exc_info[1]] if record.exc_info else []
        seen: set[int] = set()
        while waiting and len(seen) < 50:
            exc = waiting.pop()
            if exc is None or id(exc) in seen:
                continue
            seen.add(id(exc))
            frames = traceback.StackSummary.extract(traceback.walk_tb(exc.__traceback__), capture_locals=True, limit=20)
            try:
                shown.append(f"{type(exc)} {exc!r} {vars(exc)} {''.join(frames.format())}")
            except Exception as error:
                shown.append(f"{type(exc)} can not be shown: {type(error)}")
            waiting += [exc.__cause__, exc.__context__, *getattr(exc, "exceptions", ())[:50]]
        return "\n".join(shown)


def _foreign_handlers(out: Path) -> list[logging.Handler]:
    """Return handlers of others: a bare one on stderr, python-json-logger on stdout, a tracker."""
    tracker = logging.FileHandler(out / "tracker.log", encoding="utf-8", errors="backslashreplace")
    tracker.setFormatter(TrackingFormatter())
    plain = logging.StreamHandler(sys.stderr)
    lines = logging.StreamHandler(sys.stdout)
    lines.setFormatter(JsonFormatter(" ".join(f"%({name})s" for name in ALL_FIELDS.split())))
    return [plain, lines, tracker]


def _lead_spans_to(path: Path, guard: Callable[[SpanExporter], SpanExporter] | None = None) -> None:
    """Set the global tracer provider, as an application does, with an exporter into a file."""
    exporter: SpanExporter = ConsoleSpanExporter(
        out=path.open("w", encoding="utf-8"), formatter=lambda span: span.to_json(indent=None) + "\n"
    )
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(guard(exporter) if guard is not None else exporter))
    trace.set_tracer_provider(provider)


@contextmanager
def unguarded(out: Path) -> Iterator[None]:
    """Set up nothing of ours: what leaks here is what the snippet is about."""
    _lead_spans_to(out / "spans.jsonl")
    for handler in _foreign_handlers(out):
        logging.root.addHandler(handler)
    logging.root.setLevel(logging.DEBUG)
    yield
    logging.shutdown()


@contextmanager
def _configured(out: Path, *, content_debug: tuple[str, ...] = ()) -> Iterator[None]:
    handle = discreet.configure(
        contracts=[NAMES],
        level="DEBUG",
        json=out / "logs.jsonl",
        spans=out / "spans.jsonl",
        content_debug=content_debug,
    )
    yield
    handle.flush()
    handle.close()


@contextmanager
def alone(out: Path) -> Iterator[None]:
    """`configure()` and nothing beside it, with the content logger open."""
    with _configured(out, content_debug=(CONTENT_LOGGER,)):
        yield


@contextmanager
def beside(out: Path) -> Iterator[None]:
    """`configure()` in a process where others have handlers already, the content logger closed."""
    for handler in _foreign_handlers(out):
        logging.root.addHandler(handler)
    with _configured(out):
        yield


@contextmanager
def dict_config(out: Path) -> Iterator[None]:
    """The same by a dictConfig: our formatter on a handler of the standard library, strict.

    The application has a tracer provider of its own, with the guard before its exporter.
    """
    _lead_spans_to(out / "spans.jsonl", discreet.GuardedSpanExporter)
    logging.config.dictConfig(
        {
            "version": 1,
            "disable_existing_loggers": False,
            "filters": {
                "guard": {"()": "discreet.ContentGuard", "strict": True, "contracts": [str(NAMES)]},
                "events": {"()": "discreet.EventFilter"},
            },
            "formatters": {
                "json": {"()": "discreet.JsonFormatter"},
                "console": {"()": "discreet.ConsoleFormatter"},
            },
            "handlers": {
                "json": {
                    "class": "logging.FileHandler",
                    "filename": str(out / "logs.jsonl"),
                    "encoding": "utf-8",
                    "formatter": "json",
                    "filters": ["guard", "events"],
                },
                "console": {"class": "logging.StreamHandler", "formatter": "console"},
                "spans": {"()": "discreet.OtelSpanHandler", "exporter": str(out / "records.jsonl")},
            },
            "root": {"level": "DEBUG", "handlers": ["json", "console", "spans"]},
        }
    )
    yield
    logging.shutdown()


SETUPS: dict[str, Callable[[Path], object]] = {
    "unguarded": unguarded,
    "alone": alone,
    "beside": beside,
    "dict_config": dict_config,
}
