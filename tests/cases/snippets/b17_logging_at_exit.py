"""B17: logging from atexit, from a daemon thread, and from `__del__` while the interpreter ends."""

import atexit
import logging
import threading
import time

from _common import codes

CASE = {
    "id": "B17",
    "group": "B",
    "kind": "robust",
    "isolate": True,
    "timeout": 30,
    "source": [
        "open-telemetry/opentelemetry-python#4585",
        "open-telemetry/opentelemetry-python#3625",
        "open-telemetry/opentelemetry-python PR 5596",
    ],
    "right": (
        "Process ends within the shutdown budget, exit code unchanged, nothing recursive on "
        "stderr; records made before shutdown are flushed."
    ),
}
SECRETS: list[str] = []


class Late:
    def __del__(self) -> None:
        logging.getLogger("app.late").warning("del", extra=codes(warning=True))


KEPT_UNTIL_EXIT: list[Late] = []


def _beat() -> None:
    while True:
        logging.getLogger("app.daemon").info("beat", extra=codes())
        time.sleep(0.001)


def emit() -> None:
    KEPT_UNTIL_EXIT.append(Late())
    log = logging.getLogger("app")
    threading.Thread(target=_beat, daemon=True).start()
    atexit.register(lambda: log.warning("atexit", extra=codes(warning=True)))
    log.info("main done", extra=codes())
