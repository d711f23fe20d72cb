"""C67: another process sends its records through a queue to the one that writes them."""

import logging
import logging.handlers
import multiprocessing

from _common import codes, file_handler, written

CASE = {
    "id": "C67",
    "group": "C",
    "kind": "both",
    "isolate": True,
    "right": ("Both ends are guarded, and a record that was sealed at one end passes the other."),
    "min_records": 2,
}
SECRETS = ["pipitmeadow"]


def _child(waiting: object) -> None:
    log = logging.getLogger("app.child")
    log.handlers = [logging.handlers.QueueHandler(waiting)]
    log.propagate = False
    log.info("child asked by %s", "pipitmeadow", extra=codes(prompt="pipitmeadow"))
    try:
        raise ValueError("pipitmeadow")
    except ValueError:
        log.exception("child failed", extra=codes(error=True))


def emit() -> None:
    context = multiprocessing.get_context("fork")
    waiting = context.Queue()
    root = logging.getLogger()
    own = file_handler("from-child.log")
    listener = logging.handlers.QueueListener(waiting, own, *root.handlers)
    child = context.Process(target=_child, args=(waiting,), name="child of pipitmeadow")
    child.start()
    records = [waiting.get(timeout=10), waiting.get(timeout=10)]
    child.join()
    for record in records:
        listener.handle(record)
    own.close()
    assert child.exitcode == 0
    assert len(written("from-child.log").splitlines()) >= 2
