"""C21: an operator's formatter renders exceptions itself, and reads the attributes it knows."""

import logging
import traceback
from typing import Any

from _common import codes, file_handler, written

CASE = {
    "id": "C21",
    "group": "C",
    "kind": "both",
    "right": ("Such a formatter still finds type, chain and frames; attributes, locals and lines not."),
    "min_records": 2,
}
SECRETS = ["linnetbourne", "kestrelgap"]


class ParseError(ValueError):
    def __init__(self, message: str, body: str) -> None:
        super().__init__(message)
        self.body = body


class Rendering(logging.Formatter):
    def formatException(self, ei: Any) -> str:
        cls, exc, tb = ei
        found = traceback.TracebackException(cls, exc, tb, capture_locals=True)
        return f"{cls.__name__} {getattr(exc, 'body', '')} {''.join(found.format())}"


def _parse(reply: str) -> None:
    raise ParseError(f"can not parse {reply}", reply)


def emit() -> None:
    log = logging.getLogger("app.render")
    handler = file_handler("render.log", Rendering())
    log.addHandler(handler)
    try:
        try:
            _parse("linnetbourne and kestrelgap")
        except ParseError as exc:
            raise RuntimeError("kestrelgap") from exc
    except RuntimeError:
        log.exception("first", extra=codes(error=True))
        log.error("second", exc_info=True)
    log.removeHandler(handler)
    handler.close()
    text = written("render.log")
    assert text.count("RuntimeError") >= 2
    assert "ParseError" in text
