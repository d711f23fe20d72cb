"""An application for gunicorn: it logs at import, and what a customer wrote in each of the usual ways."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from typing import Any

log = logging.getLogger("answers")
log.info("Loaded %d shelves", 3)


def app(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    """Answer a request; a path that ends in /fail breaks."""
    body = environ["wsgi.input"].read().decode()
    text = environ["QUERY_STRING"]
    log.info("Asked %s with %d bytes", text, len(body))
    log.info(f"Asked {text} with {len(body)} bytes")
    if environ["PATH_INFO"].endswith("/fail"):
        raise ValueError(f"no answer for {text} and {body}")
    start_response("200 OK", [("Content-Length", "2")])
    return [b"ok"]
