"""C13: one logger for each conversation, named by the customer's words."""

import logging

from _common import codes, file_handler

CASE = {
    "id": "C13",
    "group": "C",
    "kind": "leak",
    "right": ("A logger's name is shown as far as code, a contract or a configuration proves it."),
    "min_records": 4,
}
SECRETS = ["glimmerstane", "whinchatley"]


def emit() -> None:
    # Names that stand in the code are the program's own; these come in when it runs.
    talker, talk = (text.lower() for text in ("GLIMMERSTANE", "WHINCHATLEY"))
    handler = file_handler("names.log", logging.Formatter(logging.BASIC_FORMAT))
    names = (
        f"chat.{talker}",
        f"What does {talker} cost?",
        f"app.{talker}.{talk}",
        "app\n" + talk,
    )
    for name in names:
        log = logging.getLogger(name)
        log.addHandler(handler)
        log.info("opened", extra=codes())
        log.removeHandler(handler)
    logging.getLogger("app").getChild(talk).warning("child", extra=codes(warning=True))
    handler.close()
