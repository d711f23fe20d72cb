"""C16: exception classes are made at run time and named after what failed."""

import logging

from _common import codes

CASE = {
    "id": "C16",
    "group": "C",
    "kind": "leak",
    "right": ("A class whose qualified name does not give that class is shown by its nearest known base."),
    "keep_any": ["ValueError", "LookupError", "Exception"],
    "min_records": 4,
}
SECRETS = ["Yaffleton", "quillwort", "Dunlinshire"]


def emit() -> None:
    log = logging.getLogger("app.classes")
    made = type("YaffletonError", (ValueError,), {})
    posing = type("Posing", (LookupError,), {"__module__": "quillwort.answers"})
    nested = type("Nested", (Exception,), {"__qualname__": "Dunlinshire.<locals>.Nested"})
    for cls in (made, posing, nested):
        try:
            try:
                raise cls("x")
            except Exception as exc:
                raise cls("y") from exc
        except cls as exc:
            log.exception("failed", extra=codes(error=True))
            log.error("failed: %r %s %s", cls, exc, type(exc), extra=codes(error=True))
    log.error("group", exc_info=ExceptionGroup("g", [made("x"), posing("y"), nested("z")]))
