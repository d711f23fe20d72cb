"""What takes the place of handlers' own methods while the guard is installed: the same with a sealed record."""

from __future__ import annotations

import logging
import logging.handlers
import weakref
from collections.abc import Callable
from pathlib import Path
from sys import exception
from types import CodeType, FunctionType
from typing import Any, Final

from discreet.export.ledger import LEDGER
from discreet.seal.foreign import BLANK, STARVED, failed, record_for
from discreet.seal.peek import traceback_of
from discreet.seal.record import SealedRecord
from discreet.seal.standin import is_stand_in, stand_in

__all__ = [
    "LOGGING_FILE",
    "as_logging",
    "calling",
    "cover_handler",
    "exempt",
    "guarded_handle",
    "is_cover",
    "is_our_own",
    "once",
    "options",
    "seals",
    "uncover",
]

LOGGING_FILE: Final = logging.LogRecord.getMessage.__code__.co_filename
_OUR_FILES: Final = str(Path(__file__).parent)
_EXEMPT_MODULES: Final = frozenset({"_pytest.logging"})
_NAMES: Final = ("handle", "emit", "format")
_LEFT: Final = frozenset({object, logging.Handler, logging.Filterer, logging.NullHandler})
_FORMATTING: Final = frozenset(
    {
        logging.StreamHandler,
        logging.FileHandler,
        logging.handlers.BaseRotatingHandler,
        logging.handlers.WatchedFileHandler,
        logging.handlers.BufferingHandler,
    }
)
"""Classes whose `emit` reads nothing of a record but by `format`, or hands it to another handler."""
_TWO: Final = 2
_VARIADIC: Final = 0x04 | 0x08

options: Final[dict[str, bool]] = {}
_covers: Final[weakref.WeakSet[Any]] = weakref.WeakSet()
_covered: Final[list[tuple[Callable[[], Any], str, Any, Any]]] = []


def exempt(handler: object) -> bool:
    """Tell whether a handler may see originals: pytest's capturing handlers, whose reports are the developer's own."""
    return type(handler).__module__ in _EXEMPT_MODULES and not options.get("guard_pytest")


def as_logging(function: Any, name: str, original: object) -> Any:
    """Let a function say that it is logging's.

    Code that walks frames to find the caller (loguru's InterceptHandler) stops at the first file that is not logging's.

    Args:
        function: the function.
        name: its name in logging.
        original: what it takes the place of.
    """
    code = getattr(original, "__code__", None)
    line = code.co_firstlineno if isinstance(code, CodeType) else 1
    function.__code__ = function.__code__.replace(co_filename=LOGGING_FILE, co_name=name, co_firstlineno=line)
    return function


def calling(call: Callable[..., Any], stand: BaseException, *args: Any, **kwargs: Any) -> Any:
    """Call something with a stand-in as the exception that is being handled, as `sys.exc_info()` tells it."""
    traceback, context = stand.__traceback__, stand.__context__
    try:
        raise stand  # noqa: TRY301 -- to be handled is what it is raised for
    except BaseException:
        # To raise it hung the running exception and this frame on it.
        stand.__traceback__ = traceback
        stand.__context__ = context
        return call(*args, **kwargs)


as_logging(calling, "handle", None)


def seals(handler: logging.Handler | None, given: logging.LogRecord) -> tuple[logging.LogRecord, BaseException | None]:
    """Return what a handler gets, and what stands for the exception being handled. Never raises.

    Args:
        handler: the handler; one that may see originals gets the record itself.
        given: the record.
    """
    try:
        if handler is not None and exempt(handler):
            return given, None
        record = record_for(handler, given)
        if exception() is None or type(record) is not SealedRecord or record.made is None:
            return record, None
        return record, _stand(given, record)
    except (RecursionError, MemoryError):
        # Near the limit of the stack or of memory: nothing more of ours is called, not even to count.
        failures = LEDGER._failures  # noqa: SLF001 -- its method needs more of the stack
        failures[STARVED] = failures.get(STARVED, 0) + 1
        return BLANK, Exception()
    except Exception as error:
        # Whichever step it was, nothing of it may be raised into the program.
        return failed(given, "sealed record", error), Exception()


def _stand(given: logging.LogRecord, record: SealedRecord) -> BaseException | None:
    live = exception()
    if live is None or is_stand_in(live):
        return None
    if type(given) is not SealedRecord:
        # One that was made just now, which nobody else has.
        theirs, ours = given.__dict__.get("exc_info"), record.exc_info
        if type(theirs) is tuple and len(theirs) > 1 and theirs[1] is live and ours and ours[1] is not None:
            return ours[1]
    return stand_in(live, traceback_of(live))[1]


def guarded_handle(original: Callable[..., Any]) -> Callable[..., Any]:
    """Return logging.Handler.handle in the same steps, with the sealed copy between filter and emit."""

    def handle(self: logging.Handler, record: logging.LogRecord) -> Any:
        rv = self.filter(record)
        if isinstance(rv, logging.LogRecord):
            record = rv
        if rv:
            stand = None
            try:
                record, stand = seals(self, record)
            except (RecursionError, MemoryError):
                # Not even a call was possible. Nor is one that counts.
                failures = LEDGER._failures  # noqa: SLF001 -- the same as above
                failures[STARVED] = failures.get(STARVED, 0) + 1
                record = BLANK
            self.acquire()
            try:
                if stand is None:
                    self.emit(record)
                else:
                    calling(self.emit, stand, record)
            finally:
                self.release()
        return rv

    covering: Callable[..., Any] = _ours(as_logging(handle, "handle", original))
    return covering


def _ours(cover: Any) -> Any:
    _covers.add(cover)
    return cover


