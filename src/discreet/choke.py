"""The choke point: every handler of the process gets a sealed copy between its filters and its ``emit``."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from typing import Any

from discreet.contract.shown import listed
from discreet.covers import (
    LOGGING_FILE,
    as_logging,
    calling,
    cover_handler,
    guarded_handle,
    once,
    options,
    seals,
    uncover,
)
from discreet.doors import close_doors, open_doors
from discreet.export.ledger import LEDGER
from discreet.forks import ForkSafeLock
from discreet.match_mode import checked, set_match, warn_of_match_mode
from discreet.seal.classes import shown_class
from discreet.seal.names import remember_loggers
from discreet.seal.record import CODES
from discreet.seal.sealing import _pending, seal

__all__ = ["install", "installed", "is_strict", "ours", "relax", "uninstall"]

_lock = ForkSafeLock()
_state: dict[tuple[type, str], tuple[Any, Any]] = {}


def installed() -> bool:
    """Tell whether the guard is installed in this process.

    .. versionadded:: 0.1.0
    """
    return bool(_state)


def is_strict() -> bool:
    """Tell whether the guard of this process is installed and strict."""
    return (logging.Logger, "handle") in _state


def ours(owner: type, name: str) -> object:
    """Return what the guard put in the place of a method of logging's; None if it isn't installed.

    Args:
        owner: the class.
        name: the method.
    """
    found = _state.get((owner, name))
    return None if found is None else found[1]


def install(
    *,
    strict: bool = False,
    guard_pytest: bool = False,
    streams: bool = False,
    match: Iterable[str] | None = None,
) -> None:
    """Guard every handler of this process, also those that are added later.

    Each handler's own filters still see the original record; what its ``emit`` gets is a sealed copy. The original is
    never changed. Calling it again only adds what is new.

    Args:
        strict: seal already after the logger's own filters, for tools that hook ``callHandlers`` and read records
            before any handler does. It costs the handlers' filters that look at arguments: they see the sealed ones.
        guard_pytest: guard pytest's capturing handlers too (``pytest --discreet``).
        streams: turn lines that are written to ``sys.stdout`` and ``sys.stderr`` past logging into sealed records.
        match: loggers that, with all below them, let strings through unless the matcher finds a text of the running
            call in them, in place of those that an earlier call named. It is no guard.

    Raises:
        ConfigurationError: there is no match mode for a logger; nothing was changed then.

    .. versionadded:: 0.1.0
    """
    matching = None if match is None else checked(listed(match, "match"))
    with _lock:
        if matching is not None:
            set_match("install", matching)
            if matching and warn_of_match_mode not in _pending:
                # Within a dictConfig there is no handler yet that could take the record.
                _pending.append(warn_of_match_mode)
        remember_loggers()
        options["guard_pytest"] = options.get("guard_pytest", False) or guard_pytest
        if not _state:
            _patch(logging.Handler, "handle", guarded_handle)
            _patch(logging.Handler, "format", partial(once, name="format"))
            _patch(logging.Handler, "handleError", lambda _: _quiet_error)
            _patch(logging.Logger, "addHandler", _adding)
            _patch(logging.LoggerAdapter, "process", _keeping_codes)
            # Covers classes that are defined later and reach a logger by other ways than addHandler.
            logging.Handler.__init_subclass__ = classmethod(_covering_subclass)  # type: ignore[assignment]
        for handler in (*_subclasses(logging.Handler), *_present()):
            cover_handler(handler)
        if strict and (logging.Logger, "handle") not in _state:
            _patch(logging.Logger, "handle", _strict_handle)
        open_doors(streams=streams)


def relax() -> None:
    """Undo what ``strict=True`` did, unless somebody patched it again meanwhile; the rest of the guard stays.

    .. versionadded:: 0.1.0
    """
    with _lock:
        known = _state.get((logging.Logger, "handle"))
        if known is not None and vars(logging.Logger).get("handle") is known[1]:
            logging.Logger.handle = known[0]  # type: ignore[method-assign]  # what stood there before
            del _state[logging.Logger, "handle"]


def uninstall() -> None:
    """Undo :func:`install`: every patched method is as it was, unless somebody patched it again meanwhile.

    .. versionadded:: 0.1.0
    """
    with _lock:
        set_match("install", ())
        with suppress(ValueError):
            # Where nothing was logged meanwhile it is still to be said, and would be of what comes next.
            _pending.remove(warn_of_match_mode)
        close_doors()
        if not _state:
            return
        uncover()
        for (owner, name), (original, ours) in _state.items():
            if vars(owner).get(name) is ours:
                setattr(owner, name, original)
        if "__init_subclass__" in vars(logging.Handler):
            del logging.Handler.__init_subclass__
        _state.clear()
        options.clear()


def _patch(owner: type, name: str, make: Callable[[Any], Any]) -> None:
    # Made anew each time, around what stands there now: that may be somebody's who holds ours of an earlier install.
    original = vars(owner)[name]
    ours = make(original)
    _state[owner, name] = (original, ours)
    setattr(owner, name, ours)


def _strict_handle(original: Callable[..., Any]) -> Callable[..., Any]:
    """Return Logger.handle with a sealed record from callHandlers on, after the logger's own filters."""

    def handle(self: logging.Logger, record: logging.LogRecord) -> Any:
        if self.disabled:
            return
        kept = self.filter(record)
        if not kept:
            return
        record, stand = seals(None, kept if isinstance(kept, logging.LogRecord) else record)
        if stand is None:
            self.callHandlers(record)
        else:
            calling(self.callHandlers, stand, record)

    def around(self: logging.Logger, record: logging.LogRecord) -> Any:
        # Somebody else has been here before: whatever he does is done, with a sealed record.
        record, _ = seals(None, record)
        return original(self, record)

    code = getattr(original, "__code__", None)
    plain = code is not None and code.co_filename == LOGGING_FILE
    return as_logging(handle if plain else around, "handle", original)  # type: ignore[no-any-return]


