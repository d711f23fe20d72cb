"""C26: formatters in the {- and $-style, which reach into arguments, exceptions and extras."""

import logging

from _common import codes, file_handler, written

CASE = {
    "id": "C26",
    "group": "C",
    "kind": "both",
    "failing_handlers": True,
    "right": "Every style works, and finds nothing that the %-style would not.",
    "min_records": 3,
}
SECRETS = ["dotterelay", "sandmartin"]


def emit() -> None:
    who = "dotterelay"
    log = logging.getLogger("app.styles")
    handlers = [
        file_handler("brace.log", logging.Formatter("{message}|{prompt!r:.20}|{name}", style="{")),
        file_handler("reach.log", logging.Formatter("{args[0]}|{exc_info[1]}", style="{")),
        file_handler("dollar.log", logging.Formatter("$message|${prompt}|$levelname", style="$")),
        file_handler("raw.log", logging.Formatter("%(msg)s|%(args)s|%(exc_info)s|%(prompt)s")),
    ]
    for handler in handlers:
        log.addHandler(handler)
    log.info("about %s", "dotterelay", extra=codes(prompt="sandmartin?"))
    try:
        raise ValueError("sandmartin")
    except ValueError:
        log.exception("about %s", "dotterelay", extra=codes(error=True, prompt="sandmartin?"))
    log.info(f"about {who} and %s", "x", extra=codes(prompt={"sandmartin": 1}))
    for handler in handlers:
        log.removeHandler(handler)
        handler.close()
    for name in ("brace.log", "dollar.log", "raw.log"):
        assert written(name).count("about ") >= 2, name
