"""C19: causes that point back at themselves, and a chain of three thousand links."""

import logging

from _common import codes

CASE = {
    "id": "C19",
    "group": "C",
    "kind": "both",
    "right": "Every chain ends, lines stay short, and nothing is rendered twice.",
    "max_line": 16_384,
    "min_records": 4,
}
SECRETS = ["godwitmere"]


def emit() -> None:
    log = logging.getLogger("app.chains")
    first, second = ValueError("godwitmere"), KeyError("godwitmere")
    first.__cause__, second.__cause__ = second, first
    log.error("cycle of causes", exc_info=first, extra=codes(error=True))
    own = RuntimeError("godwitmere")
    own.__context__ = own
    log.error("its own context", exc_info=own, extra=codes(error=True))
    group = ExceptionGroup("godwitmere", [first])
    second.__context__ = group
    log.error("a group that is the context of its leaf", exc_info=group, extra=codes(error=True))
    last: BaseException = ValueError("godwitmere")
    for _ in range(3_000):
        exc = ValueError("x")
        exc.__cause__ = last
        last = exc
    log.error("a long chain", exc_info=last, extra=codes(error=True))
