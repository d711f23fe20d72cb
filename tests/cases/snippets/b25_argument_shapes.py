"""B25: `record.args` of every shape; plain text that holds braces and percents."""

import logging

from _common import codes

CASE = {
    "id": "B25",
    "group": "B",
    "kind": "robust",
    "source": [
        "Freeseer/freeseer#655",
        "pymedusa/Medusa PR 2660",
        "databricks/databricks-sql-python PR 341",
        "AcademySoftwareFoundation/rez#580",
    ],
    "right": "All pass without error; text with stray % or {} and no args is not formatted.",
    "min_records": 9,
}
SECRETS: list[str] = []


def emit() -> None:
    log = logging.getLogger("app")
    log.info("no args 100% {x} %s %(y)s", extra=codes())
    log.info("%s", {"a": 1}, extra=codes())
    log.info("%(a)s", {"a": 1}, extra=codes())
    log.info("%s %s", {"a": 1}, {"b": 2}, extra=codes())
    log.info("%s", (1, 2), extra=codes())
    log.info("%s", None, extra=codes())
    log.info("%*d|%-5.2f|%r|%%|%c", 5, 3, 1.0, "q", "z", extra=codes())
    log.info("%s", {}, extra=codes())
    for args in (None, [], [1], {"a": 1}, "abc", 5):
        record = log.makeRecord("app", 20, "f.py", 1, "x", (), None, extra=codes())
        record.args = args
        log.handle(record)
    log.info("positional {} {}".format(1, 2), extra=codes())
