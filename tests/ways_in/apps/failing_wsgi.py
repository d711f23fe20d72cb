"""A WSGI application that lets exceptions through to its server: at once, or while it answers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from discreet.instrument.wsgi import ContentMiddleware


def answer(environ: dict[str, Any], start_response: Any) -> Any:
    """Fail with what a customer asked, in the way that the path says."""
    question = environ["wsgi.input"].read().decode()
    if environ["PATH_INFO"] == "/at/once":
        raise LookupError(question)
    start_response("200 OK", [("Content-Type", "text/plain")])
    return pieces(question)


def pieces(question: str) -> Iterator[bytes]:
    """Answer with a word, and fail then."""
    yield b"Well"
    raise LookupError(question)


app = ContentMiddleware(answer)
