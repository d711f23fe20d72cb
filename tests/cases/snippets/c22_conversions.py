"""C22: all the ways of the %-operator: letters by %c, cuts, widths, names, %a, and stars."""

import logging

from _common import codes

CASE = {
    "id": "C22",
    "group": "C",
    "kind": "both",
    "right": ("A conversion of text shows no text: not its first letters, nor one letter at a time."),
    "min_records": 8,
}
SECRETS = ["ꙮ", "curlewbank", "curlewb", "\\u0434\\u0436"]


def emit() -> None:
    log = logging.getLogger("app.percent")
    text = "curlewbank ꙮ"
    for letter in text:
        log.debug("%c", letter, extra=codes())
        log.debug("letter %c of %d", ord(letter), len(text))
    log.info("%(name)s and %(name).7s", {"name": text, "message": text}, extra=codes())
    log.info("%s", {"name": text})
    log.info("%-40.9s|%.*s|%*s", text, 7, text, 30, text)
    log.info("%a %r %%", "curlewbank дж", text)
    log.info("%i%% of %s", 40, text)
    log.info("%s" * 3, text, text, text)
