"""B01: an extra named as an attribute of LogRecord raises KeyError in the caller."""

import logging

from _common import codes

RESERVED = [
    "name",
    "msg",
    "args",
    "message",
    "asctime",
    "module",
    "filename",
    "lineno",
    "levelname",
    "process",
    "exc_info",
    "created",
    "thread",
    "pathname",
    "funcName",
    "stack_info",
    "levelno",
    "msecs",
    "taskName",
]
CASE = {
    "id": "B01",
    "group": "B",
    "kind": "robust",
    "source": [
        "getsentry/sentry#60890",
        "madzak/python-json-logger#181",
        "josheppinette/python-logfmter#25",
        "betcode-org/flumine#667",
        "inveniosoftware/invenio-rdm-records PR 2368",
        "getsentry/snuba PR 2202",
    ],
    "right": (
        "The package's own logging call never raises for these names (renames or drops, "
        "visibly). For plain stdlib calls: document; at least no record is half-written."
    ),
    "may_raise": ["KeyError"],
}
SECRETS: list[str] = []


def fields() -> dict[str, int]:
    """Return every reserved name as a field, for an API of the package's own."""
    return dict.fromkeys(RESERVED, 1)


def emit() -> None:
    log = logging.getLogger("app")
    refused = []
    for key in RESERVED:
        try:
            log.info("x", extra=codes(**{key: 1}))
        except KeyError:
            refused.append(key)
    log.info("done", extra=codes(refused=len(refused)))
    if refused:
        raise KeyError("refused: " + ", ".join(refused))
