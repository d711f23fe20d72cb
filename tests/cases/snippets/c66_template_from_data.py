"""C66: the %-template itself comes from data: a reply, a catalogue of translations, a setting."""

import logging

from _common import codes

CASE = {
    "id": "C66",
    "group": "C",
    "kind": "leak",
    "right": ("A template is believed when it is a constant of the code at the call, not because it has arguments."),
    "min_records": 5,
}
SECRETS = ["twitebourne", "lesserpoll"]
CATALOGUE: dict[str, str] = {}


def translate(text: str) -> str:
    return CATALOGUE.get(text, text)


def emit() -> None:
    log = logging.getLogger("app.data")
    CATALOGUE["greeting %s"] = "twitebourne".lower() + " greets %s"
    reply = "lesserpoll".lower() + " scored %d"
    log.info(translate("greeting %s"), "x", extra=codes())
    log.info(reply, 7, extra=codes())
    log.info(reply % 7)
    log.info(reply.replace("%d", "%s"), reply)
    globals()["TEMPLATE"] = reply
    log.info(globals()["TEMPLATE"], 7)
    log.info(TEMPLATE, 7)  # noqa: F821 - set at run time
    log.info("%s" + reply, "x", 7)
    log.info(f"{reply}", 7)
    log.info(f"of {reply}", 7)
