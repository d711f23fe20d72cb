"""B12: Python 3.12 added `record.taskName`: comparing with a fixed list makes it an extra."""

import asyncio
import logging

from _common import codes

CASE = {
    "id": "B12",
    "group": "B",
    "kind": "robust",
    "source": [
        "madzak/python-json-logger PR 183",
        "marselester/json-log-formatter PR 37",
        "c2siorg/dataloom PR 414",
        "josheppinette/python-logfmter PR 13",
        "vklochan/python-logstash PR 112",
    ],
    "right": (
        "Same set of JSON keys on 3.10-3.14, in and out of a task; future LogRecord attributes "
        "do not leak either (allow-list, not a diff)."
    ),
}
SECRETS: list[str] = []


def emit() -> None:
    log = logging.getLogger("app")
    log.info("sync", extra=codes())

    async def main() -> None:
        log.info("async", extra=codes())

    asyncio.run(main())
    fields = {"name": "app", "levelno": 20, "levelname": "INFO", "msg": "future"}
    log.handle(logging.makeLogRecord({**fields, "someNewAttribute": "x", **codes()}))
