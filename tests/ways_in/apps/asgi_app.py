"""An application without a framework: it logs what a customer wrote in each of the usual ways."""

from __future__ import annotations

import logging
from typing import Any

log = logging.getLogger("answers")


async def app(scope: dict[str, Any], receive: Any, send: Any) -> None:
    """Answer a request; a path that ends in /fail breaks."""
    body = (await receive())["body"].decode()
    text = scope["query_string"].decode()
    log.info("Asked %s with %d bytes", text, len(body))
    log.info(f"Asked {text} with {len(body)} bytes")
    if scope["path"].endswith("/fail"):
        raise ValueError(f"no answer for {text} and {body}")
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"ok"})
