"""Which contracts are active in this process.

All shipped contracts and those of installed packages are, each for its own loggers and
classes. They are read at the first question, once, under a lock.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any, Final

from discreet.contract.model import Contract
from discreet.contract.registry import Registry
from discreet.errors import ConfigurationError, InvalidInputError

if TYPE_CHECKING:
    from discreet.seal.types import ValueType

__all__ = ["activate", "active", "generation", "reset"]


class _Process:
    """The state of the process; `registry` is None until somebody asks."""

    __slots__ = ("added", "attributes", "building", "generation", "lock", "registry")

    def __init__(self) -> None:
        # Reentrant: reading a contract may log, and whoever seals that record asks for contracts.
        self.lock = threading.RLock()
        self.registry: Registry | None = None
        self.building = False
        self.generation = 0
        self.added: tuple[Contract, ...] = ()
        self.attributes: Mapping[str, ValueType] = {}

    def build(self) -> Registry:
        with self.lock:
            if self.registry is not None:
                return self.registry
            if self.building:
                # A record made while contracts are read is sealed without any.
                return Registry()
            self.building = True
            try:
                return self.install(_make(self.added, self.attributes))
            finally:
                self.building = False

    def install(self, registry: Registry) -> Registry:
        self.registry = registry
        self.generation += 1
        return registry

    def renew_lock(self) -> None:
        """Give a forked child a lock that no thread of its parent holds."""
        self.lock = threading.RLock()
        self.building = False


_process: Final = _Process()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_process.renew_lock)


def active() -> Registry:
    """Return the registry of all contracts that are active now.

    A contract of another package that is wrong does not stop the rest: it is in
    `Registry.problems`.

    .. versionadded:: 0.1.0
    """
    found = _process.registry
    return _process.build() if found is None else found


def generation() -> int:
    """Return a number that grows with each change of the active contracts.

    .. versionadded:: 0.1.0
    """
    return _process.generation


def activate(
    contracts: Iterable[str | PathLike[str]] = (),
    attributes: Mapping[str, str | Mapping[str, Any]] | None = None,
    routes: Iterable[str] = (),
) -> Registry:
    """Make more contracts active for the process, and say what `extra` may carry everywhere.

    A contract that is active already stays so.

    Args:
        contracts: Paths of contract files, or names of shipped contracts.
        attributes: Attribute name to its type, for all loggers.
        routes: Route templates of the application, such as ``/items/{item_id}``: a path in an
            access line is shown as the template that it belongs to.

    Raises:
        ContractError: A file is wrong or contradicts an active contract. Nothing changes.
        ConfigurationError: An argument, or an attribute's name or type, is wrong. Nothing changes.

    .. versionadded:: 0.1.0
    """
    from discreet.contract.source import application_types, find
    from discreet.seal.types import register_routes

    contracts = _listed(contracts, "contracts")
    routes = _listed(routes, "routes")
    if attributes is not None and not isinstance(attributes, Mapping):
        raise ConfigurationError(
            "must be a mapping of names to types", place="attributes", remedy='Write {"tenant": "id"}.'
        )
    with _process.lock:
        found = tuple(find(one) for one in contracts)
        types = application_types(attributes or {})
        try:
            register_routes(routes)
        except InvalidInputError as error:
            raise ConfigurationError(
                error.message, place=error.param.replace("templates", "routes"), remedy="Write it as /items/{item_id}."
            ) from error
        known = active()
        new: list[Contract] = []
        for one in found:
            if one not in known.contracts and one not in new:
                new.append(one)
        merged = {**_process.attributes, **types}
        if not new and merged == _process.attributes:
            return known
        added = (*_process.added, *new)
        registry = _make(added, merged)
        _process.added = added
        _process.attributes = merged
        return _process.install(registry)


def _listed(value: object, place: str) -> tuple[Any, ...]:
    # A text is a list of letters to Python; nobody means that here.
    if isinstance(value, str | bytes) or not isinstance(value, Iterable):
        raise ConfigurationError("must be a list", place=place, remedy="Put it in square brackets.")
    return tuple(value)


def reset() -> None:
    """Go back to the shipped contracts and those of installed packages.

    .. versionadded:: 0.1.0
    """
    with _process.lock:
        _process.added = ()
        _process.attributes = {}
        _process.registry = None
        _process.generation += 1


def _make(added: tuple[Contract, ...], attributes: Mapping[str, ValueType]) -> Registry:
    from discreet.contract.installed import release_in
    from discreet.contract.source import base_contracts

    base, problems = base_contracts()
    return Registry((*base, *added), attributes, release_in=release_in, problems=problems)
