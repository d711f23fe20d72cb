"""The ways through which texts leave: each once with the guard and once without, for the control."""

from __future__ import annotations

import asyncio
import logging
import multiprocessing
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.matrix import carriers, peers, spans
from tests.matrix.carriers import Carrier
from tests.matrix.rows import LOGURU, ROWS, STRUCTLOG, UNCAUGHT, Row, ended, run
from tests.matrix.sentences import sentence

Body = Callable[[Mapping[str, Row], Any, Path], None]


def _run(rows: Mapping[str, Row], log: Any, out: Path) -> None:
    run(rows, log)


def _in_a_thread(rows: Mapping[str, Row], log: Any, out: Path) -> None:
    thread = threading.Thread(target=run, args=(rows, log))
    thread.start()
    thread.join()


def _forked(rows: Mapping[str, Row], log: Any, out: Path) -> None:
    _in_a_process("fork", run, rows, log)


def _spawned(rows: Mapping[str, Row], log: Any, out: Path) -> None:
    _in_a_process("spawn", _child, out)


def _in_a_process(method: str, target: Callable[..., None], *args: Any) -> None:
    process = multiprocessing.get_context(method).Process(target=target, args=args)
    process.start()
    process.join()
    failed = multiprocessing.get_context(method).Process(
        target=UNCAUGHT["exception"], args=(sentence(list(ROWS).index("exception")),)
    )
    failed.start()
    failed.join()


def _child(out: Path) -> None:
    with carriers.everything(out, "") as log:
        run(ROWS, log)


class _Dying:
    def __init__(self, fail: Callable[[str], None], text: str) -> None:
        self._fail = fail
        self._text = text

    def __del__(self) -> None:
        self._fail(self._text)


def _uncaught(rows: Mapping[str, Row], log: Any, out: Path) -> None:
    """Fail in a thread, in the main thread, where Python ignores it, and in a loop."""
    for number, name in enumerate(rows):
        fail = UNCAUGHT.get(name)
        if fail is not None:
            text = sentence(number)
            thread = threading.Thread(target=fail, args=(text,))
            thread.start()
            thread.join()
            try:
                fail(text)
            except Exception:
                sys.excepthook(*sys.exc_info())
            _Dying(fail, text)
            asyncio.run(_fail_in_a_loop(fail, text))
        ended(log, number)
    UNCAUGHT["exception"](sentence(list(rows).index("exception")))


async def _fail_in_a_loop(fail: Callable[[str], None], text: str) -> None:
    def call() -> None:
        # A task has a loop of its own.
        if fail is not UNCAUGHT["task name"]:
            fail(text)

    asyncio.get_running_loop().call_soon(call)
    await asyncio.sleep(0)
    await asyncio.sleep(0)


@contextmanager
def _guarded(carrier: Carrier, out: Path, url: str, *, strict: bool = False) -> Iterator[Any]:
    import discreet

    discreet.install(strict=strict, streams=True)
    with carrier(out, url) as log:
        yield log


@contextmanager
def _json_handler(out: Path, url: str) -> Iterator[Any]:
    import discreet

    with discreet.configure(json=out / "lines.jsonl", streams=True):
        logging.captureWarnings(capture=True)
        yield logging.getLogger("app")


@contextmanager
def _json_formatter(out: Path, url: str) -> Iterator[Any]:
    import discreet

    discreet.install(streams=True)
    yield carriers.to_root(carriers.file_handler(out / "lines.jsonl", discreet.JsonFormatter()))


@contextmanager
def _console(out: Path, url: str) -> Iterator[Any]:
    import discreet

    discreet.install(streams=True)
    handler = logging.StreamHandler()
    handler.setFormatter(discreet.ConsoleFormatter())
    yield carriers.to_root(handler)


@contextmanager
def _structlog(out: Path, url: str) -> Iterator[Any]:
    import structlog

    import discreet.structlog

    discreet.install(streams=True)
    with carriers.structlog_lines(out, url), (out / "sealed.jsonl").open("w", encoding="utf-8") as file:
        structlog.configure(
            processors=[*discreet.structlog.processors(), structlog.processors.JSONRenderer()],
            logger_factory=structlog.PrintLoggerFactory(file),
        )
        yield structlog.get_logger()


@dataclass(frozen=True)
class Column:
    """A way out.

    Args:
        what: how it is set up, for the page.
        plain: sets it up without the guard.
        guarded: the same with the guard; `plain` behind `install()` if it is left out.
        rows: what is logged through it.
        body: how the rows are run.
        strict: whether the guard is.
        code: the exit code of the program.
        mark: what stands at the end of each row.
        unable: rows whose text doesn't come out without the guard either, with the reason.
    """

    what: str
    plain: Carrier
    guarded: Carrier | None = None
    rows: Mapping[str, Row] = field(default_factory=lambda: ROWS)
    body: Body = _run
    strict: bool = False
    code: int = 0
    mark: str = "Row {} ended"
    unable: Mapping[str, str] = field(default_factory=dict)

    @contextmanager
    def with_guard(self, out: Path, url: str) -> Iterator[Any]:
        """Set it up with the guard; gives the logger to use."""
        guarded = self.guarded
        if guarded is None:
            with _guarded(self.plain, out, url, strict=self.strict) as log:
                yield log
        else:
            with guarded(out, url) as log:
                yield log


