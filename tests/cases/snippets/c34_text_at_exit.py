"""C34: text is logged while the interpreter ends: from atexit, a thread, `__del__`."""

import atexit
import logging
import threading
import time

from _common import codes, file_handler

CASE = {
    "id": "C34",
    "group": "C",
    "kind": "both",
    "isolate": True,
    "timeout": 30,
    "right": ("The guard holds until the last record, and the process ends with its own code."),
    "min_records": 1,
}
SECRETS = ["gannetrock"]


class Session:
    def __del__(self) -> None:
        logging.getLogger("app.late").warning("session of %s ended", "gannetrock")


KEPT_UNTIL_EXIT: list[object] = []


def _late() -> None:
    time.sleep(0.05)
    logging.getLogger("app.late").error("thread of %s ended", "gannetrock")


def emit() -> None:
    who = "gannetrock"
    log = logging.getLogger("app.late")
    log.addHandler(file_handler("late.log"))
    KEPT_UNTIL_EXIT.append(Session())
    threading.Thread(target=_late).start()
    atexit.register(log.warning, "left: %s", "gannetrock")
    atexit.register(lambda: log.warning(f"left: {who}", extra=codes(warning=True)))
    log.info("last line of %s", "gannetrock", extra=codes())
