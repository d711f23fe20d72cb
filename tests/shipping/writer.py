"""A service of eight threads that logs and tells, record by record, what it has logged.

Arguments: what JsonHandler is given (a path, or - for standard output), the file of progress, records of each thread,
seconds between two of them. The file of progress is mapped, so that it says after a SIGKILL what was said before.
"""

from __future__ import annotations

import logging
import mmap
import os
import struct
import sys
import threading
import time
from pathlib import Path

import discreet

THREADS = 8
log = logging.getLogger("service.answers")


def work(worker: int, records: int, pause: float, progress: mmap.mmap) -> None:
    pid = os.getpid()
    for seq in range(1, records + 1):
        if seq % 100:
            log.info("Answered", extra={"pid": pid, "worker": worker, "seq": seq})
        else:
            # Longer than container runtimes leave a line whole.
            log.info(f"{'long':-<20000}", extra={"pid": pid, "worker": worker, "seq": seq})
        struct.pack_into("q", progress, 8 * worker, seq)
        time.sleep(pause)


def main(target: str, progress_file: str, records: int, pause: float) -> None:
    handle = discreet.configure(
        json=None, attributes={"pid": "count", "worker": "count", "seq": "count"}, service="answers"
    )
    sink = discreet.JsonHandler(None if target == "-" else target, service="answers", max_bytes=32_768)
    logging.getLogger().addHandler(sink)
    with Path(progress_file).open("r+b") as file, mmap.mmap(file.fileno(), 8 * THREADS) as progress:
        threads = [threading.Thread(target=work, args=(number, records, pause, progress)) for number in range(THREADS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    handle.close()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4]))
