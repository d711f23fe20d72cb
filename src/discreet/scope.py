"""The customer texts of the call that is running.

A scope is held in a context variable: coroutines and tasks that the call starts have it too, threads by
:func:`carry`. It ends with its call, wherever else it was handed to, and forgets its texts then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextvars import ContextVar
from functools import wraps
from inspect import iscoroutinefunction
from types import TracebackType
from typing import Any, Final, ParamSpec, TypeVar, cast
from weakref import ref

from discreet.errors import InvalidInputError
from discreet.look import Look
from discreet.matching import Index, Match
from discreet.matching.growing import Growing
from discreet.scoped import LOOK, LOOKS
from discreet.texts import collect
from discreet.unknown_texts import unread

__all__ = ["CustomerText", "Scope", "carry", "current", "customer_text", "enter", "leave", "opened", "owners"]

P = ParamSpec("P")
R = TypeVar("R")
F = TypeVar("F", bound=Callable[..., Any])

REPLY: Final = "reply"
"""The place of texts that came while the call ran."""

_CURRENT: Final[ContextVar[Scope | None]] = ContextVar("discreet_text_scope", default=None)


class Scope:
    """The texts of one call, within those of the calls around it.

    Made by :func:`customer_text`.

    .. versionadded:: 0.1.0
    """

    __slots__ = ("__weakref__", "_closed", "_index", "_look", "_outer", "_owner", "_places", "_views")

    def __init__(self, texts: list[tuple[str, str | bytes]], outer: Scope | None, owner: object = None) -> None:
        self._index = Index(texts)
        blank = self._index.blank = not any(text and not text.isspace() for _, text in texts)
        self._places = tuple(place for place, _ in texts)
        self._outer = outer
        self._owner = owner
        self._closed = False
        self._views: list[ref[Scope]] = []
        # Most scopes stand alone, and then there is one look into them.
        self._look = None if blank or outer is not None else Look((self,))

    @property
    def places(self) -> tuple[str, ...]:
        """The places of the texts, those of the calls around this one first."""
        outer = self._outer.places if self._outer is not None else ()
        later = self._index.later
        return (*outer, *self._places, *((REPLY,) * later.kept if isinstance(later, Growing) else ()))

    @property
    def closed(self) -> bool:
        """Whether the call has ended."""
        return self._closed

    def find(self, value: str | bytes | bytearray | memoryview, *, inside: bool = True) -> Match | None:
        """Return where a value agrees with a text of this call or of one around it.

        Args:
            value: The value as it would go out.
            inside: Whether a value that is itself a part of a text counts, however short.

        .. versionadded:: 0.1.0
        """
        scope: Scope | None = self
        while scope is not None:
            match = scope._index.find(value, inside=inside)  # noqa: SLF001 -- of its own class
            if match is not None:
                return match
            scope = scope._outer  # noqa: SLF001 -- the same
        return None

    def close(self) -> None:
        """End the scope and forget its texts.

        .. versionadded:: 0.1.0
        """
        self._closed = True
        self._owner = self._look = None
        for view in filter(None, map(ref.__call__, self._views.copy())):
            view._closed, view._owner = True, None  # noqa: SLF001 -- of its own class
        # At last: whoever adds a text, to it or to a view, asks after that whether it is closed.
        self._index.clear()

    def within(self, other: Scope) -> Scope:
        """Return this scope inside another one, in which it wasn't opened: both have texts of what runs now.

        Args:
            other: The scope around it.

        .. versionadded:: 0.1.0
        """
        chain = set(_chain(other))
        views: Scope = other
        for scope in reversed(list(_chain(self))):
            if scope in chain:
                continue
            view = Scope([], views, scope._owner)  # noqa: SLF001 -- of its own class
            # Of a request that goes on, its index alone says what is known by now.
            view._index, view._places = scope._index, scope._places  # noqa: SLF001 -- of its own class
            # What is seen of a scope ends with it, also what is seen of that, and isn't kept alive by it.
            view._views = scope._views  # noqa: SLF001 -- of its own class
            scope._views.append(ref(view, scope._views.remove))  # noqa: SLF001 -- of its own class
            if scope._closed:  # noqa: SLF001 -- the same
                view._closed = True
            views = view
        return views


def _chain(scope: Scope | None) -> Iterator[Scope]:
    while scope is not None:
        yield scope
        scope = scope._outer  # noqa: SLF001 -- of this file


def current() -> Scope | None:
    """Return the scope of the running call, None if there is none.

    .. versionadded:: 0.1.0
    """
    scope = _CURRENT.get()
    while scope is not None and scope._closed:  # noqa: SLF001 -- a hot path
        scope = scope._outer  # noqa: SLF001 -- the same
    return scope


def going_on(scope: Scope) -> Scope:
    """Return the scope with which a call's code goes on here: a generator's may be in another call than before.

    Args:
        scope: The scope that it had before.

    Returns:
        The scope, within the running call's if it wasn't opened there: its code gets that call's texts too.

    .. versionadded:: 0.1.0
    """
    around = current()
    return scope if around is None or around in _chain(scope) else scope.within(around)


def owners() -> Iterator[object]:
    """Yield who opened the scopes of the running call, the innermost first.

    .. versionadded:: 0.1.0
    """
    scope = _CURRENT.get()
    while scope is not None:
        if not scope._closed:  # noqa: SLF001 -- of this file
            yield scope._owner  # noqa: SLF001 -- the same
        scope = scope._outer  # noqa: SLF001 -- the same


def enter(scope: Scope) -> None:
    """Make a scope the current one.

    Args:
        scope: What `opened` returned.

    .. versionadded:: 0.1.0
    """
    _CURRENT.set(scope)


def leave(scope: Scope) -> None:
    """End a scope; if it is the current one, the next that is open is so again.

    Args:
        scope: A scope.

    .. versionadded:: 0.1.0
    """
    scope.close()
    if _CURRENT.get() is scope:
        _CURRENT.set(current())


def _place_of(value: str) -> str | None:
    match = scope.find(value) if (scope := current()) is not None else None
    return match.place if match is not None else None


def _look() -> Look | None:
    scope = _CURRENT.get()
    if scope is None:
        return None
    if scope._outer is None:  # noqa: SLF001 -- of this file
        return scope._look if not scope._closed else None  # noqa: SLF001 -- the same
    scopes: list[Scope] = []
    has_text = False
    while scope is not None:
        index = scope._index  # noqa: SLF001 -- of this file
        if scope._closed or index.partial:  # noqa: SLF001 -- the same
            # What outlives a call may still hold its texts, which nobody knows any more.
            return None
        scopes.append(scope)
        has_text = has_text or not index.blank
        scope = scope._outer  # noqa: SLF001 -- the same
    # With nothing registered nothing can be found, which doesn't say that there is no customer text.
    return Look(tuple(scopes)) if has_text else None


class Entered:
    """Makes a scope the current one for a stretch of code, and the one that was current before again."""

    __slots__ = ("_before", "_scope")

    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    def __enter__(self) -> None:
        self._before = before = _CURRENT.get()
        if before is not None and before is not self._scope._outer:  # noqa: SLF001 -- a hot path
            self._scope = going_on(self._scope)
        _CURRENT.set(self._scope)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        # No token: a generator may be finished in another context than it was begun in, which a token doesn't allow.
        if _CURRENT.get() is self._scope:
            _CURRENT.set(self._before)


class CustomerText:
    """A context manager and decorator, made by :func:`customer_text`.

    .. versionadded:: 0.1.0
    """

    __slots__ = ("_open", "_parameters", "_texts")

    def __init__(self, parameters: tuple[str, ...], texts: dict[str, object]) -> None:
        self._parameters = parameters
        self._texts = texts
        self._open: list[Scope] = []

    def __enter__(self) -> Scope:
        if self._parameters:
            raise InvalidInputError(
                "a text needs a name, as in customer_text(question=...); only a decorator takes names of parameters",
                param="parameters[0]",
            )
        scope = opened(self._texts, owner=self)
        self._open.append(scope)
        enter(scope)
        return scope

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        scope = self._mine()
        if scope is None:
            return
        self._open.remove(scope)
        leave(scope)

    def _mine(self) -> Scope | None:
        """Return the scope that is left: the innermost of this context, else the last that was entered elsewhere."""
        for scope in _chain(current()):
            if scope._owner is self and scope in self._open:  # noqa: SLF001 -- of this file
                return scope
        return self._open[-1] if self._open else None

    async def __aenter__(self) -> Scope:
        return self.__enter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.__exit__(kind, error, traceback)

    def __call__(self, function: F) -> F:
        """Decorate a function, a coroutine function, a generator or an async generator.

        Args:
            function: The function whose calls have these texts.

        Raises:
            InvalidInputError: A name isn't one of its parameters.
        """
        from discreet.scope_calls import decorated

        return cast("F", decorated(function, self._parameters, self._texts))


def opened(texts: dict[str, object], owner: object = None, *, unknown: list[str] | None = None) -> Scope:
    """Return a new scope inside the current one, without making it current.

    Args:
        texts: The texts by name.
        owner: Who opens it.
        unknown: Takes the places of what isn't a text, which is counted then, and not known; None to refuse it.

    Raises:
        InvalidInputError: Something isn't a text; `param` says where.

    .. versionadded:: 0.1.0
    """
    if not LOOK:
        LOOK.append(_place_of)
        LOOKS.append(_look)
    found: list[tuple[str, str | bytes]] = []
    whole = True
    for name, value in texts.items():
        try:
            found.extend(_named(name, value))
        except Exception as error:
            if unknown is None:
                raise
            # What was read before it stays, and match mode lets nothing through; a call that runs already goes on.
            unknown.append(unread(name, error))
            whole = False
    scope = Scope(found, current(), owner)
    if not whole:
        scope._index.partial, scope._look = True, None  # noqa: SLF001 -- of this file
    return scope


def _named(name: str, value: object) -> Iterator[tuple[str, str | bytes]]:
    if not name.isidentifier():
        raise InvalidInputError("the name of a text has to be an identifier", param="texts")
    return collect(value, name)


def customer_text(*parameters: str, **texts: object) -> CustomerText:
    """Register customer texts for a stretch of code, or for the calls of a function.

    ::

        with discreet.customer_text(question=question, chunks=chunks):
            ...


        @discreet.customer_text("question", "chunks")
        def answer(question: str, chunks: list[Chunk]) -> str: ...

    A value that is logged meanwhile and holds a piece of them is withheld, also where it would be let through. The
    names are used to tell which text it was: ``chunks[3]``. Scopes inside one another add up. Nothing is searched
    through or copied before a record needs it.

    Args:
        *parameters: For a decorator: the names of the function's parameters that hold customer text.
        **texts: Texts by name: str, bytes, objects with `text`, `content` or `page_content`, data classes, named
            tuples, models of pydantic and classes of attrs, mappings and lists of these, and None.

    Returns:
        A context manager (also for `async with`) and decorator. It raises
        :class:`~discreet.errors.InvalidInputError` when it is entered and something isn't a text.

    .. versionadded:: 0.1.0
    """
    return CustomerText(parameters, texts)


def carry(function: Callable[P, R]) -> Callable[P, R]:
    """Give a function the current scope, for a thread or an executor to run it in.

    ``asyncio.to_thread`` and tasks do without: they copy the whole context. The scope still ends with its call.

    Args:
        function: A function or coroutine function.

    Returns:
        The function, inside the scope; the function itself if there is none.

    .. versionadded:: 0.1.0
    """
    scope = current()
    if scope is None:
        return function
    if iscoroutinefunction(function):

        @wraps(function)
        async def carried_coroutine(*args: P.args, **kwargs: P.kwargs) -> Any:
            with Entered(scope):
                return await function(*args, **kwargs)

        return cast("Callable[P, R]", carried_coroutine)

    @wraps(function)
    def carried(*args: P.args, **kwargs: P.kwargs) -> R:
        with Entered(scope):
            return function(*args, **kwargs)

    return carried
