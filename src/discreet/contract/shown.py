"""Routes and hosts of an application that one side made known, beside those of the other sides."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Final, NamedTuple

from discreet.errors import ConfigurationError, InvalidInputError

__all__ = ["NOTHING", "Shown", "listed", "registered", "restore", "shown_too"]


class Shown(NamedTuple):
    """The templates and names that one side registered.

    .. versionadded:: 0.1.0
    """

    routes: frozenset[str] = frozenset()
    hosts: frozenset[str] = frozenset()

    def with_those_of(self, other: Shown) -> Shown:
        """Return both together."""
        return Shown(self.routes | other.routes, self.hosts | other.hosts)

    def without_those_of(self, other: Shown) -> Shown:
        """Return what the other doesn't have."""
        return Shown(self.routes - other.routes, self.hosts - other.hosts)


NOTHING: Final = Shown()
"""What a side has that registered nothing.

.. versionadded:: 0.1.0
"""


def registered() -> Any:
    """Return all that is registered, for `restore`.

    .. versionadded:: 0.1.0
    """
    from discreet.seal.types.hosts import registered_hosts
    from discreet.seal.types.routes import registered_routes

    return registered_routes(), registered_hosts()


def restore(before: Any) -> None:
    """Put back what was registered at an earlier time.

    Args:
        before: what `registered` returned.

    .. versionadded:: 0.1.0
    """
    from discreet.seal.types.hosts import restore_hosts
    from discreet.seal.types.routes import restore_routes

    routes, hosts = before
    restore_routes(routes)
    restore_hosts(hosts)


@contextmanager
def shown_too(routes: object, hosts: object, instead_of: Shown = NOTHING) -> Iterator[tuple[Shown, Shown]]:
    """Register routes and hosts; unless all goes well, those that were there before are put back.

    Args:
        routes: templates of routes.
        hosts: names of hosts.
        instead_of: what is forgotten first.

    Yields:
        The given as they are registered, and those of them that were not there before.

    Raises:
        ConfigurationError: one of them is wrong.

    .. versionadded:: 0.1.0
    """
    from discreet.seal.types.hosts import register_hosts
    from discreet.seal.types.routes import register_routes

    templates, names = listed(routes, "routes"), listed(hosts, "hosts")
    before = registered()
    kept = (
        tuple(one for one in before[0] if one[1] not in instead_of.routes),
        before[1] - instead_of.hosts,
    )
    restore(kept)
    try:
        with _placed("templates", "routes", "Write it as /items/{item_id}."):
            register_routes(templates)
        with _placed("names", "hosts", "Write it as api.example.org or *.example.org."):
            register_hosts(names)
        now_routes, now_hosts = registered()
        fresh = Shown(frozenset(template for _, template in now_routes[len(kept[0]) :]), now_hosts - kept[1])
        # Django writes its routes without the slash in front.
        given = Shown(frozenset(one if one.startswith("/") else f"/{one}" for one in templates), plain_names(names))
        yield given, fresh
    except BaseException:
        restore(before)
        raise


def plain_names(names: Iterable[str]) -> frozenset[str]:
    """Return names of hosts as they are registered."""
    from discreet.seal.types.hosts import plain

    return frozenset(map(plain, names))


@contextmanager
def _placed(parameter: str, place: str, remedy: str) -> Iterator[None]:
    try:
        yield
    except InvalidInputError as error:
        raise ConfigurationError(error.message, place=error.param.replace(parameter, place), remedy=remedy) from error


def listed(value: object, place: str) -> tuple[Any, ...]:
    """Return the parts of a list that somebody gave.

    Args:
        value: what was given.
        place: the argument's name.

    Raises:
        ConfigurationError: it is a text, or no list.

    .. versionadded:: 0.1.0
    """
    # A text is a list of letters to Python; nobody means that here.
    if isinstance(value, str | bytes) or not isinstance(value, Iterable):
        raise ConfigurationError("must be a list", place=place, remedy="Put it in square brackets.")
    return tuple(value)
