"""C64: `basicConfig(force=True)` after the set-up throws all handlers of the root logger out."""

import logging

from _common import OUT, codes, written

CASE = {
    "id": "C64",
    "group": "C",
    "kind": "both",
    "right": "The new handlers are guarded; that ours are gone is the operator's doing.",
    "sinks": ["file"],
}
SECRETS = ["hawfinchen"]


def emit() -> None:
    who = "hawfinchen"
    logging.basicConfig(force=True, filename=OUT / "basic.log", level=logging.DEBUG, format=logging.BASIC_FORMAT)
    log = logging.getLogger("app.basic")
    log.info("about %s", "hawfinchen", extra=codes())
    logging.error(f"about {who}")
    try:
        raise ValueError("hawfinchen")
    except ValueError:
        logging.exception("failed")
    assert len(written("basic.log").splitlines()) >= 3
