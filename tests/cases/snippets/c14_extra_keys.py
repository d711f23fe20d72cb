"""C14: the keys of `extra` are made of text: a dict of answers by question is spread into it."""

import logging

from _common import codes

CASE = {
    "id": "C14",
    "group": "C",
    "kind": "leak",
    "right": ("A key that no contract declares is not shown, whatever its value; nested keys neither."),
    "min_records": 3,
}
SECRETS = ["fallowdeer", "petrelholm"]


def emit() -> None:
    log = logging.getLogger("app.keys")
    answers = {"Is fallowdeer ill?": True, "petrelholm": 4, "_fallowdeer": None}
    log.info("answered", extra=codes(**answers))
    log.info("answered %s", answers, extra=codes(n={"petrelholm": 1}))
    log.info("answered %(fallowdeer)s", {"fallowdeer": 1, "petrelholm": 2}, extra=codes())