def cover(owner: Any) -> None:
    """Cover a class's own methods that get a record, or those that hang on a handler itself.

    Args:
        owner: the class or handler.
    """
    try:
        own = vars(owner)
    except TypeError:
        return
    for name in _NAMES:
        original = own.get(name)
        if (
            original is None
            or (type(original) in _KINDS and original in _covers)
            or is_our_own(original)
            or (name == "emit" and owner in _FORMATTING)
        ):
            continue
        covering = _covering(owner, name, original)
        try:
            setattr(owner, name, covering)
            reference = weakref.ref(owner)
        except (TypeError, AttributeError):
            # A class of C's, or one that lets nothing be set.
            continue
        _covered.append((reference, name, original, covering))


def cover_handler(handler: Any) -> None:
    """Cover all of which a handler, or what is used as one, is made.

    Args:
        handler: the handler or its class.
    """
    if not isinstance(handler, type):
        cover(handler)
    for cls in handler.__mro__ if isinstance(handler, type) else type(handler).__mro__:
        if cls not in _LEFT:
            cover(cls)


def is_cover(value: object) -> bool:
    """Tell whether something is one of our covers, which hands on sealed records only.

    Args:
        value: what stands in a class or on a handler under the name of a method.
    """
    return type(value) in _KINDS and value in _covers


def uncover() -> None:
    """Put back everything that was covered, unless somebody has put something else there meanwhile."""
    while _covered:
        reference, name, original, covering = _covered.pop()
        owner = reference()
        if owner is not None and vars(owner).get(name) is covering:
            setattr(owner, name, original)


def is_our_own(original: object) -> bool:
    """Tell whether a function is written in this package.

    Args:
        original: the function.
    """
    code = getattr(getattr(original, "__func__", original), "__code__", None)
    return isinstance(code, CodeType) and code.co_filename.startswith(_OUR_FILES)


def _covering(owner: Any, name: str, original: Any) -> Any:
    if not isinstance(owner, type):
        return _ours(as_logging(_any_call(original, name, owner), name, original))
    if isinstance(original, (staticmethod, classmethod)) or type(original) is not FunctionType:
        return _ours(_Descriptor(original, name))
    code = original.__code__
    usual = code.co_argcount == _TWO and not code.co_kwonlyargcount and not code.co_flags & _VARIADIC
    if usual and code.co_varnames[1] == "record" and issubclass(owner, logging.Handler):
        made = _handle(original) if name == "handle" else _once(original)
        return _ours(as_logging(made, name, original))
    return _ours(as_logging(_any_method(original, name), name, original))


def _handle(original: Callable[..., Any]) -> Callable[..., Any]:
    def handle(self: logging.Handler, record: logging.LogRecord) -> Any:
        record, stand = seals(self, record)
        return original(self, record) if stand is None else calling(original, stand, self, record)

    return handle


def _once(original: Callable[..., Any]) -> Callable[..., Any]:
    """Cover what is called with a sealed record, unless somebody calls it himself."""

    def emit(self: logging.Handler, record: logging.LogRecord) -> Any:
        if type(record) is SealedRecord:
            return original(self, record)
        record, stand = seals(self, record)
        return original(self, record) if stand is None else calling(original, stand, self, record)

    return emit


def once(original: Callable[..., Any], name: str) -> Callable[..., Any]:
    """Return a method of :class:`logging.Handler` that seals what isn't sealed yet.

    Args:
        original: the method.
        name: its name.
    """
    covering: Callable[..., Any] = _ours(as_logging(_once(original), name, original))
    return covering


def _any_method(original: Callable[..., Any], name: str) -> Callable[..., Any]:
    """Cover a method of any parameters: of a mixin, of something that is used as a handler."""
    again = name != "handle"

    def method(*args: Any, **kwargs: Any) -> Any:
        if again and len(args) == _TWO and type(args[1]) is SealedRecord and not kwargs:
            # By far the most calls.
            return original(*args)
        handler = args[0] if args else None
        found, args, kwargs = _sealed_arguments(handler, name, args, kwargs)
        return original(*args, **kwargs) if found is None else calling(original, found, *args, **kwargs)

    return method


def _any_call(bound: Callable[..., Any], name: str, handler: object) -> Callable[..., Any]:
    reference = weakref.ref(handler) if handler is not None and hasattr(handler, "__weakref__") else lambda: None

    def method(*args: Any, **kwargs: Any) -> Any:
        found, args, kwargs = _sealed_arguments(reference(), name, args, kwargs)
        return bound(*args, **kwargs) if found is None else calling(bound, found, *args, **kwargs)

    return method


def _sealed_arguments(
    handler: object, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[BaseException | None, tuple[Any, ...], dict[str, Any]]:
    stands: list[BaseException] = []
    known = handler if isinstance(handler, logging.Handler) else None

    def one(value: Any) -> Any:
        kind = type(value)
        if not issubclass(kind, logging.LogRecord) or (kind is SealedRecord and name != "handle"):
            return value
        record, stand = seals(known, value)
        if stand is not None:
            stands.append(stand)
        return record

    args = tuple(map(one, args))
    kwargs = {key: one(value) for key, value in kwargs.items()}
    return stands[0] if stands else None, args, kwargs


class _Descriptor:
    """Covers what isn't a plain function: a class method, a static one, a partial one, whatever can be called."""

    def __init__(self, original: Any, name: str) -> None:
        self._original = original
        self._name = name

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        get = getattr(type(self._original), "__get__", None)
        bound = self._original if get is None else get(self._original, instance, owner)
        if not callable(bound):
            return bound
        return as_logging(_any_call(bound, self._name, instance), self._name, self._original)


_KINDS: Final = (FunctionType, _Descriptor)
