"""Which contracts are active in this process.

All shipped contracts and those of installed packages are, each for its own loggers and
classes. They are read at the first question, once, under a lock.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from os import PathLike
from typing import TYPE_CHECKING, Any, Final

from discreet.contract.model import Contract
from discreet.contract.registry import Registry
from discreet.contract.shown import NOTHING, Shown, listed, shown_too
from discreet.contract.shown import registered as registered_shown
from discreet.contract.shown import restore as restore_shown
from discreet.errors import ConfigurationError

if TYPE_CHECKING:
    from discreet.seal.types import ValueType

__all__ = ["activate", "active", "configure", "generation", "reset"]


@dataclass(frozen=True)
class _Layer:
    """What one side added to the shipped contracts and those of installed packages.

    `contracts` has the place of each file, so that a file that was edited replaces what it said before.
    """

    contracts: Mapping[str, Contract] = field(default_factory=dict)
    attributes: Mapping[str, ValueType] = field(default_factory=dict)
    shown: Shown = NOTHING

    def with_newer(self, contracts: Mapping[str, Contract]) -> _Layer:
        """Return the layer with its files as they were read just now."""
        newer = {place: contracts.get(place, one) for place, one in self.contracts.items()}
        return replace(self, contracts=newer)


class _Process:
    """The state of the process; `registry` is None until somebody asks.

    `added` is what components of a logging configuration made active, each beside the others;
    `configured` is what the last call of `configure()` did, in place of the one before.
    """

    __slots__ = ("added", "building", "configured", "generation", "lock", "registry")

    def __init__(self) -> None:
        # Reentrant: reading a contract may log, and whoever seals that record asks for contracts.
        self.lock = threading.RLock()
        self.registry: Registry | None = None
        self.building = False
        self.generation = 0
        self.added = _Layer()
        self.configured = _Layer()

    def build(self) -> Registry:
        with self.lock:
            if self.registry is not None:
                return self.registry
            if self.building:
                # A record made while contracts are read is sealed without any.
                return Registry()
            self.building = True
            try:
                return self.install(_make(*_together(self.added, self.configured)))
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
    hosts: Iterable[str] = (),
) -> Registry:
    """Make more contracts active for the process, and say what `extra` may carry everywhere.

    A contract that is active already stays so; a file that was edited replaces what it said before.

    Args:
        contracts: Paths of contract files, or names of shipped contracts.
        attributes: Attribute name to its type, for all loggers.
        routes: Route templates of the application, such as ``/items/{item_id}``: a path in an
            access line is shown as the template that it belongs to.
        hosts: Hosts that the program talks to, without a port; ``*.example.org`` is for names
            with one more label. Others may be from a customer's link and are ``<host>``.

    Raises:
        ContractError: A file is wrong or contradicts an active contract. Nothing changes.
        ConfigurationError: An argument, or an attribute's name or type, is wrong. Nothing changes.

    .. versionadded:: 0.1.0
    """
    with _process.lock:
        new = _layer(contracts, attributes)
        old = _process.added
        with shown_too(routes, hosts) as (given, _):
            shown = old.shown.with_those_of(given)
            added = _Layer({**old.contracts, **new.contracts}, {**old.attributes, **new.attributes}, shown)
            return _put(added, _process.configured.with_newer(new.contracts))


def configure(
    contracts: Iterable[str | PathLike[str]],
    attributes: Mapping[str, str | Mapping[str, Any]] | None,
    routes: Iterable[str],
    hosts: Iterable[str] = (),
) -> Registry:
    """Make these active in place of what the last call did; what `activate` added stays.

    Args:
        contracts: As for `activate`.
        attributes: As for `activate`; they win over those that it added.
        routes: As for `activate`.
        hosts: As for `activate`.

    Raises:
        ContractError: As for `activate`.
        ConfigurationError: As for `activate`.

    .. versionadded:: 0.1.0
    """
    with _process.lock:
        new = _layer(contracts, attributes)
        instead_of = _process.configured.shown.without_those_of(_process.added.shown)
        with shown_too(routes, hosts, instead_of) as (_, fresh):
            return _put(_process.added.with_newer(new.contracts), replace(new, shown=fresh))


def _layer(contracts: object, attributes: object) -> _Layer:
    from discreet.contract.source import application_types, base_contracts, find

    contracts = listed(contracts, "contracts")
    if attributes is not None and not isinstance(attributes, Mapping):
        raise ConfigurationError(
            "must be a mapping of names to types", place="attributes", remedy='Write {"tenant": "id"}.'
        )
    found = tuple(find(one) for one in contracts)
    types = application_types(attributes or {})
    base, _ = base_contracts()
    return _Layer({os.path.realpath(one.file): one for one in found if one not in base}, types)


def _put(added: _Layer, configured: _Layer) -> Registry:
    from discreet.contract.source import base_contracts

    known = active()
    base, _ = base_contracts()
    contracts, attributes = _together(added, configured)
    same = known.contracts == (*base, *contracts) and known.attributes == attributes
    registry = known if same else _make(contracts, attributes)
    _process.added, _process.configured = added, configured
    return known if same else _process.install(registry)


def _together(added: _Layer, configured: _Layer) -> tuple[tuple[Contract, ...], Mapping[str, ValueType]]:
    contracts: list[Contract] = []
    for one in (*added.contracts.values(), *configured.contracts.values()):
        if one not in contracts:
            contracts.append(one)
    return tuple(contracts), {**added.attributes, **configured.attributes}


def snapshot() -> Any:
    """Return what is active now, for `restore`.

    .. versionadded:: 0.1.0
    """
    with _process.lock:
        return _process.added, _process.configured, _process.registry, registered_shown()


def restore(before: Any) -> None:
    """Go back to what was active when a snapshot was taken.

    Args:
        before: What `snapshot` returned.

    .. versionadded:: 0.1.0
    """
    with _process.lock:
        _process.added, _process.configured, registry, shown = before
        if _process.registry is not registry:
            _process.registry = registry
            _process.generation += 1
        restore_shown(shown)


def reset() -> None:
    """Go back to the shipped contracts and those of installed packages.

    .. versionadded:: 0.1.0
    """
    with _process.lock:
        _process.added = _process.configured = _Layer()
        _process.registry = None
        _process.generation += 1


def _make(added: tuple[Contract, ...], attributes: Mapping[str, ValueType]) -> Registry:
    from discreet.contract.installed import release_in
    from discreet.contract.source import base_contracts

    base, problems = base_contracts()
    return Registry((*base, *added), attributes, release_in=release_in, problems=problems)
