"""C50: exceptions thrown into generators, `from None`, contexts, and frames that hold the question."""

import asyncio
import logging
from collections.abc import AsyncIterator, Iterator

from _common import codes

CASE = {
    "id": "C50",
    "group": "C",
    "kind": "leak",
    "right": "What `from None` hides is not shown; what is shown is types and places.",
    "keep_any": ["RuntimeError", "ValueError"],
    "min_records": 4,
}
SECRETS = ["waxwingham", "treecreeps"]


def _chunks(question: str) -> Iterator[str]:
    try:
        yield question
    except ValueError as exc:
        raise StopIteration("waxwingham") from exc  # noqa: PLR1708


async def _stream(question: str) -> AsyncIterator[str]:
    try:
        yield question
    finally:
        raise RuntimeError(f"stream of {question} broke")


async def _read() -> None:
    async for text in _stream("treecreeps"):
        raise KeyError(text)


def _hidden(question: str) -> None:
    try:
        raise LookupError(question)
    except LookupError:
        raise ValueError("treecreeps") from None


def emit() -> None:
    log = logging.getLogger("app.generators")
    chunks = _chunks("waxwingham")
    next(chunks)
    try:
        chunks.throw(ValueError("treecreeps"))
    except RuntimeError:
        log.exception("generator failed", extra=codes(error=True))
    try:
        asyncio.run(_read())
    except (KeyError, RuntimeError):
        log.exception("stream failed", extra=codes(error=True))
    try:
        _hidden("waxwingham")
    except ValueError:
        log.exception("hidden", extra=codes(error=True))
    try:
        raise ExceptionGroup("waxwingham", [ValueError("treecreeps"), KeyError("treecreeps")])
    except* ValueError:
        log.exception("part of a group", extra=codes(error=True))
    except* KeyError as group:
        log.error("part %r", group.exceptions, exc_info=group, extra=codes(error=True))
