"""What programs say of a failure: the exception in every place of a record, at every level."""

from __future__ import annotations

import gc
import logging
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

import discreet

__all__ = ["World", "failing", "log_of", "tell"]


def tell(log: logging.Logger, error: BaseException, text: str) -> None:
    """Log an exception and the text that it is about in all the usual ways."""
    log.debug("failed: %s", error)
    log.debug("failed with %r and %s", error.args, vars(error))
    log.info(f"failed: {error} for {text!r}")
    log.info("failed", extra={"error": error, "text": text, "question": text, text: 1})
    log.warning("failed for %s: %s", text, type(error).__name__)
    log.warning("failed for " + text)
    log.error(str(error))
    log.error(error)
    log.exception("failed for %(text)s", {"text": text})
    log.critical("gave up on %s of %d", discreet.public(text), 3, exc_info=error)
    log.log(35, "group", exc_info=ExceptionGroup(text, [RuntimeError(str(error)), ValueError(text)]))
    warnings.warn(f"failed: {error}", RuntimeWarning, stacklevel=2)


class World(NamedTuple):
    """What a program gets: texts as its world spells them, the spelling, the fake server; what it starts itself."""

    texts: list[str]
    spell: Callable[[str], str]
    url: str
    addresses: list[str]


@contextmanager
def failing(log: logging.Logger, text: str) -> Iterator[None]:
    """Let a block fail, tell of it, and go on."""
    try:
        yield
    except Exception as error:
        if not any(frame == "discreet" or frame.startswith("discreet.") for frame in _modules(error)):
            tell(log, error, text)
            return
        raise SystemExit("an exception came out of the guard") from error
    finally:
        # Libraries log when an answer that was read in part is dropped: now, and not at some other time.
        gc.collect()
    log.info("%s went well", text)


def _modules(error: BaseException) -> list[str]:
    found, tb = [], error.__traceback__
    while tb is not None:
        found.append(tb.tb_frame.f_globals.get("__name__", ""))
        tb = tb.tb_next
    return found


def log_of(module: str) -> logging.Logger:
    """Return the logger of a program, with every level."""
    log = logging.getLogger(module)
    log.setLevel(1)
    return log
