"""Configurations of which one route isn't guarded, each with what the doctor has to say of it, and one without any."""

from __future__ import annotations

import logging
import logging.handlers
import multiprocessing
import py_compile
import sys
import threading
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from queue import SimpleQueue
from typing import Any, NamedTuple

import discreet


class Configuration(NamedTuple):
    """What is set up, and the one route that the doctor names: its status and a part of its name."""

    build: Callable[[], Any]
    status: str | None
    name: str | None


CONFIGURATIONS: dict[str, Configuration] = {}


def configuration(status: str | None = None, name: str | None = None) -> Callable[[Callable[[], Any]], Any]:
    """Register a function as a configuration."""

    def register(build: Callable[[], Any]) -> Callable[[], Any]:
        CONFIGURATIONS[build.__name__] = Configuration(build, status, name)
        return build

    return register


class Keeping(logging.Handler):
    """A sink of the program's own."""

    def emit(self, record: logging.LogRecord) -> None:
        with Path("kept.txt").open("a", encoding="utf-8") as file:
            print(vars(record), file=file)


def keep(*values: object) -> None:
    """Write whatever somebody gets to a file."""
    with Path("kept.txt").open("a", encoding="utf-8") as file:
        print(*map(repr, values), file=file)


def guarded(**settings: Any) -> None:
    """Set up what is guarded throughout."""
    discreet.configure(**{"json": "app.jsonl", "streams": True, **settings})


@configuration()
def nothing_open() -> None:
    logging.getLogger("app")
    guarded(spans="spans.jsonl")
    for handler in (Keeping(), logging.FileHandler("app.log"), logging.handlers.MemoryHandler(10, target=Keeping())):
        handler.setFormatter(logging.Formatter("%(levelname)s %(name)s %(message)s %(question)s"))
        logging.getLogger("app").addHandler(handler)
    logging.getLogger("app").propagate = False
    logging.captureWarnings(capture=True)


@configuration()
def handlers_of_every_shape() -> logging.handlers.QueueListener:
    class OwnHandle(Keeping):
        def handle(self, record: logging.LogRecord) -> bool:
            keep(vars(record), record.getMessage())
            return True

    class Mixin:
        def handle(self, record: logging.LogRecord) -> bool:
            keep(vars(record), record.getMessage())
            return True

    class Both(Mixin, Keeping):  # type: ignore[misc]
        pass

    class NoHandler(Mixin):
        level = 0

    class Slots(Keeping):
        __slots__ = ("sent",)

    guarded()
    queue: SimpleQueue[Any] = SimpleQueue()
    listener = logging.handlers.QueueListener(queue, OwnHandle(), Keeping())
    listener.start()
    several = (OwnHandle(), Both(), NoHandler(), Slots(), logging.handlers.QueueHandler(queue))
    for handler in several:
        logging.getLogger().addHandler(handler)  # type: ignore[arg-type]
    return listener


@configuration("open", "LaterHandle on root")
def handle_overridden_after_install() -> None:
    class LaterHandle(Keeping):
        pass

    guarded()
    logging.getLogger().addHandler(LaterHandle())
    LaterHandle.handle = lambda _, record: keep(vars(record))  # type: ignore[method-assign, assignment]


@configuration("open", "Keeping on app.audit")
def handle_set_on_a_handler() -> None:
    logging.getLogger("app.audit")
    guarded()
    handler = Keeping()
    logging.getLogger("app.audit").addHandler(handler)
    handler.handle = lambda record: keep(vars(record))  # type: ignore[method-assign, assignment]


@configuration("open", "Keeping behind logging.handlers.MemoryHandler")
def handler_behind_another() -> None:
    guarded()
    inner = Keeping()
    logging.getLogger().addHandler(logging.handlers.MemoryHandler(100, target=inner))
    inner.handle = lambda record: keep(vars(record))  # type: ignore[method-assign, assignment]


@configuration("open", "Keeping on no logger now")
def handler_that_is_on_no_logger() -> Keeping:
    guarded()
    handler = Keeping()
    handler.handle = lambda record: keep(vars(record))  # type: ignore[method-assign, assignment]
    return handler


