"""Runs applications without a server, and says which records they logged."""

from __future__ import annotations

import asyncio
import io
import json
import logging
from collections.abc import Callable, Iterable
from typing import Any

import discreet

NAME = "orchard.web"
log = logging.getLogger(NAME)

ASKED = "Did my neighbour Rosalind bury the trombone under the gooseberries?"
OTHER = "The ferryman Osbert swore that the lighthouse cat was his"

Message = dict[str, Any]


def note(value: str) -> None:
    """Log a value by an f-string, as it would be let through."""
    log.info(f"Told: {value}")


def logged(run: Callable[[], Any]) -> list[dict[str, Any]]:
    """Return the records that a function logs, without time, level and logger."""
    stream = io.StringIO()
    before, level = logging.root.handlers[:], logging.root.level
    # pytest's own handlers would ask each value for its text.
    logging.root.handlers[:] = [discreet.JsonHandler(stream=stream)]
    logging.root.setLevel(logging.INFO)
    try:
        run()
    finally:
        logging.root.handlers[:] = before
        logging.root.setLevel(level)
    found = [json.loads(line) for line in stream.getvalue().splitlines()]
    for one in found:
        del one["timestamp"], one["level"], one["logger"]
    return found


def told(run: Callable[[], Any]) -> list[str]:
    """Return what was shown of each value that was noted."""
    return [one["message"].removeprefix("Told: ") for one in logged(run)]


def http(path: str = "/", query: str = "", *, method: str = "POST", **headers: str) -> Message:
    """Return a scope of ASGI; headers with underscores for hyphens."""
    pairs = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    return {
        "type": "http",
        "method": method,
        "path": path,
        "root_path": "",
        "query_string": query.encode(),
        "headers": pairs,
    }


def chunks(*pieces: bytes) -> list[Message]:
    """Return the messages of a body in pieces."""
    return [
        {"type": "http.request", "body": piece, "more_body": number < len(pieces) - 1}
        for number, piece in enumerate(pieces)
    ]


def asgi(app: Any, scope: Message, messages: Iterable[Message] = ()) -> list[Message]:
    """Run an ASGI application for one connection, and return what it sent."""
    waiting = list(messages)
    sent: list[Message] = []

    async def receive() -> Message:
        return waiting.pop(0) if waiting else {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        sent.append(message)

    asyncio.run(app(scope, receive, send))
    return sent


def environ(path: str = "/", query: str = "", body: bytes = b"", **more: Any) -> dict[str, Any]:
    """Return what a WSGI server says of a request."""
    return {
        "REQUEST_METHOD": "POST",
        "PATH_INFO": path.encode().decode("latin-1"),
        "QUERY_STRING": query,
        "CONTENT_LENGTH": str(len(body)),
        "wsgi.input": io.BytesIO(body),
        **more,
    }


class Started:
    """Takes the status and headers of a WSGI application's answer."""

    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []

    def __call__(self, *arguments: Any) -> None:
        self.calls.append(arguments)
