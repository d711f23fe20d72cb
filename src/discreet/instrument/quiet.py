"""What looks on while an application works, and must not disturb it."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import iscoroutinefunction
from types import TracebackType
from typing import Any, ParamSpec, Protocol, Self

from discreet.export.ledger import LEDGER
from discreet.instrument.streams import pass_over

__all__ = ["Look", "beside", "never_raises"]

pass_over(__file__)

P = ParamSpec("P")


class Look(Protocol):
    """A look at one run of a function: entered before it, left after it, and told of its result at last.

    .. versionadded:: 0.1.0
    """

    def __enter__(self) -> Self:
        """Begin."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """End, and take what the function raised."""

    def returned(self, value: Any, /) -> None:
        """Take what the function returned."""


def beside(function: Callable[..., Any], look: Callable[[tuple[Any, ...], dict[str, Any]], Look]) -> Callable[..., Any]:
    """Return a function that runs another, of the same kind, and looks at each run.

    Args:
        function: A function or coroutine function.
        look: Returns the look at a run, from its arguments.

    .. versionadded:: 0.1.0
    """
    if iscoroutinefunction(function):

        @wraps(function)
        async def coroutine(*args: Any, **kwargs: Any) -> Any:
            with look(args, kwargs) as looks:
                value = await function(*args, **kwargs)
            looks.returned(value)
            return value

        return coroutine

    @wraps(function)
    def plain(*args: Any, **kwargs: Any) -> Any:
        with look(args, kwargs) as looks:
            value = function(*args, **kwargs)
        looks.returned(value)
        return value

    return plain


def never_raises(look: Callable[P, None]) -> Callable[P, None]:
    """Return a function that raises nothing: what fails is counted.

    Args:
        look: A function that looks at what an application or a library does.

    .. versionadded:: 0.1.0
    """

    @wraps(look)
    def looked(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            look(*args, **kwargs)
        except Exception as error:
            # The application goes on to its result or its exception; neither may be lost for a record.
            LEDGER.failure("instrument", error)

    return looked
