"""Values that a program declares safe to log."""

from __future__ import annotations

import operator
from typing import Any, Generic, TypeVar, final

__all__ = ["Public", "public"]

T = TypeVar("T")


@final
class Public(Generic[T]):
    """A value that its program declares safe; it prints as the value does.

    Args:
        value: The value.

    .. versionadded:: 0.1.0
    """

    __slots__ = ("value",)

    value: T
    """The value as it was given."""

    def __init__(self, value: T) -> None:
        object.__setattr__(self, "value", value)

    def __init_subclass__(cls, **options: Any) -> None:
        # A subclass could print something else than what was looked at.
        raise TypeError("Public has no subclasses")

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a Public can't be changed")

    def __delattr__(self, name: str) -> None:
        raise AttributeError("a Public can't be changed")

    def __str__(self) -> str:
        return str(self.value)

    def __repr__(self) -> str:
        return repr(self.value)

    def __format__(self, spec: str) -> str:
        return format(self.value, spec)

    def __int__(self) -> int:
        return int(self.value)  # type: ignore[call-overload, no-any-return]  # raises TypeError for what is no number

    def __index__(self) -> int:
        return operator.index(self.value)  # type: ignore[arg-type]  # the same

    def __float__(self) -> float:
        return float(self.value)  # type: ignore[arg-type]  # the same

    def __structlog__(self) -> T:
        # What structlog's JSONRenderer asks of what JSON has no form for, before it takes the repr().
        return self.value

    def __reduce__(self) -> tuple[Any, ...]:
        return Public, (self.value,)


def public(value: T) -> Public[T]:
    """Declare a value safe to log, such as the name of a table or a tenant's own code.

    Handlers that aren't guarded print it as the value itself. Where records are sealed, it goes out unless the matcher
    finds text of the running call in it; each call site's uses are counted.

    Args:
        value: The value. Text, numbers and None are shown; of other objects no method is called.

    Returns:
        The wrapped value, to be an argument or an attribute of a log call.

    .. versionadded:: 0.1.0
    """
    return value if type(value) is Public else Public(value)  # type: ignore[return-value]  # nothing is declared twice
