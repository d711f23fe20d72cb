"""C39: text with lone surrogates in every place, also in files that can only hold UTF-8."""

import logging

from _common import OUT, codes

CASE = {
    "id": "C39",
    "group": "C",
    "kind": "both",
    "right": ("Withheld like other text; no handler fails over what is left, and every line is UTF-8."),
    "min_records": 5,
}
SECRETS = ["grebeholt"]


def emit() -> None:
    log = logging.getLogger("app.surrogate")
    handler = logging.FileHandler(OUT / "strict.log", encoding="utf-8")
    log.addHandler(handler)
    text = "grebeholt \udc80\ud83d"
    log.info("about %s", text, extra=codes(model=text))
    log.info(f"about {text}")
    log.info(text, extra=codes())
    log.info("x", extra=codes(**{text: 1}))
    log.info("about %s", "grebeholt", extra={"event": text, "warning_code": text})
    logging.getLogger("app." + text).info("named")
    try:
        raise type("E\ud800", (ValueError,), {})(text)
    except ValueError:
        log.exception("failed", extra=codes(error=True))
    log.removeHandler(handler)
    handler.close()