def _covering_subclass(cls: type[logging.Handler], /, **kwargs: Any) -> None:
    super(logging.Handler, cls).__init_subclass__(**kwargs)
    cover_handler(cls)


def _adding(original: Callable[..., Any]) -> Callable[..., Any]:
    def addHandler(self: logging.Logger, hdlr: logging.Handler) -> Any:
        cover_handler(hdlr)
        return original(self, hdlr)

    return addHandler


def _present() -> list[Any]:
    """Return all handlers that there are, also those that are none of logging's classes."""
    found = [reference() for reference in list(logging._handlerList)]  # type: ignore[attr-defined]  # noqa: SLF001 -- no other list
    loggers = [logging.root, *logging.root.manager.loggerDict.copy().values()]
    for logger in loggers:
        found.extend(getattr(logger, "handlers", ()))
    return [handler for handler in found if handler is not None]


def _keeping_codes(original: Callable[..., Any]) -> Callable[..., Any]:
    """Let a call's event and codes through an adapter, which puts its own `extra` in place of the call's."""

    def process(self: Any, msg: Any, kwargs: Any) -> Any:
        called_with = kwargs.get("extra") if type(kwargs) is dict else None
        msg, kwargs = original(self, msg, kwargs)
        if type(called_with) is dict and type(kwargs) is dict:
            extra = kwargs.get("extra")
            if extra is None or type(extra) is dict:
                lost = {name: called_with[name] for name in CODES if name in called_with and name not in (extra or ())}
                if lost:
                    kwargs["extra"] = {**(extra or {}), **lost}
        return msg, kwargs

    return process


def _subclasses(cls: type[logging.Handler]) -> list[type[logging.Handler]]:
    found: list[type[logging.Handler]] = []
    pending = [cls]
    while pending:
        for sub in type.__subclasses__(pending.pop()):
            if sub not in found:
                found.append(sub)
                pending.append(sub)
    return found


def _quiet_error(self: logging.Handler, record: logging.LogRecord) -> None:
    """Say that a handler failed, without what logging prints: the exception's text, source lines, message, args."""
    error = sys.exc_info()[1]
    handler = shown_class(type(self))
    LEDGER.sink(f"handler {handler}").count_missing("handler_failed")
    if error is not None:
        LEDGER.failure(f"handler {handler}", error)
    if logging.raiseExceptions and sys.stderr:
        what = shown_class(type(error)) if error is not None else "no exception"
        try:
            sys.stderr.write(f"--- Logging error --- {handler} failed with {what} on logger {seal(record).logger}\n")
        except Exception as failed:
            # Nobody listens on stderr, whatever stands there as a stream: only the ledger is left.
            LEDGER.failure("stderr", failed)
