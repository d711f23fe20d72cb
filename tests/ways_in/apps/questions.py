"""What a script logs about its customers' texts: every usual way, a handler of its own, a content logger."""

from __future__ import annotations

import logging
import sys

log = logging.getLogger(__name__)
content = logging.getLogger("verbatim_core.content")


def run(question: str, answer: str) -> None:
    """Log both texts in each of the usual ways."""
    plain = logging.StreamHandler(sys.stderr)
    plain.setFormatter(logging.Formatter("%(name)s: %(message)s for %(customer)s", defaults={"customer": "nobody"}))
    log.addHandler(plain)
    log.debug("Opened %d shelves in %.1f ms", 3, 12.5)
    log.info("Asked %s after %d tries", question, 2)
    log.info(f"Asked {question} after {1 + 1} tries")
    log.info("Asked " + question)
    log.info(question)
    log.info("Counted", extra={"customer": question})
    try:
        try:
            raise KeyError(question)
        except KeyError as error:
            raise ValueError(f"no answer like {answer}") from error
    except ValueError as error:
        error.add_note(question)
        log.exception("Failed for %s", question)
    for level in (logging.DEBUG, logging.INFO):
        content.log(level, "Question: %s", question)
