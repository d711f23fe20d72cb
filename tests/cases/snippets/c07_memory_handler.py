"""C07: a MemoryHandler holds records back and hands them on when the callers are long gone."""

import logging
import logging.handlers

from _common import codes, file_handler, written

CASE = {
    "id": "C07",
    "group": "C",
    "kind": "both",
    "right": ("What is held back is sealed when it is logged; later flushes find nothing else."),
    "min_records": 2,
}
SECRETS = ["gorsefield", "pewtermoss"]


def _log(log: logging.Logger) -> None:
    log.debug("chunk of %s: %r", "gorsefield", {"text": "pewtermoss"}, extra=codes())
    try:
        raise ValueError("pewtermoss")
    except ValueError as exc:
        exc.add_note("gorsefield")
        log.warning("failed", exc_info=True)


def emit() -> None:
    log = logging.getLogger("app.memory")
    target = file_handler("memory.log", logging.Formatter("%(levelname)s %(message)s %(args)s"))
    memory = logging.handlers.MemoryHandler(100, logging.CRITICAL, target)
    log.addHandler(memory)
    try:
        _log(log)
        memory.flush()
    finally:
        log.removeHandler(memory)
        memory.close()
    assert len(written("memory.log").splitlines()) >= 2
