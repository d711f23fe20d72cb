"""C52: a stream is logged letter by letter and word by word; CPython shares one-letter strings."""

import logging

from _common import codes

CASE = {
    "id": "C52",
    "group": "C",
    "kind": "leak",
    "right": "A short text is a text, also when the same letter is a constant nearby.",
    "min_records": 10,
}
SECRETS = ["¤", "§", "whydahs"]


def emit() -> None:
    log = logging.getLogger("app.stream")
    marks = ("¤", "§")
    for letter in "whydahs ¤§":
        log.debug(letter, extra=codes())
        log.debug(letter + "", extra=codes())
        log.debug("%s", letter)
        log.debug(f"{letter}")
        if letter not in marks:
            log.debug("x" if letter == "y" else letter)
    for word in ("whydahs", "whydahs ¤"):
        log.debug("token=" + word)