@configuration("open", "logging.Logger.callHandlers: tests.doctor.configurations")
def foreign_hook_on_call_handlers() -> None:
    guarded()
    before = logging.Logger.callHandlers

    def call_handlers(self: logging.Logger, record: logging.LogRecord) -> None:
        keep(vars(record))
        before(self, record)

    logging.Logger.callHandlers = call_handlers  # type: ignore[method-assign]


@configuration("open", "logging.Logger.handle: tests.doctor.configurations")
def logger_handle_replaced_after_a_strict_guard() -> None:
    guarded()
    discreet.install(strict=True)
    before = logging.Logger.handle

    def handle(self: logging.Logger, record: logging.LogRecord) -> None:
        keep(vars(record))
        before(self, record)

    logging.Logger.handle = handle  # type: ignore[method-assign]


@configuration("open", "logging.Handler.handle: tests.doctor.configurations")
def handler_handle_replaced_later() -> None:
    guarded()
    before = logging.Handler.handle

    def handle(self: logging.Handler, record: logging.LogRecord) -> Any:
        keep(vars(record))
        return before(self, record)

    logging.Handler.handle = handle  # type: ignore[method-assign]
    logging.getLogger().addHandler(Keeping())


@configuration("open", "OwnLogger.callHandlers")
def logger_class_of_the_programs_own() -> None:
    guarded()

    class OwnLogger(logging.Logger):
        def callHandlers(self, record: logging.LogRecord) -> None:
            keep(vars(record))
            super().callHandlers(record)

    logging.setLoggerClass(OwnLogger)
    logging.getLogger("app.own")


@configuration("partial", "Handler.handleError")
def error_output_replaced_later() -> None:
    guarded()
    logging.Handler.handleError = lambda *values: keep(*values)  # type: ignore[method-assign]


@configuration("cannot see", "logging.setLogRecordFactory: tests.doctor.configurations")
def record_factory_that_copies_the_message() -> None:
    guarded()

    def factory(*args: Any, **kwargs: Any) -> logging.LogRecord:
        record = logging.LogRecord(*args, **kwargs)
        record.copied = str(record.args)
        keep(record.copied)
        return record

    logging.setLogRecordFactory(factory)
    handler = logging.FileHandler("app.log")
    handler.setFormatter(logging.Formatter("%(message)s %(copied)s"))
    logging.getLogger().addHandler(handler)


@configuration("cannot see", "filter tests.doctor.configurations.filter_of_the_programs_own.Counting")
def filter_of_the_programs_own() -> None:
    class Counting(logging.Filter):
        def filter(self, record: logging.LogRecord) -> bool:
            keep(vars(record))
            return True

    guarded()
    logging.getLogger().handlers[0].addFilter(Counting())


@configuration("cannot see", "filter tests.doctor.configurations.method_of_a_known_filter_replaced")
def method_of_a_known_filter_replaced() -> None:
    guarded()
    chosen = logging.Filter()
    chosen.filter = lambda record: keep(vars(record)) or True  # type: ignore[method-assign]
    logging.getLogger().handlers[0].addFilter(chosen)


@configuration("cannot see", "Choosing.filter")
def handler_that_is_its_own_filter() -> None:
    class Choosing(logging.FileHandler):
        def filter(self, record: logging.LogRecord) -> Any:
            keep(vars(record))
            return super().filter(record)

    guarded()
    logging.getLogger().addHandler(Choosing("app.log"))


@configuration("cannot see", "OwnLogger.filter")
def logger_that_is_its_own_filter() -> None:
    guarded()

    class OwnLogger(logging.Logger):
        def filter(self, record: logging.LogRecord) -> Any:
            keep(vars(record))
            return super().filter(record)

    logging.setLoggerClass(OwnLogger)
    logging.getLogger("app.own")


@configuration("cannot see", "OwnLogger.error")
def logger_class_with_methods_of_its_own() -> None:
    guarded()

    class OwnLogger(logging.Logger):
        def error(self, msg: object, *args: Any, **options: Any) -> None:
            keep(msg, args)
            super().error(msg, *args, **options)

    logging.setLoggerClass(OwnLogger)
    logging.getLogger("app.own")


