"""C38: records are collected, and replayed later by another thread on another logger."""

import logging
import threading

from _common import codes, file_handler

CASE = {
    "id": "C38",
    "group": "C",
    "kind": "leak",
    "right": "A replay shows no more than the first time.",
    "min_records": 4,
}
SECRETS = ["wigeonpool"]


class Recorder(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.records: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(record)


def emit() -> None:
    log = logging.getLogger("app.recorded")
    recorder = Recorder()
    log.addHandler(recorder)
    log.info("%s asked", "wigeonpool", extra=codes(prompt="wigeonpool"))
    try:
        raise ValueError("wigeonpool")
    except ValueError:
        log.exception("failed", extra=codes(error=True, prompt="wigeonpool"))
    log.removeHandler(recorder)
    replay = logging.getLogger("app.replay")
    replay.addHandler(file_handler("replay.log", logging.Formatter("%(message)s %(prompt)s")))

    def again() -> None:
        for record in recorder.records:
            replay.handle(record)
            replay.log(record.levelno, record.getMessage(), extra={"prompt": "wigeonpool"})

    thread = threading.Thread(target=again)
    thread.start()
    thread.join()
