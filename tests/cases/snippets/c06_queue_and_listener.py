"""C06: a QueueHandler merges arguments and traceback into the message; a listener writes it."""

import logging
import logging.handlers
import queue

from _common import codes, file_handler, written

CASE = {
    "id": "C06",
    "group": "C",
    "kind": "both",
    "right": ("Text is out before the record is in the queue, and what stands in it can be pickled."),
    "min_records": 3,
}
SECRETS = ["brindlecote", "alderney-fen"]


def emit() -> None:
    who = "brindlecote"
    waiting: queue.SimpleQueue[logging.LogRecord] = queue.SimpleQueue()
    log = logging.getLogger("app.queue")
    sender = logging.handlers.QueueHandler(waiting)
    listener = logging.handlers.QueueListener(waiting, file_handler("listener.log"))
    log.addHandler(sender)
    listener.start()
    try:
        log.info("asked by %s", "brindlecote", extra=codes(prompt="alderney-fen"))
        log.info(f"asked by {who}")
        try:
            raise LookupError("no chunk for alderney-fen")
        except LookupError:
            log.exception("search failed", extra=codes(error=True))
    finally:
        log.removeHandler(sender)
        listener.stop()
    assert len(written("listener.log").splitlines()) >= 3
