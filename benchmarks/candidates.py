"""The libraries that are compared, each set up as its documentation says, writing to the null device."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from pathlib import Path

from shapes import QUESTION, Shape, caught_exception, shapes_of

CONTRACT = """
[contract]
name = "benchmark"
format = 1
summary = "What the benchmark's service logs."
[loggers]
names = ["benchmark"]
[attributes]
status = "http_status"
duration_ms = "duration_ms"
[[events]]
name = "request_finished"
level = "INFO"
attributes = ["status", "duration_ms"]
meaning = "A request was answered."
"""


def _logger(handler: logging.Handler) -> logging.Logger:
    log = logging.getLogger("benchmark.service")
    log.setLevel(logging.INFO)
    log.propagate = False
    log.handlers[:] = [handler]
    return log


def _null_text() -> logging.StreamHandler:
    return logging.StreamHandler(Path(os.devnull).open("w", encoding="utf-8"))


def _with_formatter(formatter: logging.Formatter) -> dict[str, Shape]:
    handler = _null_text()
    handler.setFormatter(formatter)
    return shapes_of(_logger(handler))


def stdlib() -> dict[str, Shape]:
    return _with_formatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s %(message)s"))


def json_logger_orjson() -> dict[str, Shape]:
    from pythonjsonlogger.orjson import OrjsonFormatter

    return _with_formatter(OrjsonFormatter(["levelname", "name", "message"], timestamp=True))


def json_logger_stdlib() -> dict[str, Shape]:
    from pythonjsonlogger.json import JsonFormatter

    return _with_formatter(JsonFormatter(["levelname", "name", "message"], timestamp=True))


def structlog_fastest() -> dict[str, Shape]:
    """The set-up that structlog's documentation gives for speed."""
    import orjson
    import structlog

    structlog.configure(
        cache_logger_on_first_use=True,
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.format_exc_info,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.JSONRenderer(serializer=orjson.dumps),
        ],
        logger_factory=structlog.BytesLoggerFactory(Path(os.devnull).open("wb")),  # noqa: SIM115 -- open to the end
    )
    log = structlog.get_logger().bind()
    error = caught_exception()
    elapsed = 12.3456

    def attributes(count: int) -> None:
        for _ in range(count):
            log.info("request handled", name="request_finished", status=200, duration_ms=12.5)

    def arguments(count: int) -> None:
        for _ in range(count):
            log.info("ranked %d chunks for %s", 7, QUESTION)

    def f_string(count: int) -> None:
        for number in range(count):
            log.info(f"ranked {number:d} chunks for {QUESTION} in {elapsed:.1f} ms")

    def exception(count: int) -> None:
        for _ in range(count):
            log.warning("request failed", exc_info=error)

    def disabled(count: int) -> None:
        for _ in range(count):
            log.debug("request handled", status=200, duration_ms=12.5)

    return {
        "three attributes": attributes,
        "two arguments": arguments,
        "f-string": f_string,
        "exception, ten frames": exception,
        "disabled DEBUG call": disabled,
    }


def _activate() -> None:
    import tempfile

    from discreet.contract import activate

    with tempfile.NamedTemporaryFile("w", suffix=".toml", delete=False) as file:
        file.write(CONTRACT)
    activate([file.name])
    Path(file.name).unlink()


def discreet_handler() -> dict[str, Shape]:
    """Events and guard on, by JsonHandler."""
    import discreet

    _activate()
    discreet.install()
    return shapes_of(_logger(discreet.JsonHandler(filename=os.devnull)))


def discreet_formatter() -> dict[str, Shape]:
    """Events and guard on, by JsonFormatter on logging's own handler."""
    import discreet

    _activate()
    discreet.install()
    return _with_formatter(discreet.JsonFormatter())


def discreet_beside() -> dict[str, Shape]:
    """Another package's handler and formatter, guarded."""
    import discreet

    _activate()
    discreet.install()
    return json_logger_orjson()


CANDIDATES: dict[str, Callable[[], dict[str, Shape]]] = {
    "stdlib": stdlib,
    "python-json-logger orjson": json_logger_orjson,
    "python-json-logger stdlib": json_logger_stdlib,
    "structlog fastest": structlog_fastest,
    "discreet JsonHandler": discreet_handler,
    "discreet JsonFormatter": discreet_formatter,
    "python-json-logger orjson, guarded": discreet_beside,
}
