"""A live check from end to end: canaries that are logged for real, and the look for them where the logs end up."""

from __future__ import annotations

import gc
import logging
import re
import secrets
import sys
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import BinaryIO, Final

from discreet.canary import Finder, of_id
from discreet.declared import public
from discreet.doors import streams_guarded
from discreet.errors import InvalidInputError
from discreet.log_files import lines_of

__all__ = ["FORMS", "Search", "emit", "new_id"]

_ID: Final = re.compile(r"[0-9a-f]{16}", re.ASCII)
_BEGIN: Final = "begins"
_END: Final = "ends"
_TAIL: Final = 512

_Call = Callable[[logging.Logger, int, str], None]


class _Speaking:
    """An object whose text is a canary."""

    def __init__(self, canary: str) -> None:
        self._canary = canary

    def __str__(self) -> str:
        return self._canary

    __repr__ = __str__


class _Dying:
    """An object that fails when it dies."""

    def __init__(self, canary: str) -> None:
        self.canary = canary

    def __del__(self) -> None:
        raise LookupError(self.canary)


def _message(log: logging.Logger, level: int, canary: str) -> None:
    log.log(level, f"No answer to {canary} was found")  # noqa: G004  # one of the forms


def _whole_message(log: logging.Logger, level: int, canary: str) -> None:
    log.log(level, canary)


def _argument(log: logging.Logger, level: int, canary: str) -> None:
    log.log(level, "No answer to %s was found", canary)


def _mapping(log: logging.Logger, level: int, canary: str) -> None:
    log.log(level, "No answer to %(question)s was found", {"question": canary})


def _container(log: logging.Logger, level: int, canary: str) -> None:
    log.log(level, "No answer was found in %s", [{"question": canary}])


def _object(log: logging.Logger, level: int, canary: str) -> None:
    log.log(level, "No answer to %s was found", _Speaking(canary))


def _bytes(log: logging.Logger, level: int, canary: str) -> None:
    log.log(level, "No answer to %s was found", canary.encode())


def _extra(log: logging.Logger, level: int, canary: str) -> None:
    log.log(level, "No answer was found", extra={"question": canary})


def _extra_name(log: logging.Logger, level: int, canary: str) -> None:
    log.log(level, "No answer was found", extra={canary: 1})


def _exception(log: logging.Logger, level: int, canary: str) -> None:
    try:
        _fail(LookupError(canary))
    except LookupError:
        log.log(level, "Failed", exc_info=True)


def _cause(log: logging.Logger, level: int, canary: str) -> None:
    try:
        _fail(RuntimeError("no answer"), LookupError(canary))
    except RuntimeError:
        log.log(level, "Failed", exc_info=True)


def _note(log: logging.Logger, level: int, canary: str) -> None:
    error = LookupError("no answer")
    error.add_note(canary)
    log.log(level, "Failed", exc_info=error)


def _bad_format(log: logging.Logger, level: int, canary: str) -> None:
    log.log(level, "No answer to %s in %d ms", canary)  # one value too few: one of the forms


def _logger_name(log: logging.Logger, level: int, canary: str) -> None:
    log.getChild(canary.replace(".", "")).log(level, "No answer was found")


def _thread_name(log: logging.Logger, level: int, canary: str) -> None:
    _joined(threading.Thread(target=lambda: log.log(level, "No answer was found"), name=canary))


def _thread(_log: logging.Logger, _level: int, canary: str) -> None:
    _joined(threading.Thread(target=_fail, args=(LookupError(canary),), name="canary"))


def _ignored(_log: logging.Logger, _level: int, canary: str) -> None:
    dying = _Dying(canary)
    del dying
    gc.collect()


