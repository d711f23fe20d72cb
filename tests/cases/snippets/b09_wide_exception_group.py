"""B09: a group with thousands of leaves, and one that is nested very deep."""

import logging

from _common import codes

CASE = {
    "id": "B09",
    "group": "B",
    "kind": "robust",
    "source": [
        "hynek/structlog#676",
        "elastic/ecs-logging-python PR 249",
        "python/cpython#105292",
    ],
    "right": "Leaf count reported, names bounded, line under the size limit, quick.",
    "max_line": 16_384,
    "min_records": 2,
}
SECRETS: list[str] = []


def emit() -> None:
    log = logging.getLogger("app")
    wide = ExceptionGroup("wide", [ValueError(str(i)) for i in range(10_000)])
    log.error("wide", exc_info=wide, extra=codes(error=True))
    deep = ExceptionGroup("0", [ValueError("leaf")])
    for i in range(150):
        deep = ExceptionGroup(str(i), [deep])
    log.error("deep", exc_info=deep, extra=codes(error=True))
