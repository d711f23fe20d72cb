"""The choke point: every handler of the process gets a sealed copy between its filters and its ``emit``."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from types import CodeType
from typing import Any, Final

from discreet.doors import close_doors, open_doors
from discreet.export.ledger import LEDGER
from discreet.forks import ForkSafeLock
from discreet.seal.classes import shown_class
from discreet.seal.foreign import record_for
from discreet.seal.names import forget_loggers, remember_loggers
from discreet.seal.record import CODES, SealedRecord
from discreet.seal.sealing import seal

__all__ = ["install", "installed", "uninstall"]

_ORIGINAL: Final = "__discreet_original__"
_LOGGING_FILE: Final = logging.LogRecord.getMessage.__code__.co_filename
_EXEMPT_MODULES: Final = frozenset({"_pytest.logging"})

_lock = ForkSafeLock()
_state: dict[str, Any] = {}


def installed() -> bool:
    """Tell whether the guard is installed in this process.

    .. versionadded:: 0.1.0
    """
    return bool(_state)


def install(*, strict: bool = False, guard_pytest: bool = False, streams: bool = False) -> None:
    """Guard every handler of this process, also those that are added later.

    Each handler's own filters still see the original record; what its ``emit`` gets is a sealed copy. The original is
    never changed. Calling it again only adds what is new.

    Args:
        strict: seal already in ``Logger.handle``, for tools that hook ``callHandlers`` and read records before any
            handler does. It costs the filters that look at arguments: they see the sealed ones.
        guard_pytest: guard pytest's capturing handlers too (``pytest --discreet``).
        streams: turn lines that are written to ``sys.stdout`` and ``sys.stderr`` past logging into sealed records.

    .. versionadded:: 0.1.0
    """
    with _lock:
        remember_loggers()
        _state["guard_pytest"] = bool(_state.get("guard_pytest")) or guard_pytest
        if "handle" not in _state:
            _state["handle"] = logging.Handler.handle
            logging.Handler.handle = _as_logging(_guarded_handle, "handle", logging.Handler.handle)  # type: ignore[method-assign]
            _state["format"] = logging.Handler.format
            logging.Handler.format = _as_logging(_guarded_format, "format", logging.Handler.format)  # type: ignore[method-assign]
            _state["handleError"] = logging.Handler.handleError
            logging.Handler.handleError = _quiet_error  # type: ignore[method-assign]
            _state["addHandler"] = logging.Logger.addHandler
            logging.Logger.addHandler = _adding(logging.Logger.addHandler)  # type: ignore[method-assign]
            # Covers classes that are defined later and reach a logger by other ways than addHandler.
            logging.Handler.__init_subclass__ = classmethod(_covering_subclass)  # type: ignore[assignment]
            for cls in _subclasses(logging.Handler):
                _cover(cls)
        if "process" not in _state:
            _state["process"] = logging.LoggerAdapter.process
            logging.LoggerAdapter.process = _keeping_codes(logging.LoggerAdapter.process)  # type: ignore[method-assign]
        if strict and "Logger.handle" not in _state:
            _state["Logger.handle"] = logging.Logger.handle
            logging.Logger.handle = _as_logging(_strict_handle, "handle", logging.Logger.handle)  # type: ignore[method-assign]
        open_doors(streams=streams)


def uninstall() -> None:
    """Undo :func:`install`: every patched method is as it was, unless somebody patched it again meanwhile.

    .. versionadded:: 0.1.0
    """
    with _lock:
        close_doors()
        if not _state:
            return
        classes: list[type[logging.Handler]] = [logging.Handler, *_subclasses(logging.Handler)]
        for cls in classes:
            original = getattr(vars(cls).get("handle"), _ORIGINAL, None)
            if original is not None:
                cls.handle = original  # type: ignore[method-assign]
        if hasattr(logging.Handler.format, _ORIGINAL):
            logging.Handler.format = _state["format"]  # type: ignore[method-assign]
        if logging.Handler.handleError is _quiet_error:
            logging.Handler.handleError = _state["handleError"]  # type: ignore[method-assign]
        if hasattr(logging.Logger.addHandler, _ORIGINAL):
            logging.Logger.addHandler = _state["addHandler"]  # type: ignore[method-assign]
        if hasattr(logging.LoggerAdapter.process, _ORIGINAL):
            logging.LoggerAdapter.process = _state["process"]  # type: ignore[method-assign]
        if "__init_subclass__" in vars(logging.Handler):
            del logging.Handler.__init_subclass__
        if hasattr(logging.Logger.handle, _ORIGINAL):
            logging.Logger.handle = getattr(logging.Logger.handle, _ORIGINAL)  # type: ignore[method-assign]
        _state.clear()
        forget_loggers()


def exempt(handler: logging.Handler) -> bool:
    """Tell whether a handler may see originals: pytest's capturing handlers, whose reports are the developer's own."""
    return type(handler).__module__ in _EXEMPT_MODULES and not _state.get("guard_pytest")


def _guarded_handle(self: logging.Handler, record: logging.LogRecord) -> Any:
    # The same steps as logging.Handler.handle, with the sealed copy between filter and emit.
    rv = self.filter(record)
    if isinstance(rv, logging.LogRecord):
        record = rv
    if rv:
        if not exempt(self):
            record = record_for(self, record)
        self.acquire()
        try:
            self.emit(record)
        finally:
            self.release()
    return rv


def _guarded_format(self: logging.Handler, record: logging.LogRecord) -> str:
    # The second net, for code that calls a handler's emit() itself, past its handle().
    if type(record) is not SealedRecord and not exempt(self):
        record = record_for(self, record)
    formatted: str = getattr(_guarded_format, _ORIGINAL)(self, record)
    return formatted


def _strict_handle(self: logging.Logger, record: logging.LogRecord) -> Any:
    if type(record) is not SealedRecord:
        record = record_for(None, record)
    return getattr(_strict_handle, _ORIGINAL)(self, record)


def _overriding_handle(original: Callable[..., Any]) -> Callable[..., Any]:
    def handle(self: logging.Handler, record: logging.LogRecord) -> Any:
        if not exempt(self):
            record = record_for(self, record)
        return original(self, record)

    return handle


def _as_logging(function: Callable[..., Any], name: str, original: Callable[..., Any]) -> Callable[..., Any]:
    # Code that walks frames to find the caller (loguru's InterceptHandler) stops at the first file that is not
    # logging's; the wrapper therefore says that it is logging's.
    function.__code__ = function.__code__.replace(
        co_filename=_LOGGING_FILE, co_name=name, co_firstlineno=_first_line(original)
    )
    setattr(function, _ORIGINAL, original)
    return function


def _first_line(original: Callable[..., Any]) -> int:
    code = getattr(original, "__code__", None)
    return code.co_firstlineno if isinstance(code, CodeType) else 1


def _cover(cls: type[logging.Handler]) -> None:
    handle = vars(cls).get("handle")
    if (
        handle is None
        or cls is logging.NullHandler
        or not callable(handle)
        or hasattr(handle, _ORIGINAL)
        or getattr(handle, "__discreet_seals__", False)
    ):
        return
    cls.handle = _as_logging(_overriding_handle(handle), "handle", handle)  # type: ignore[method-assign]


def _covering_subclass(cls: type[logging.Handler], /, **kwargs: Any) -> None:
    super(logging.Handler, cls).__init_subclass__(**kwargs)
    _cover(cls)


def _adding(original: Callable[..., Any]) -> Callable[..., Any]:
    def addHandler(self: logging.Logger, hdlr: logging.Handler) -> Any:
        for cls in type(hdlr).__mro__:
            if cls is logging.Handler:
                break
            _cover(cls)
        return original(self, hdlr)

    setattr(addHandler, _ORIGINAL, original)
    return addHandler


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

    setattr(process, _ORIGINAL, original)
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
