"""B20: a LoggerAdapter throws the call's own extra away; stacked ones with `extra=None` raise."""

import logging

from _common import EVENT, codes

CASE = {
    "id": "B20",
    "group": "B",
    "kind": "robust",
    "source": [
        "python/cpython#76913",
        "python/cpython#138162",
        "python/cpython PR 115325",
        "python/cpython PR 3551",
    ],
    "right": (
        "With the package's adapter/context helper both the bound fields and the call's event "
        "arrive; stacking, extra=None and stacklevel work. (Stdlib adapter: event is lost; "
        "document.)"
    ),
    "keep": [EVENT],
}
SECRETS: list[str] = []


def emit() -> None:
    base = logging.getLogger("app")
    logging.LoggerAdapter(base, {"request": 7}).info("bound", extra=codes())
    try:
        stacked = logging.LoggerAdapter(logging.LoggerAdapter(base, None), {"event": EVENT})
        stacked.info("stacked")
        logging.LoggerAdapter(base, None).info("none", extra=codes())
    except TypeError:
        base.warning("stacking failed", extra=codes(warning=True))