NO_TRACEBACK = dict.fromkeys(("suppressed context", "local variable"), "tracebacks don't show it")
NO_FORMAT = {"key of `extra`": "a format names its fields itself", **NO_TRACEBACK}
ONLY_MESSAGE = {
    **dict.fromkeys(("`extra`", "key of `extra`", "thread name", "logger name"), "only the message is shown"),
    **NO_TRACEBACK,
}
NO_THREAD = {"thread name": "what is exported doesn't have it"}
RAISES = {"bad format": "structlog raises into the program, and nothing is logged"}
DROPS = {"bad format": "the handler drops the record, and says nothing"}
NO_LOG_CALL = {
    **dict.fromkeys([name for name in ROWS if name not in UNCAUGHT], "nothing fails, warns or prints in this row"),
    **NO_TRACEBACK,
}

OURS: dict[str, Column] = {
    "JSON": Column(
        "`configure(json=…)`, which adds a `JsonHandler`",
        carriers.json_lines,
        _json_handler,
        unable=NO_TRACEBACK,
    ),
    "JSON formatter": Column(
        "`JsonFormatter` on a `FileHandler`",
        carriers.json_lines,
        _json_formatter,
        unable=NO_TRACEBACK,
    ),
    "console": Column("`ConsoleFormatter` on a `StreamHandler`", carriers.stream, _console, unable=NO_FORMAT),
    "spans": Column(
        "`OtelSpanHandler`, with an event on every record",
        spans.naive,
        spans.own,
        mark='"row":{},',
        unable=NO_TRACEBACK,
    ),
    "structlog": Column(
        "structlog's own loggers with `discreet.structlog.processors()` and its `JSONRenderer`",
        carriers.structlog_lines,
        _structlog,
        STRUCTLOG,
        unable=RAISES | NO_THREAD,
    ),
    "structlog on logging": Column(
        "structlog on top of logging, with its `ProcessorFormatter`",
        carriers.structlog_on_logging,
        rows=STRUCTLOG,
        unable=RAISES | NO_THREAD,
    ),
    "stream": Column("a `StreamHandler` with a format that names all fields", carriers.stream, unable=NO_FORMAT),
    "all of a record": Column(
        "a formatter that shows all that it can reach: attributes, every exception of a chain, variables of frames",
        carriers.everything,
    ),
    "OTel": Column(
        "OpenTelemetry's `LoggingHandler` with the OTLP exporter",
        carriers.opentelemetry,
        unable=NO_TRACEBACK | NO_THREAD | DROPS,
    ),
    "Sentry": Column(
        "`sentry_sdk.init()` with its defaults and logs; `install(strict=True)`",
        carriers.sentry,
        strict=True,
        unable=DROPS,
    ),
    "queue": Column("a `QueueHandler`, its pickled records, and their listener", carriers.queued, unable=NO_TRACEBACK),
    "last resort": Column("no handlers", carriers.last_resort, unable=ONLY_MESSAGE),
    "logging error": Column("a handler that fails, so that logging complains", carriers.failing, unable=ONLY_MESSAGE),
    "uncaught": Column(
        "what fails in a thread, in the main thread, in `__del__`, in a loop and at the program's end",
        carriers.last_resort,
        body=_uncaught,
        code=1,
        unable=NO_LOG_CALL,
    ),
    "thread": Column("the formatter that shows all, from a thread", carriers.everything, body=_in_a_thread),
    "fork": Column("the same, from a forked process, and one that fails", carriers.everything, body=_forked),
    "spawn": Column("the same, from a spawned process, and one that fails", carriers.last_resort, body=_spawned),
}
"""Each with the guard, by its name in the table."""


@dataclass(frozen=True)
class Peer:
    """Another package, without our guard.

    Args:
        what: how it is set up, for the page.
        column: the way out.
        same: the name of the column of ours that is the same when the guard is left out, and runs anyway.
    """

    what: str
    column: Column
    same: str | None = None


def _peer(what: str, carrier: Carrier, rows: Mapping[str, Row] = ROWS) -> Peer:
    return Peer(what, Column(what, carrier, rows=rows))


def _like(name: str, what: str) -> Peer:
    return Peer(what, OURS[name], name)


PEERS: dict[str, Peer] = {
    "python-json-logger": _like("JSON", "its `JsonFormatter`, with all fields of a record"),
    "structlog": _like("structlog", "`dict_tracebacks` and `JSONRenderer`, logging through its `ProcessorFormatter`"),
    "loguru": _peer("`serialize=True`, logging by its `InterceptHandler`", carriers.loguru_lines, LOGURU),
    "opentelemetry-instrumentation-logging": _like("OTel", "its `LoggingHandler`, with the OTLP exporter"),
    "sentry-sdk": _like("Sentry", "its defaults, and logs"),
    "hushlog": _peer("`RedactingJsonFormatter` and `hushlog.patch()`", peers.hushlog),
    "logprivacy": _peer("`get_safe_logger` for every logger, `safe_print`", peers.logprivacy),
    "loggingredactor": _peer("`CommonPIIRedactingFilter`, python-json-logger", peers.loggingredactor),
}
"""By their names on PyPI."""
