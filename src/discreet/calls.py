"""observe_call(): a span, the texts, one record and the counts of a call, whatever becomes of it."""

from __future__ import annotations

from collections.abc import Callable
from inspect import CO_ITERABLE_COROUTINE, isgeneratorfunction
from types import TracebackType
from typing import Any, Final, TypeVar, cast

from opentelemetry.trace import SpanKind

from discreet.call import Call
from discreet.call_counts import CALLS
from discreet.declared import Public
from discreet.errors import InvalidInputError
from discreet.export.ledger import LEDGER
from discreet.given import Given
from discreet.operations import said
from discreet.scope import owners
from discreet.scope_replies import known_in_part
from discreet.seal.peek import traceback_of

__all__ = ["Call", "ObservedCall", "observe_call"]

F = TypeVar("F", bound=Callable[..., Any])

_NO_TEXT: Final = object()


class ObservedCall:
    """A context manager and decorator, made by :func:`observe_call`.

    .. versionadded:: 0.1.0
    """

    __slots__ = ("_open", "_operation", "_parameters", "_texts")

    def __init__(
        self, operation: str | Public[str] | None, parameters: tuple[str, ...], texts: dict[str, object]
    ) -> None:
        self._operation = operation
        self._parameters = parameters
        self._texts = texts
        self._open: list[Call] = []

    def __enter__(self) -> Call:
        # Whoever gives names of parameters is in the middle of a call, which goes on; those texts aren't known.
        texts = {**self._texts, "parameters": _NO_TEXT} if self._parameters else self._texts
        call = begun(self._operation, texts, self)
        self._open.append(call)
        return call

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        call = self._mine()
        if call is not None:
            self._open.remove(call)
            call.end(error, traceback)

    def _mine(self) -> Call | None:
        """Return the call that is left: the innermost of this context, else the last that was entered elsewhere."""
        for owner in owners():
            if isinstance(owner, Call) and owner in self._open:
                return owner
        return self._open[-1] if self._open else None

    async def __aenter__(self) -> Call:
        return self.__enter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.__exit__(kind, error, traceback)

    def __call__(self, function: F) -> F:
        """Decorate a function, a coroutine function, a generator or an async generator.

        The result of a function is the call's. The call of a generator begins with its first item and ends with it;
        it is the current one only while the generator's own code runs, and its items are counted.

        Args:
            function: The function whose calls are observed.

        Raises:
            InvalidInputError: The operation's name has a wrong form or is made when the program runs, a name is none of
                the function's parameters, or the function is a generator that `types.coroutine` made awaitable.
        """
        operation = self._operation
        if operation is None:
            raise InvalidInputError(
                "must be a literal of one to four words with dots, as in verbatim.transform, or be declared public()",
                param="operation",
            )
        flags = getattr(getattr(function, "__code__", None), "co_flags", 0)
        if isgeneratorfunction(function) and flags & CO_ITERABLE_COROUTINE:
            raise InvalidInputError("is a generator to be awaited: make it a coroutine function", param="function")
        given = Given(function, self._parameters, "parameters") if self._parameters else None
        texts = self._texts
        CALLS.declare(operation.value if type(operation) is Public else operation)

        def begin(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[F, Call]:
            if given is None:
                return function, begun(operation, texts, None)
            found = given.find(args, kwargs)
            call = begun(operation, {**texts, **found.texts}, None)
            if not found.whole:
                known_in_part(call)
            return function, call

        # Here, since a program with `with` blocks alone does without.
        from discreet.instrument.wrapped import wrapped

        return cast("F", wrapped(function, begin))


def begun(
    operation: str | Public[str] | None,
    texts: dict[str, object],
    owner: object,
    kind: SpanKind = SpanKind.INTERNAL,
) -> Call:
    """Return a call that has begun. Never raises: what fails is counted.

    Args:
        operation: its name, None for one that can't be its name.
        texts: its customer texts by name.
        owner: who ends it.
        kind: the kind of its span.
    """
    call = Call()
    try:
        call.begin(operation, texts, kind)
    except Exception as error:
        # The application's call goes on; that its texts may not be known is a failure of the guard.
        LEDGER.failure("observe_call", error)
    except BaseException as error:
        # A signal handler's, in the midst of it: nobody gets the call, and what is current stays as it was.
        call.end(error, traceback_of(error))
        raise
    return call


def observe_call(operation: str | Public[str], /, *parameters: str, **texts: object) -> ObservedCall:
    """Observe a call: how often it is made, how long it takes and how it ends.

    ::

        with discreet.observe_call("verbatim.transform", question=question, chunks=chunks) as call:
            call.result(transform(question, chunks))


        @discreet.observe_call("verbatim.transform", "question", "chunks")
        async def transform(question: str, chunks: list[Chunk]) -> Answer: ...


        @discreet.observe_call("verbatim.stream", "question")
        def stream(question: str) -> Iterator[str]: ...

    Each call gets a span of OpenTelemetry with the operation's name, one record ``call_finished`` on the logger
    ``discreet``, and its place in the metrics. Its texts are registered as by :func:`discreet.customer_text`. Its
    outcome is one of

    - ``ok``: it returned;
    - ``degraded``: it returned, and its result has ``warnings``, or a record ``fallback_used`` was logged in it, or
      ``call.warn()`` was called, or a call inside it was degraded; for each code of which no such record was logged,
      there is one with ``count`` then;
    - ``error``: it raised. That is no answer, not a bad one;
    - ``cancelled``: it was left by ``CancelledError``, ``GeneratorExit``, ``KeyboardInterrupt`` and the like.

    What the call raises goes on unchanged, and nothing of ours is raised while it runs: a text that isn't one is
    counted as a failure of the guard, an operation whose name has a wrong form, or is made when the program runs, is
    called ``undeclared``. A decorator refuses both at once.

    Args:
        operation: A literal: one to four words of small letters, digits and underscores, with dots between; or such a
            name that the program declares :func:`~discreet.public`.
        *parameters: For a decorator: the names of the function's parameters that hold customer text.
        **texts: Customer texts by name, as for :func:`discreet.customer_text`.

    Returns:
        A context manager (also for `async with`) and decorator for functions and generators, also async. It raises
        :class:`~discreet.errors.InvalidInputError` where it decorates and something is wrong.

    .. versionadded:: 0.1.0
    """
    return ObservedCall(said(operation), parameters, texts)
