"""Records as lines of JSON, for the tests of match mode."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import discreet
from discreet.export.ledger import LEDGER

NAME = "harbour.search"
log = logging.getLogger(NAME)


@contextmanager
def written(level: int = logging.INFO) -> Iterator[list[dict[str, Any]]]:
    """A list that gets the records of the root logger, without time, level and logger, at the end."""
    stream = io.StringIO()
    handler = discreet.JsonHandler(stream=stream)
    # pytest's own handlers would ask each value for its text.
    before = logging.root.handlers[:]
    logging.root.handlers[:] = [handler]
    logging.root.setLevel(level)
    found: list[dict[str, Any]] = []
    try:
        yield found
    finally:
        logging.root.handlers[:] = before
        found += [json.loads(line) for line in stream.getvalue().splitlines()]
        for one in found:
            del one["timestamp"], one["level"], one["logger"]


def logged(emit: Callable[[], None]) -> list[dict[str, Any]]:
    """Return the records that are logged by a function."""
    with written() as found:
        emit()
    return found


def kinds() -> dict[tuple[str, str], int]:
    """Return the ledger's counts by reason and kind."""
    found: dict[tuple[str, str], int] = {}
    for (_, _, reason, kind), count in LEDGER.withheld.items():
        found[reason, kind] = found.get((reason, kind), 0) + count
    return found
