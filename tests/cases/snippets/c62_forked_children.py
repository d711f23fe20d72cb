"""C62: a worker is forked while another thread logs; the child logs text and leaves."""

import logging
import os
import threading

from _common import codes, file_handler, written

CASE = {
    "id": "C62",
    "group": "C",
    "kind": "both",
    "isolate": True,
    "timeout": 30,
    "right": ("The child's records are sealed and whole lines; no lock that was held stays held."),
    "min_records": 2,
}
SECRETS = ["brambledove"]


class Formatting(logging.Handler):
    """Writes nothing: a buffer that is in use when its process is forked stays locked for ever."""

    def emit(self, record: logging.LogRecord) -> None:
        self.format(record)


def emit() -> None:
    who = "brambledove"
    log = logging.getLogger("app.fork")
    handler = file_handler("fork.log")
    log.addHandler(handler)
    stop = threading.Event()
    busy_log = logging.getLogger("app.busy")
    busy_log.propagate = False
    busy_log.addHandler(Formatting())

    def busy() -> None:
        while not stop.is_set():
            busy_log.debug("busy with %s", "brambledove")
            busy_log.debug(f"busy with {who}")

    thread = threading.Thread(target=busy)
    thread.start()
    children = []
    for _ in range(5):
        child = os.fork()
        if child == 0:
            log.info("child of %s", "brambledove", extra=codes())
            log.info(f"child of {who}")
            os._exit(0)
        children.append(child)
    codes_of_children = [os.waitpid(child, 0)[1] for child in children]
    stop.set()
    thread.join()
    log.removeHandler(handler)
    handler.close()
    assert codes_of_children == [0] * 5
    assert "child of " in written("fork.log")
