"""What the doors say: records that are sealed from the start, and renderings of exceptions on standard error."""

from __future__ import annotations

import logging
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from inspect import CO_ASYNC_GENERATOR, CO_COROUTINE, CO_GENERATOR
from types import TracebackType
from typing import Any, Final

from opentelemetry.trace import get_current_span

from discreet.contract import Registry, active
from discreet.contract.model import RecordRow
from discreet.errors import ConfigurationError, ContractError
from discreet.events import annotate
from discreet.export.ledger import LEDGER
from discreet.forks import ForkSafeLock
from discreet.scoped import NOTICES
from discreet.seal.exceptions import ExceptionFacts, describe
from discreet.seal.names import STANDARD_LEVELS, process_name, task_name, thread_name
from discreet.seal.peek import cause, context, traceback_of
from discreet.seal.record import CODES, Sealed, sealed_record
from discreet.seal.sealed import BLANK_RECORD
from discreet.seal.sources import owner
from discreet.seal.standin import stand_in
from discreet.seal.types import Scalar

__all__ = ["has_handlers", "muted_stderr", "raw", "rendering", "send", "tell", "to_stderr", "was_handed_on"]

Stand = tuple[type[BaseException], BaseException, TracebackType | None]
_MAX_LINKS: Final = 50
_GENERATORS: Final = CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR


def send(
    logger: str,
    level: int,
    message: str,
    event: str,
    *,
    attributes: Mapping[str, Scalar] | None = None,
    row: RecordRow | None = None,
    exception: BaseException | None = None,
    facts: ExceptionFacts | None = None,
    stand: Stand | None = None,
    withheld: int = 0,
    warning_code: str | None = None,
    error_code: str | None = None,
    error_class: str | None = None,
) -> None:
    """Log a record that is made of safe parts only, past the look for its call site: it has none.

    Args:
        logger: the logger's name, a constant of ours.
        level: the level's number, one of logging's own.
        message: a text that may go out.
        event: an event of our contract, unless the row names another.
        attributes: attributes that may go out.
        row: the contract's row for a print.
        exception: the exception that the record is about.
        facts: what may be shown of it.
        stand: the stand-in for it that handlers get.
        withheld: how many values were left out of the message.
        warning_code: a declared code, unless the row has one.
        error_code: a declared code, unless the exception has one.
        error_class: who can do something about it, for an error code.
    """
    registry = active()
    target = logging.getLogger(logger)
    # A later dictConfig disables every logger that it doesn't name.
    target.disabled = False
    given = {"event": event} if row is None or row.event is None else {}
    if warning_code is not None:
        given["warning_code"] = warning_code
    if error_code is not None:
        given["error_code"] = error_code
    codes = annotate(given, registry, row, exception, facts)
    if error_code is not None and error_class is not None:
        codes = codes._replace(error_class=error_class)
    made = logging.makeLogRecord({})
    context = get_current_span().get_span_context()
    sealed = Sealed.of(
        created=made.created,
        level=STANDARD_LEVELS[level],
        levelno=level,
        logger=logger,
        message=message,
        msg=message,
        **dict(zip(CODES, codes, strict=False)),
        trace_id=context.trace_id if context.is_valid else 0,
        span_id=context.span_id if context.is_valid else 0,
        attributes={**(codes.attributes or {}), **(attributes or {})},
        exception=facts,
        withheld=withheld,
    )
    sealed.add_request()
    if row is not None and NOTICES:
        # What a library prints tells of the running call as what it logs does.
        NOTICES[0](sealed)
    record = sealed_record(made.__dict__, sealed, _names(made), None)
    # As it is: who got it from a hook already, such as an error tracker, tells by identity that it is the same.
    record.exc_info = stand
    if record.made is not None:
        record.made["exc_info"] = stand
    if target.isEnabledFor(level):
        target.handle(record)


def _names(made: logging.LogRecord) -> dict[str, Any]:
    names: dict[str, Any] = {
        **BLANK_RECORD,
        "threadName": thread_name(made.threadName),
        "processName": process_name(made.processName),
    }
    if "taskName" in made.__dict__:
        names["taskName"] = task_name(made.__dict__["taskName"])
    return names


def has_handlers(logger: str) -> bool:
    """Tell whether a record of this logger would reach a handler other than that of last resort."""
    return logging.getLogger(logger).hasHandlers()


class _Handed(threading.local):
    exc: BaseException | None = None


_handed = _Handed()


def was_handed_on(exc: BaseException | None) -> bool:
    """Tell whether an exception is the stand-in that this thread hands to a hook of another tool now.

    Args:
        exc: what one of our hooks was called with.
    """
    return exc is _handed.exc


