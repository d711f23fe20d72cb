"""What the instrumentors share: they name functions of a library and what is known of each; this observes them."""

from __future__ import annotations

import logging
from abc import abstractmethod
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import wraps
from importlib import import_module
from importlib.util import find_spec
from inspect import isasyncgenfunction, iscoroutinefunction, isgeneratorfunction
from types import FunctionType
from typing import Any, ClassVar, Final

from discreet.call_counts import CALLS
from discreet.errors import ConfigurationError
from discreet.export.ledger import LEDGER
from discreet.instrument.observed import Observed, Switch, observed
from discreet.instrument.streams import pass_over

try:
    from opentelemetry.instrumentation.instrumentor import (  # type: ignore[attr-defined]  # the module has no types
        BaseInstrumentor,
    )
except ModuleNotFoundError as error:
    raise ConfigurationError(
        "the package opentelemetry-instrumentation is missing",
        place="discreet.instrument",
        remedy='Install it with: pip install "discreet[instrument]"',
    ) from error

__all__ = ["LibraryInstrumentor", "Target"]

pass_over(__file__)

_log: Final = logging.getLogger("discreet")
_ABSENT: Final = object()


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A function of a library whose calls are observed.

    Args:
        where: Its module and its name there, as in ``package.module:Class.method``.
        how: What is known of its calls; None for a function that is only a part of other calls.
        within: Given the function, returns one of the same kind that runs in its place, as a part of the call.
        also: Other modules of the library that hold the same function under the same name.

    .. versionadded:: 0.1.0
    """

    where: str
    how: Observed | None
    within: Callable[[Callable[..., Any]], Callable[..., Any]] | None = None
    also: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Replaced:
    """One attribute that was replaced, and what stood there: `_ABSENT` for one that was inherited."""

    holder: Any
    name: str
    before: Any
    now: Any

    def take_back(self) -> None:
        if vars(self.holder).get(self.name) is not self.now:
            # Somebody has wrapped it since. What we put there stays inside, and its switch is off.
            return
        if self.before is _ABSENT:
            delattr(self.holder, self.name)
        else:
            setattr(self.holder, self.name, self.before)


def _is_installed(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except ValueError:
        # A module that somebody has made by hand says nothing about where it comes from.
        return True


class LibraryInstrumentor(BaseInstrumentor):  # type: ignore[misc]  # the base has no types
    """An instrumentor that replaces functions of a library and puts them back.

    Subclasses name the library and its functions. Installed twice it says so and changes nothing. Where the library is
    missing, or has a release that this wasn't written for, nothing is replaced.

    .. versionadded:: 0.1.0
    """

    package: ClassVar[str]
    """The library's package, by whose absence it is missing."""

    dependencies: ClassVar[tuple[str, ...]]
    """The releases that it was written for, as requirements."""

    def __init__(self) -> None:
        if "_replaced" not in self.__dict__:
            # Each class has one object, which is made again and again.
            self._replaced: list[_Replaced] = []
            self._switch = Switch()

    @abstractmethod
    def targets(self) -> Collection[Target]:
        """Return the functions to observe."""

    def instrumentation_dependencies(self) -> Collection[str]:
        """Return the releases that it was written for."""
        return self.dependencies

    def _instrument(self, **kwargs: Any) -> None:
        # `opentelemetry-instrument` asks nobody whether the library is there.
        if not self._is_there():
            return
        self._switch = Switch()
        for target in self.targets():
            try:
                self._replace(target)
            except Exception as error:
                # The application runs without it; what isn't observed shows as a failure.
                LEDGER.failure("instrument", error)
                _log.warning(
                    "%s: an operation is not observed, its function is not where it should be",
                    type(self),
                    extra={} if target.how is None else {"operation": target.how.operation},
                )

    def _uninstrument(self, **kwargs: Any) -> None:
        self._switch.on = False
        while self._replaced:
            self._replaced.pop().take_back()

    def _is_there(self) -> bool:
        if not _is_installed(self.package):
            _log.debug("%s observes nothing: the library is not installed", type(self))
            return False
        if self._check_dependency_conflicts() is not None:
            _log.warning("%s observes nothing: the library has a release that it was not written for", type(self))
            return False
        return True

    def _replace(self, target: Target) -> None:
        module, _, path = target.where.partition(":")
        *outer, name = path.split(".")
        holder: Any = import_module(module)
        for part in outer:
            holder = getattr(holder, part)
        before = vars(holder).get(name, _ABSENT)
        found = getattr(holder, name) if before is _ABSENT else before
        kind = type(found) if isinstance(found, classmethod | staticmethod) else None
        function = found if kind is None else found.__func__
        if kind is None and isinstance(holder, type):
            function = _bound(function)
        made: Any
        if target.how is not None:
            made = observed(function, target.how, switch=self._switch, within=target.within)
            CALLS.declare(target.how.operation)
        else:
            made = _part(function, target.within, self._switch)
        if kind is not None:
            made = kind(made)
        for other in (holder, *map(import_module, target.also)):
            if other is holder or vars(other).get(name) is found:
                setattr(other, name, made)
                self._replaced.append(_Replaced(other, name, before if other is holder else found, made))


def _bound(method: Any) -> Any:
    """Return a function that calls a method as Python does, by its object, where another tool has wrapped it.

    Such a wrapper, as those of `wrapt`, is told the object that a method is called on only if it is asked for by it.
    """
    if type(method) is FunctionType or not hasattr(method, "__get__"):
        return method
    if isgeneratorfunction(method) or isasyncgenfunction(method):
        # Nothing but the function itself is of that kind.
        return method
    if iscoroutinefunction(method):

        @wraps(method)
        async def coroutine(self: Any, *args: Any, **kwargs: Any) -> Any:
            return await method.__get__(self, type(self))(*args, **kwargs)

        return coroutine

    @wraps(method)
    def plain(self: Any, *args: Any, **kwargs: Any) -> Any:
        return method.__get__(self, type(self))(*args, **kwargs)

    return plain


def _part(
    function: Callable[..., Any], within: Callable[[Callable[..., Any]], Callable[..., Any]] | None, switch: Switch
) -> Callable[..., Any]:
    """Return a function of the same kind that isn't a call of its own."""
    inner = function if within is None else within(function)
    if iscoroutinefunction(function):

        @wraps(function)
        async def coroutine(*args: Any, **kwargs: Any) -> Any:
            return await (inner if switch.on else function)(*args, **kwargs)

        return coroutine

    @wraps(function)
    def plain(*args: Any, **kwargs: Any) -> Any:
        return (inner if switch.on else function)(*args, **kwargs)

    return plain
