"""The part of the program whose calls are streams, overlap, or are degraded: each function says what is wrong."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Iterator
from typing import Any

from opentelemetry import trace

import discreet
from discreet.call import Call
from discreet.call_counts import CALLS
from discreet.contract import load_shipped
from discreet.doors.report import send
from discreet.scope import current, owners

log = logging.getLogger("verbatim_core.extractors")


class _Heard(logging.Handler):
    """Keeps the messages of the records that tell of warnings."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.messages.append(record.getMessage())

    def __enter__(self) -> list[str]:
        logging.getLogger("discreet").addHandler(self)
        return self.messages

    def __exit__(self, *_: object) -> None:
        logging.getLogger("discreet").removeHandler(self)


def call_streams() -> str | None:
    CALLS.begin_anew(forget=True)

    @discreet.observe_call("app.read", "question")
    def read(question: str) -> Iterator[int]:
        try:
            yield 1
        except GeneratorExit:
            return

    stream: Any = read("spray of bryony")
    next(stream)
    if current() is not None or trace.get_current_span().get_span_context().is_valid:
        return "a stream's call is current for whoever reads it"
    stream.close()
    list(read("spray of bryony"))
    counts = CALLS.as_dict()["app.read"]
    found = {name: counts[name] for name in ("started", "ok", "cancelled", "active", "missing") if counts[name]}
    return None if found == {"started": 2, "cancelled": 1, "ok": 1} else f"two streams ended as {found}"


def call_stream_items() -> str | None:
    @discreet.observe_call("app.read")
    def read() -> Iterator[int]:
        kept.extend(owner for owner in owners() if isinstance(owner, Call))
        yield from range(3)

    kept: list[Call] = []
    list(read())
    found = [one._items for one in kept]
    return None if found == [3] else f"a stream of three items had {found}"


def call_stream_shutdown() -> str | None:
    places: list[tuple[str, ...]] = []
    kept: list[AsyncIterator[int]] = []

    @discreet.observe_call("app.read", "question")
    async def read(question: str) -> AsyncIterator[int]:
        try:
            yield 1
        finally:
            scope = current()
            places.append(() if scope is None else scope.places)

    async def main() -> None:
        for _ in range(12):
            kept.append(read("spray of bryony"))
            await anext(kept[-1])

    asyncio.run(main())
    return None if places == [("question",)] * 12 else f"streams that their loop closed had the texts {places}"


def call_stream_given_up() -> str | None:
    @discreet.observe_call("app.read", "question")
    async def read(question: str) -> AsyncIterator[int]:
        try:
            yield 1
        finally:
            await asyncio.sleep(0)

    # Without an event loop nobody waits for what it does at its end.
    stream: Any = read("spray of bryony")
    with contextlib.suppress(StopIteration):
        stream.asend(None).send(None)
    del stream
    return None if current() is None else "a stream that nobody has any more left its texts behind"


def call_overlapping() -> str | None:
    def read() -> Iterator[int]:
        with discreet.observe_call("app.read"):
            yield 1

    before = trace.get_current_span()
    first, second = read(), read()
    next(first)
    next(second)
    list(first)
    list(second)
    return None if trace.get_current_span() is before else "a call that has ended is current"


def call_fallbacks() -> str | None:
    with _Heard() as messages, discreet.observe_call("app.ask") as outer:
        with discreet.observe_call("app.find") as inner:
            inner.result({"warnings": ["quote_not_found"]})
        outer.result({"warnings": ["quote_not_found"]})
    found = [message.partition(":")[0] for message in messages if "quote_not_found" in message]
    return None if found == ["app.find"] else f"a warning was logged by {found}"


def call_fallbacks_of_others() -> str | None:
    row = next(row for row in load_shipped("verbatim").records if row.source == "print" and row.warning_code)
    with _Heard() as messages, discreet.observe_call("app.find") as call:
        log.warning("Fell back", extra={"event": "fallback_used", "warning_code": "quote_not_found"})
        send("stdout", logging.WARNING, "Template generation failed", "output_line", row=row)
        call.result({"warnings": ["quote_not_found", row.warning_code]})
    found = [message for message in messages if message.startswith("app.find")]
    return None if not found else f"what a library had logged was logged again: {found}"
