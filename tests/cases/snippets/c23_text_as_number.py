"""C23: a text as a number: one integer can hold all of it, and a float the start."""

import logging

from _common import codes

TEXT = b"dunnockshire"
NUMBER = int.from_bytes(TEXT, "big")
CASE = {
    "id": "C23",
    "group": "C",
    "kind": "leak",
    "right": ("Only short integers are numbers; long ones need a declaration with a closed type."),
    "min_records": 4,
}
SECRETS = [str(NUMBER), f"{NUMBER:x}", f"{NUMBER:o}", "19840309", "4929123412341234"]


def emit() -> None:
    log = logging.getLogger("app.number")
    born, card = 19840309, 4929123412341234
    log.info("key %d %x %o", NUMBER, NUMBER, NUMBER, extra=codes())
    log.info(f"key {NUMBER:d} {NUMBER:x} {NUMBER} {NUMBER:o} {born} {born:d} {int(card)}")
    log.info("born %d, card %s", born, card, extra=codes(born=born, n=NUMBER))
    log.info("born %(b)s, card %(c)i", {"b": born, "c": card}, extra=codes(duration_ms=NUMBER))
    log.info(NUMBER)
    log.info("keys %s", [NUMBER, born, card])
