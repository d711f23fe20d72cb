"""B14: a signal handler logs while the main thread is inside a log call."""

import logging
import signal
import threading

from _common import codes

CASE = {
    "id": "B14",
    "group": "B",
    "kind": "robust",
    "isolate": True,
    "timeout": 30,
    "source": [
        "benoitc/gunicorn PR 2667",
        "Delgan/loguru#390",
        "unslothai/unsloth PR 9083",
        "perfact/zodbsync PR 144",
        "ArchiveTeam/wpull#65",
        "Xpra-org/xpra#2158",
    ],
    "right": ("No deadlock, no exception out of either call; a lost line is acceptable, a hung process is not."),
}
SECRETS: list[str] = []


def emit() -> None:
    in_main = threading.current_thread() is threading.main_thread()
    if not in_main or not hasattr(signal, "setitimer"):
        return
    log = logging.getLogger("app")

    def on_tick(signum: int, frame: object) -> None:
        log.warning("tick", extra=codes(warning=True))

    old = signal.signal(signal.SIGALRM, on_tick)
    signal.setitimer(signal.ITIMER_REAL, 0.0005, 0.0005)
    try:
        for n in range(4_000):
            log.info("work %d", n, extra=codes(n=n))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)
