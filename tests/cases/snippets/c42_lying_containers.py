"""C42: arguments in mappings and sequences whose methods lie or speak."""

import logging
from typing import Any

from _common import codes

CASE = {
    "id": "C42",
    "group": "C",
    "kind": "both",
    "right": ("A container of a class of its own is a value like any: not asked, not walked, not copied."),
    "min_records": 5,
}
SECRETS = ["smewbridge"]


class Lying(dict):
    def __getitem__(self, key: Any) -> str:
        return f"smewbridge {key}"

    def __missing__(self, key: Any) -> str:
        return "smewbridge"

    def get(self, key: Any, default: Any = None) -> str:
        return "smewbridge"

    def __repr__(self) -> str:
        return "smewbridge"

    def __iter__(self) -> Any:
        return iter(["smewbridge"])


class Row(tuple):
    __slots__ = ()

    def __iter__(self) -> Any:
        return iter(("smewbridge",) * 2)

    def __getitem__(self, key: Any) -> Any:
        return "smewbridge"


class Page(list):
    def __len__(self) -> int:
        return 3

    def __repr__(self) -> str:
        return "smewbridge"


def emit() -> None:
    log = logging.getLogger("app.lying")
    log.info("%(question)s", Lying(question=1), extra=codes())
    log.info("%s", Lying(question=1), extra=codes(n=Lying(), model=Page(["x"])))
    log.info("%s of %s", Row(("a", "b")), Page(["smewbridge"]), extra=codes())
    record = log.makeRecord("app.lying", 20, "f.py", 1, "%s of %s", (), None)
    record.args = Row((1, 2))
    log.handle(record)
    record = log.makeRecord("app.lying", 20, "f.py", 1, "%(a)s of", (), None)
    record.args = Lying(a=1)
    log.handle(record)