def tell(
    what: str,
    message: str,
    event: str,
    level: int | None,
    exc: BaseException | None,
    kind: type[BaseException] | None,
    traceback: TracebackType | None,
    previous: Callable[[Stand | None], None] | None = None,
    **attributes: Scalar,
) -> None:
    """Write the rendering of an exception to standard error, call the hook that was there, and log one record.

    Args:
        what: the rendering's headline.
        message: the record's message.
        event: the record's event.
        level: the record's level; None for no record.
        exc: the exception, None where Python has only its class.
        kind: its class.
        traceback: its traceback.
        previous: takes the stand-in for the exception, None if there is no exception. What it writes to standard
            error doesn't come out: hooks of other tools end in Python's own, which would render the stand-in.
        attributes: the record's attributes.
    """
    registry: Registry = active()
    facts = _facts(exc, kind, traceback, registry)
    to_stderr(rendering(what, facts) + _own_sentence(exc))
    stand = stand_in(exc, traceback) if exc is not None else None
    try:
        if previous is not None:
            before, _handed.exc = _handed.exc, stand[1] if stand is not None else None
            try:
                with muted_stderr():
                    previous(stand)
            finally:
                _handed.exc = before
    finally:
        # Without a handler the record would come out on standard error too, by the handler of last resort.
        if level is not None and has_handlers("discreet.uncaught"):
            send(
                "discreet.uncaught",
                level,
                message,
                event,
                attributes=attributes,
                exception=exc,
                facts=facts,
                stand=stand,
            )


def _facts(
    exc: BaseException | None, kind: type[BaseException] | None, traceback: TracebackType | None, registry: Registry
) -> ExceptionFacts:
    if exc is not None:
        return describe(exc, traceback, registry)
    from discreet.seal.classes import shown_class

    shown = shown_class(kind) if kind is not None else "BaseException+"
    return ExceptionFacts(shown, chain=(shown,), codes=(None,))


def rendering(what: str, facts: ExceptionFacts) -> str:
    """Return an exception as lines for standard error: its chain with codes, then its frames, innermost last.

    Args:
        what: the headline.
        facts: what may be shown.
    """
    links = []
    for index, name in enumerate(facts.chain or (facts.type,)):
        code = facts.codes[index] if index < len(facts.codes) else None
        links.append(name if code is None else f"{name}[{code}]")
    lines = [f"--- {what} --- {' < '.join(links)}"]
    lines += [f"    {frame}" for frame in facts.frames]
    return "\n".join(lines) + "\n"


def _own_sentence(exc: BaseException | None) -> str:
    """Return the line that says what is wrong with a setting, if our own code said so; it names no value."""
    for _ in range(_MAX_LINKS):
        if exc is None:
            break
        if type(exc) is ConfigurationError or type(exc) is ContractError:
            traceback = traceback_of(exc)
            while traceback is not None and traceback.tb_next is not None:
                traceback = traceback.tb_next
            frame = traceback.tb_frame if traceback is not None else None
            # Into a generator anybody can throw what he likes.
            made = frame is not None and not frame.f_code.co_flags & _GENERATORS
            module = owner(frame.f_globals, frame.f_code) if frame is not None and made else None
            text = str(exc)
            if module is not None and module.startswith("discreet.") and text.isprintable():
                return f"{type(exc).__module__}.{type(exc).__qualname__}: {text}\n"
        behind = cause(exc)
        exc = context(exc) if behind is None else behind
    return ""


def raw(name: str) -> Any:
    """Return ``sys.stdout`` or ``sys.stderr`` itself, also while a stream of ours stands in its place.

    Args:
        name: ``stdout`` or ``stderr``.
    """
    stream = getattr(sys, name, None)
    lines = sys.modules.get("discreet.doors.line_stream")
    while lines is not None and isinstance(stream, lines.LineStream):
        stream = stream.target
    return stream


def to_stderr(text: str) -> None:
    """Write a text of ours to standard error; that nobody listens there is counted."""
    stream = raw("stderr")
    if stream is None:
        return
    try:
        stream.write(text)
        stream.flush()
    except (AttributeError, OSError, ValueError) as error:
        LEDGER.failure("stderr", error)


class _Muted:
    """Standard error for everybody but the threads that are muted now."""

    def __init__(self, target: Any) -> None:
        self.target = target
        self.threads: Counter[int] = Counter()

    def write(self, text: Any) -> Any:
        """Drop what a muted thread writes."""
        if threading.get_ident() in self.threads:
            return len(text)
        return self.target.write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.target, name)


_muting: Final = ForkSafeLock()


@contextmanager
def muted_stderr() -> Iterator[None]:
    """Keep what this thread writes to ``sys.stderr`` from coming out."""
    thread = threading.get_ident()
    with _muting:
        # One for all threads: put back in another order than set, each thread's own would stay there muted.
        muted = sys.stderr if isinstance(sys.stderr, _Muted) else _Muted(sys.stderr)
        muted.threads[thread] += 1
        stream: Any = muted
        sys.stderr = stream
    try:
        yield
    finally:
        with _muting:
            muted.threads[thread] -= 1
            if not muted.threads[thread]:
                del muted.threads[thread]
            if not muted.threads and sys.stderr is stream:
                sys.stderr = muted.target