@configuration("open", "logging.Logger.filter: tests.doctor.configurations")
def filters_of_all_loggers_replaced() -> None:
    guarded()

    def choose(self: logging.Logger, record: logging.LogRecord) -> Any:
        keep(vars(record))
        return logging.Filterer.filter(self, record)

    logging.Logger.filter = choose  # type: ignore[method-assign]


@configuration("open", "logging.Filterer.filter: tests.doctor.configurations")
def filters_of_all_handlers_replaced() -> None:
    guarded()
    before = logging.Filterer.filter

    def choose(self: logging.Filterer, record: logging.LogRecord) -> Any:
        keep(vars(record))
        return before(self, record)

    logging.Filterer.filter = choose  # type: ignore[method-assign]


@configuration("cannot see", "logging.LoggerAdapter.process: tests.doctor.configurations")
def adapters_replaced() -> None:
    guarded()
    logging.LoggerAdapter.process = lambda _, msg, kwargs: keep(msg) or (msg, kwargs)  # type: ignore[method-assign]


@configuration("open", "the guard of the process")
def uninstall_called() -> None:
    guarded()
    discreet.uninstall()


@configuration("open", "the guard of the process")
def guard_of_one_handler_only() -> None:
    handler = logging.FileHandler("app.log")
    handler.addFilter(discreet.ContentGuard(scope="handler"))
    logging.getLogger().addHandler(handler)


@configuration("open", "uncaught exceptions (sys.excepthook)")
def excepthook_replaced_later() -> None:
    guarded()
    sys.excepthook = keep


@configuration("open", "uncaught exceptions of threads")
def threads_excepthook_replaced_later() -> None:
    guarded()
    threading.excepthook = keep


@configuration("open", "exceptions that can't be raised")
def unraisablehook_replaced_later() -> None:
    guarded()
    sys.unraisablehook = keep


@configuration("open", "warnings")
def showwarning_replaced_later() -> None:
    guarded()
    warnings.showwarning = keep


@configuration("open", "as logging.lastResort")
def last_resort_replaced() -> None:
    guarded()
    handler = Keeping()
    handler.handle = lambda record: keep(vars(record))  # type: ignore[method-assign, assignment]
    logging.lastResort = handler


@configuration("open", "lines printed to sys.stdout")
def stdout_replaced_after_streams() -> None:
    guarded()
    sys.stdout = Path("out.txt").open("w", encoding="utf-8")  # it stays open


def _sleep() -> None:
    time.sleep(30)


@configuration("open", "worker processes that were started before the guard")
def worker_started_before_the_guard() -> multiprocessing.process.BaseProcess:
    worker = multiprocessing.get_context("fork").Process(target=_sleep, daemon=True)
    worker.start()
    guarded()
    return worker


@configuration("open", "content logger verbatim_core.content at DEBUG")
def content_logger_open() -> None:
    guarded(content_debug=["verbatim_core.content"])
    logging.getLogger().addHandler(Keeping())


@configuration("partial", "attribute tenant")
def wide_id_pattern() -> None:
    guarded(attributes={"tenant": {"type": "id", "pattern": "[a-z]{1,60}"}})


@configuration("partial", "match mode of logger app")
def logger_in_match_mode() -> None:
    guarded(match=["app"])


CONTRACT = """
[contract]
name = "answers"
format = 1
summary = "An example."

[contract.covers]
structlog = "<20"
"""


@configuration("partial", "structlog")
def library_outside_its_contract() -> None:
    Path("answers.toml").write_text(CONTRACT, encoding="utf-8")
    guarded(contracts=["answers.toml"])


@configuration("cannot see", "module answers_compiled without source")
def package_without_source() -> None:
    Path("answers_compiled.py").write_text("import logging\n\nlog = logging.getLogger(__name__)\n", encoding="utf-8")
    py_compile.compile("answers_compiled.py", cfile="answers_compiled.pyc")
    Path("answers_compiled.py").unlink()
    sys.path.insert(0, str(Path.cwd()))
    guarded()
    __import__("answers_compiled")
