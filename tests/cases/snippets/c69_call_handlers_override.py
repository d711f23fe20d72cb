"""C69: a Logger class overrides `callHandlers` and writes records by itself."""

import logging

from _common import OUT, codes

CASE = {
    "id": "C69",
    "group": "C",
    "kind": "leak",
    "setups": ["dict_config"],
    "right": "With `strict` the record is sealed before `callHandlers`.",
    "min_records": 1,
}
SECRETS = ["jaybirdley"]


def emit() -> None:
    found: list[str] = []

    class Own(logging.Logger):
        def callHandlers(self, record: logging.LogRecord) -> None:
            found.append(f"{record.getMessage()} {record.__dict__}")
            super().callHandlers(record)

    log = Own("app.own", logging.DEBUG)
    log.parent = logging.getLogger()
    log.info("about %s", "jaybirdley", extra=codes(prompt="jaybirdley"))
    (OUT / "own.txt").write_text("\n".join(found), encoding="utf-8")
    assert len(found) == 1
