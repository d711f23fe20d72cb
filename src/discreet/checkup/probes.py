"""The doctor's own records, each with a canary, and what catches them before anything is written.

Nothing of another package is called with a canary: what would be handed to it is looked at instead.
"""

from __future__ import annotations

import logging
import sys
import traceback
from collections.abc import Callable, Iterable, Mapping
from contextlib import nullcontext
from typing import Any, Final, NamedTuple

from discreet.canary import found_in, make
from discreet.checkup.owners import attributes
from discreet.export.ledger import PROBES
from discreet.guard import ContentGuard
from discreet.seal.record import SealedRecord

__all__ = ["Catcher", "Outcome", "is_guard", "raised", "send", "text_of"]

Give = Callable[[logging.LogRecord], None]
_LEVEL: Final = logging.ERROR


class Outcome(NamedTuple):
    """What became of the canaries.

    Attributes:
        sent: the forms that were sent.
        came_out: those in which a canary was found.
        failed: whether something raised on the way.
    """

    sent: tuple[str, ...]
    came_out: tuple[str, ...]
    failed: bool = False


def is_guard(one: object) -> bool:
    """Tell whether a filter is one of our guards, and works as such.

    Args:
        one: the filter.
    """
    return type(one) is ContentGuard and "filter" not in attributes(one)


class Catcher(logging.Handler):
    """Stands in for a handler: has its formatter and its guards, and keeps what the handler would get.

    It is nobody's handler, takes no lock and is not registered, so that it can be thrown away.

    Args:
        handler: the handler that it stands in for.
    """

    def __init__(self, handler: object = None) -> None:
        found = attributes(handler)
        self.filters = [one for one in found.get("filters") or () if is_guard(one)]
        self.formatter = found.get("formatter")
        self.level = logging.NOTSET
        # Nobody else has this handler. From 3.13 on logging enters the lock by itself.
        self.lock: Any = nullcontext()
        self.caught: list[logging.LogRecord] = []

    def filter(self, record: logging.LogRecord) -> Any:
        """Ask the guards alone: other filters are code of others."""
        for guard in self.filters:
            kept = guard.filter(record)  # type: ignore[union-attr]  # only guards are among them
            if not kept:
                return False
            if isinstance(kept, logging.LogRecord):
                record = kept
        return record

    def acquire(self) -> None:
        """Take no lock."""

    def release(self) -> None:
        """Give no lock back."""

    def emit(self, record: logging.LogRecord) -> None:
        """Keep the record."""
        self.caught.append(record)


class _Direct:
    """Makes records past logging's own functions, where somebody has put a hook on those."""

    def __init__(self, give: Give) -> None:
        self._give = give

    def exception(self, msg: object) -> None:
        self.error(msg, exc_info=sys.exc_info())

    def error(self, msg: object, *args: object, exc_info: Any = None, extra: Mapping[str, Any] | None = None) -> None:
        frame = sys._getframe(1)  # noqa: SLF001  # the call's own place, as logging finds it
        code = frame.f_code
        record = object.__new__(logging.LogRecord)
        vars(record).update(vars(_blank()))
        vars(record).update(
            name=PROBES,
            levelno=_LEVEL,
            levelname="ERROR",
            msg=msg,
            args=args,
            exc_info=exc_info,
            pathname=code.co_filename,
            funcName=code.co_name,
            lineno=frame.f_lineno,
            **(extra or {}),
        )
        self._give(record)


class _Logger(logging.Logger):
    """A logger that is in no tree: what is logged on it is given to the route that is looked at."""

    def __init__(self, give: Give) -> None:
        super().__init__(PROBES)
        self._give = give

    def isEnabledFor(self, level: int) -> bool:  # noqa: N802 - logging's name
        """Take every level, also while logging is disabled."""
        return True

    def handle(self, record: logging.LogRecord) -> None:
        """Give a record to the route."""
        self._give(record)


def _blank() -> logging.LogRecord:
    return logging.LogRecord(PROBES, _LEVEL, "", 0, "", (), None)


def _message(log: Any, canary: str) -> None:
    log.error(f"No answer to {canary} was found")  # noqa: G004  # one of the forms


def _argument(log: Any, canary: str) -> None:
    log.error("No answer to %s was found", canary)


def _extra(log: Any, canary: str) -> None:
    log.error("No answer was found", extra={"question": canary})


def _exception(log: Any, canary: str) -> None:
    try:
        raise raised(LookupError(canary))
    except LookupError:
        log.exception("Failed")


def _cause(log: Any, canary: str) -> None:
    try:
        raise raised(RuntimeError("no answer"), LookupError(canary))
    except RuntimeError:
        log.exception("Failed")


def _bad_format(log: Any, canary: str) -> None:
    log.error("No answer to %s in %d ms", canary)  # noqa: PLE1206  # one of the forms


_FORMS: Final[Mapping[str, Callable[[Any, str], None]]] = {
    "message": _message,
    "argument": _argument,
    "extra": _extra,
    "exception": _exception,
    "cause": _cause,
    "bad format": _bad_format,
}


def raised(error: BaseException, cause: BaseException | None = None) -> BaseException:
    """Return an exception with a cause.

    Args:
        error: the exception.
        cause: what it is raised from.
    """
    error.__cause__ = cause
    return error


def send(give: Give, caught: Callable[[], Iterable[str]], *, hooked: bool) -> Outcome:
    """Send a canary in every form that a record can have.

    Args:
        give: takes each record to the route.
        caught: returns the texts that came out since it was called last.
        hooked: whether somebody has put hooks on what makes records, which must not see a canary.
    """
    log: Any = _Direct(give) if hooked else _Logger(give)
    came_out: list[str] = []
    failed = False
    for form, call in _FORMS.items():
        canary = make()
        try:
            call(log, canary)
        except Exception:  # whatever it is: it's told as a route that can't be seen
            failed = True
        if any(found_in(text, canary) for text in caught()):
            came_out.append(form)
    return Outcome(tuple(_FORMS), tuple(came_out), failed)


def text_of(record: logging.LogRecord) -> str:
    """Return all that can be read of a record.

    Args:
        record: one of the doctor's own, or a sealed copy of it.
    """
    found = [str(value) for key, value in vars(record).items() if key != "exc_info"]
    msg, args, exc_info = record.msg, record.args, record.exc_info
    if args:
        try:
            found.append(str(msg) % args)
        except (TypeError, ValueError):
            # A bad format is one of the forms: its parts are looked at one by one.
            found.append(str(msg))
    if type(record) is SealedRecord:
        found += [str(value) for value in record.extras.values()]
    if type(exc_info) is tuple and exc_info[1] is not None:
        found.append("".join(traceback.format_exception(exc_info[1])))
    return "\n".join(found)
