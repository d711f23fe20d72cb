"""Event dicts as a renderer gets them, and the sentences that must not be in them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import structlog

import discreet.structlog

QUESTION = "May my lodger keep his parrot in the stairwell?"
TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")


class Keeper:
    """The last processor: keeps whole event dicts, without their times."""

    def __init__(self) -> None:
        self.events: list[dict[str, Any]] = []

    def __call__(self, logger: Any, name: str, event_dict: Any) -> Any:
        event = dict(event_dict)
        if "timestamp" in event:
            assert TIMESTAMP.fullmatch(event.pop("timestamp"))
        self.events.append(event)
        raise structlog.DropEvent

    def take(self) -> list[dict[str, Any]]:
        found, self.events = self.events, []
        return found


def sealing(*before: Any, **options: Any) -> Keeper:
    """Configure structlog's own loggers with our processors and a keeper after them."""
    keeper = Keeper()
    ours = discreet.structlog.processors(attributes={"shard": "int", "tenant": "id"})
    structlog.configure(processors=[*before, *ours, keeper], cache_logger_on_first_use=False, **options)
    return keeper


@contextmanager
def fresh() -> Iterator[None]:
    """Undo what a test does to structlog."""
    structlog.reset_defaults()
    structlog.contextvars.clear_contextvars()
    try:
        yield
    finally:
        structlog.reset_defaults()
        structlog.contextvars.clear_contextvars()


def place(function: Any, further: int) -> str:
    """Return how a frame of a test's own function is shown, so many lines after its first one."""
    code = function.__code__
    return f"{function.__module__.replace('.', '/')}.py:{code.co_qualname}:{code.co_firstlineno + further}"
