"""Small sabotages of the guard, each one function replaced, and the checks that must notice it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple


class Sabotage(NamedTuple):
    """What is broken, and which checks must fail then; others may."""

    apply: Callable[[], None]
    noticed_by: tuple[str, ...]


SABOTAGES: Final[dict[str, Sabotage]] = {}
"""By name; filled by the modules `of_values`, `of_copies` and `of_match`."""


def noticed_by(*checks: str) -> Callable[[Callable[[], None]], Callable[[], None]]:
    """Enter a function as a sabotage."""

    def enter(apply: Callable[[], None]) -> Callable[[], None]:
        SABOTAGES[apply.__name__] = Sabotage(apply, checks)
        return apply

    return enter


def wrap(place: Any, name: str, around: Callable[..., Any]) -> None:
    """Replace a function of a module by one that gets the original as its first argument."""
    original = getattr(place, name)
    setattr(place, name, lambda *args, **kwargs: around(original, *args, **kwargs))
