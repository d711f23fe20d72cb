"""C12: threads, processes and tasks are named after what they work on."""

import asyncio
import logging
import multiprocessing
import threading

from _common import codes, file_handler, written

CASE = {
    "id": "C12",
    "group": "C",
    "kind": "both",
    "right": ("Names of threads, processes and tasks are text like any other; formats that name them still work."),
    "min_records": 3,
}
SECRETS = ["sedgeworth", "pikestaffe", "moorhenley"]
FORMAT = "%(threadName)s|%(processName)s|%(message)s"


def emit() -> None:
    log = logging.getLogger("app.names")
    handler = file_handler("names.log", logging.Formatter(FORMAT))
    log.addHandler(handler)
    process = multiprocessing.current_process()
    old, process.name = process.name, "worker for pikestaffe"

    def work() -> None:
        log.info("in a thread", extra=codes())

    async def main() -> None:
        asyncio.current_task().set_name("ask moorhenley")
        log.info("in a task", extra=codes())
        log.info("task is %s", asyncio.current_task())

    try:
        thread = threading.Thread(target=work, name="answer sedgeworth")
        thread.start()
        thread.join()
        asyncio.run(main())
    finally:
        process.name = old
        log.removeHandler(handler)
        handler.close()
    assert len(written("names.log").splitlines()) == 3
