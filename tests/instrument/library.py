"""A library to instrument: a function of every kind, each with its text."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

from discreet.scope import current

SEEN: list[tuple[str, ...]] = []
"""The places of the texts that were registered while a function ran."""


def _see() -> None:
    scope = current()
    SEEN.append(() if scope is None else scope.places)


def find(question: str, *, top: int = 3) -> dict[str, Any]:
    """Find boats."""
    _see()
    if top < 0:
        raise ValueError(question)
    return {"hits": top, "warnings": ["quote_not_found"] if top > 3 else []}


async def find_soon(question: str, top: int = 3) -> dict[str, Any]:
    _see()
    return {"hits": top}


def stream(question: str) -> Iterator[str]:
    _see()
    received = yield "one"
    _see()
    try:
        yield f"two, {received}"
    except KeyError:
        yield "caught"
    return "done"


async def stream_soon(question: str) -> AsyncIterator[str]:
    _see()
    received = yield "one"
    _see()
    try:
        yield f"two, {received}"
    except KeyError:
        yield "caught"


class Boats:
    def own(self, question: str) -> str:
        return question

    @classmethod
    def of_class(cls, question: str) -> str:
        return cls.__name__

    @staticmethod
    def alone(question: str) -> str:
        return question


class Ships(Boats):
    pass