def _warning(_log: logging.Logger, _level: int, canary: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.warn(f"No answer to {canary} was found", RuntimeWarning, stacklevel=1)


def _printed(_log: logging.Logger, _level: int, canary: str) -> None:
    sys.stdout.write(f"No answer to {canary} was found\n")
    sys.stderr.write(f"No answer to {canary} was found\n")


def _fail(error: BaseException, cause: BaseException | None = None) -> None:
    raise error from cause


def _joined(thread: threading.Thread) -> None:
    thread.start()
    thread.join()


FORMS: Final[Mapping[str, _Call]] = {
    "message": _message,
    "whole message": _whole_message,
    "argument": _argument,
    "mapping": _mapping,
    "container": _container,
    "object": _object,
    "bytes": _bytes,
    "extra": _extra,
    "name of an extra": _extra_name,
    "exception": _exception,
    "cause": _cause,
    "note": _note,
    "bad format": _bad_format,
    "logger name": _logger_name,
    "thread name": _thread_name,
    "uncaught in a thread": _thread,
    "ignored exception": _ignored,
    "warning": _warning,
    "printed line": _printed,
}
"""The ways in which a canary is sent, each with a sentence of its own.

.. versionadded:: 0.1.0
"""


def new_id() -> str:
    """Return an id that nobody has had before: 16 hexadecimal digits.

    .. versionadded:: 0.1.0
    """
    return secrets.token_hex(8)


def _checked(identifier: str) -> str:
    if not _ID.fullmatch(identifier):
        raise InvalidInputError("must be 16 hexadecimal digits, as emit prints it", param="--id")
    return identifier


def _sentences(identifier: str) -> dict[str, str]:
    return {form: of_id(f"{identifier} {form}") for form in FORMS}


def emit(identifier: str, logger: str, level: int) -> list[str]:
    """Log a canary in all forms, through whatever is configured in this process.

    What is printed is only sent where standard output and standard error are under guard: elsewhere it goes where the
    program's output goes, and nobody has said that it is safe there. A mark with the id comes before and after.

    Args:
        identifier: the canary's id, see :func:`new_id`.
        logger: the name of the logger to use.
        level: the level's number.

    Returns:
        The forms in which it was sent.

    Raises:
        InvalidInputError: the id is none.

    .. versionadded:: 0.1.0
    """
    log = logging.getLogger(logger)
    sentences = _sentences(_checked(identifier))
    _mark(log, level, identifier, _BEGIN)
    sent = [form for form in FORMS if form != "printed line" or streams_guarded()]
    for form in sent:
        FORMS[form](log, level, sentences[form])
    _mark(log, level, identifier, _END)
    return sent


def _mark(log: logging.Logger, level: int, identifier: str, what: str) -> None:
    extra = {"event": "canary_sent", "canary": identifier}
    log.log(level, "Canary %s %s", public(identifier), public(what), extra=extra)


@dataclass
class Search:
    """Looks for a canary in logs: whether it arrived, and whether it leaked.

    Args:
        identifier: the canary's id.

    Raises:
        InvalidInputError: the id is none.

    .. versionadded:: 0.1.0
    """

    identifier: str
    began: bool = False
    """Whether the first mark was found."""
    ended: bool = False
    """Whether the last mark was found, after which nothing was sent."""
    leaks: list[tuple[str, int, str]] = field(default_factory=list)
    """Log, line and form of each line that holds a piece of the canary."""
    lines: int = 0
    """How many lines were looked at."""

    def __post_init__(self) -> None:
        self._finder = Finder(_sentences(_checked(self.identifier)))
        mark = rf"{self.identifier}\W{{1,40}}({_BEGIN}|{_END})\b"
        self._marked = re.compile(mark, re.IGNORECASE)

    def look(self, name: str, stream: BinaryIO, read: Callable[[int], None] | None = None) -> Iterator[tuple[int, str]]:
        """Look through one log, and yield line and form of each leak.

        Args:
            name: what to call it.
            stream: its bytes, compressed or not.
            read: called with the number of bytes read so far.

        Raises:
            OSError: it can't be read to its end.
            EOFError: it is compressed and ends too early.
        """
        last = hit = 0
        tail = ""
        for number, line in lines_of(stream, read):
            self.lines += number != last
            last = number
            for mark in self._marked.finditer(line):
                self.began |= mark[1].lower() == _BEGIN
                self.ended |= mark[1].lower() == _END
            form = self._finder.find(line) if number != hit else None
            if form is None and tail:
                # Each line may hold too little of a sentence that goes over two.
                form = self._finder.find(f"{tail}\n{line[:_TAIL]}")
            tail = line[-_TAIL:]
            if form is not None and number != hit:
                hit, tail = number, ""
                self.leaks.append((name, number, form))
                yield number, form

    @property
    def status(self) -> int:
        """1 if it leaked, 0 if it arrived whole and clean, 2 if it didn't, so that nothing is proven."""
        return 1 if self.leaks else 0 if self.began and self.ended else 2
