"""Wraps a function whose calls are observed, as a function of the same kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from discreet.call import Call
from discreet.calls import begun
from discreet.errors import InvalidInputError
from discreet.export.ledger import LEDGER
from discreet.given import Given
from discreet.instrument.streams import pass_over
from discreet.instrument.wrapped import wrapped
from discreet.operations import is_operation
from discreet.scope_replies import known_in_part

__all__ = ["Arguments", "Observed", "Switch", "observed"]

pass_over(__file__)

Arguments = Mapping[str, Any]
"""The arguments of a call by parameter, defaults among them.

.. versionadded:: 0.1.0
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Observed:
    """What is known of the calls of a function.

    Args:
        operation: The operation's name, as for :func:`discreet.observe_call`.
        texts: The parameters that hold customer text.
        find_texts: Returns texts by name from the arguments, for what isn't a text as it stands.
        items: Returns how many items a result is made of; None where that is of no interest.
        whole: Whether these are all texts that the function sees. If not, such as where it reads files, match mode lets
            nothing through in its calls.

    .. versionadded:: 0.1.0
    """

    operation: str
    texts: tuple[str, ...] = ()
    find_texts: Callable[[Arguments], dict[str, object]] | None = None
    items: Callable[[Any], int | None] | None = None
    whole: bool = True


class Switch:
    """Says whether calls are observed any longer: somebody may have kept a wrapper that was taken out.

    .. versionadded:: 0.1.0
    """

    __slots__ = ("on",)

    def __init__(self) -> None:
        self.on = True


class _Unobserved(Call):
    """A call that nobody observes."""

    __slots__ = ()

    def result(self, value: Any, *, items: int | None = None, failed: int = 0) -> Any:
        return value


def observed(
    function: Callable[..., Any],
    how: Observed,
    *,
    switch: Switch | None = None,
    within: Callable[[Callable[..., Any]], Callable[..., Any]] | None = None,
) -> Callable[..., Any]:
    """Return a function of the same kind whose calls are observed.

    What it is called with and what comes out are the function's own, and nothing of ours is raised out of it. The
    call of a generator lasts until it ends, and is the current one only while the generator's own code runs.

    Args:
        function: A function, coroutine function, generator function or async generator function.
        how: What is known of its calls.
        switch: Tells whether they are still to be observed.
        within: Given the function, returns one of the same kind that runs in its place while they are.

    Raises:
        InvalidInputError: The operation's name has a wrong form, or a parameter that should hold text doesn't exist.

    .. versionadded:: 0.1.0
    """
    given = _given(function, how)
    state = Switch() if switch is None else switch
    inner = function if within is None else within(function)

    def begin(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Callable[..., Any], Call]:
        if not state.on:
            return function, _Unobserved()
        texts, whole = _texts(given, how, args, kwargs)
        call = begun(how.operation, texts, None)
        if not whole:
            known_in_part(call)
        return inner, call

    return wrapped(function, begin, None if how.items is None else lambda value: _items(how, value))


def _given(function: Callable[..., Any], how: Observed) -> Given:
    if not is_operation(how.operation):
        raise InvalidInputError("must be one to four words with dots, as in verbatim.transform", param="operation")
    return Given(function, how.texts, "texts")


def _texts(
    given: Given, how: Observed, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[dict[str, object], bool]:
    """Return the texts among the arguments, and whether these are all."""
    if not how.texts and how.find_texts is None:
        return {}, how.whole
    found = given.find(args, kwargs)
    if how.find_texts is None or found.arguments is None:
        return found.texts, how.whole and found.whole
    try:
        return {**found.texts, **how.find_texts(found.arguments)}, how.whole and found.whole
    except Exception as error:
        # A text of the call isn't known then, which is a failure of the guard.
        LEDGER.failure("observe_call", error)
        return found.texts, False


def _items(how: Observed, value: Any) -> int | None:
    if how.items is None:
        return None
    try:
        return how.items(value)
    except Exception as error:
        # A result of another shape than that of the release that this was written for.
        LEDGER.failure("instrument", error)
        return None
