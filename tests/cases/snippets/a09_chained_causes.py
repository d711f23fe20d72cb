"""A09: the error that is raised is clean; the text is two causes down, explicit and implicit."""

import logging

from _common import codes

CASE = {
    "id": "A09",
    "group": "A",
    "kind": "leak",
    "source": [
        "cdelmonte-zg/nanoidp PR 353",
        "pocketpaw/pocketpaw PR 2093",
        "getsentry/sentry-python#1986",
        "open-webui/open-webui#25767",
    ],
    "right": "Whole chain reduced to type names (order kept), no message from any link.",
    "keep_any": ["RuntimeError"],
}
SECRETS = ["ambercroft", "duskrelay", "hexwillow"]


def _step() -> None:
    try:
        try:
            raise KeyError("ambercroft's prompt")
        except KeyError:
            raise ValueError("duskrelay could not be scored")  # noqa: B904 - an implicit context
    except ValueError as exc:
        raise RuntimeError("pipeline step failed") from exc


def emit() -> None:
    log = logging.getLogger("app")
    try:
        _step()
    except RuntimeError as exc:
        exc.__cause__.__cause__ = LookupError("hexwillow")
        log.exception("step failed", extra=codes(error=True))
        log.error("step failed", exc_info=exc, extra=codes(error=True))
