"""The log calls that are measured, the same for every candidate that has a `logging.Logger`."""

from __future__ import annotations

import logging
from collections.abc import Callable

Shape = Callable[[int], None]

QUESTION = "May the landlord keep my deposit if the carpet was old already when I moved in?"


def _deep(level: int) -> None:
    if level:
        _deep(level - 1)
    else:
        raise ValueError(QUESTION)


def caught_exception() -> BaseException:
    """Return an exception with a traceback of ten frames."""
    try:
        _deep(8)
    except ValueError as error:
        return error
    raise AssertionError


def shapes_of(log: logging.Logger) -> dict[str, Shape]:
    """Return one function for each shape, which makes so many log calls."""
    error = caught_exception()
    elapsed = 12.3456

    def attributes(count: int) -> None:
        for _ in range(count):
            log.info(
                "request handled",
                extra={"event": "request_finished", "status": 200, "duration_ms": 12.5},
            )

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
            log.debug("request handled", extra={"status": 200, "duration_ms": 12.5})

    return {
        "three attributes": attributes,
        "two arguments": arguments,
        "f-string": f_string,
        "exception, ten frames": exception,
        "disabled DEBUG call": disabled,
    }
