"""C33: a signal handler reports where the program was, with the local variables of that frame."""

import logging
import os
import signal
import types

from _common import codes

CASE = {
    "id": "C33",
    "group": "C",
    "kind": "leak",
    "isolate": True,
    "right": "A record of a signal handler is as any other; a frame is its type.",
    "min_records": 2,
}
SECRETS = ["oriolebrow"]


def emit() -> None:
    question = "what ails oriolebrow"
    log = logging.getLogger("app.signals")

    def on_signal(number: int, frame: types.FrameType | None) -> None:
        assert frame is not None
        log.warning("signal %d in %s", number, frame.f_locals, extra=codes(warning=True))
        log.warning("signal %s in %r", signal.Signals(number), frame, stack_info=True)
        log.warning(f"asked: {question}")

    old = signal.signal(signal.SIGUSR1, on_signal)
    try:
        os.kill(os.getpid(), signal.SIGUSR1)
    finally:
        signal.signal(signal.SIGUSR1, old)
