"""C01: an adapter puts the customer's name before every message, and the question in its extra."""

import logging
from collections.abc import MutableMapping
from typing import Any

from _common import codes

CASE = {
    "id": "C01",
    "group": "C",
    "kind": "leak",
    "right": ("The literal of the call may stay, the prefix never; stacked adapters and f-strings too."),
    "min_records": 4,
}
SECRETS = ["velvetfern", "ospreyhill"]


class Session(logging.LoggerAdapter):
    def process(self, msg: Any, kwargs: MutableMapping[str, Any]) -> Any:
        kwargs["extra"] = {**(kwargs.get("extra") or {}), **self.extra}
        return f"[{self.extra['customer']}] {msg}", kwargs


def emit() -> None:
    about = "about ospreyhill"
    log = Session(logging.getLogger("app.chat"), {"customer": "velvetfern, aged 71", "n": 3})
    log.info("question arrived", extra=codes())
    log.info("question %s arrived", "about ospreyhill", extra=codes())
    log.warning(f"question {about!r} arrived in {12.5:.1f} ms")
    Session(log, {"customer": "ospreyhill"}).error("twice wrapped", extra=codes(error=True))
