"""What worker processes do: install the guard in a new one, and say without text why one failed."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from os import PathLike
from pathlib import Path
from typing import Any, Final, NamedTuple

from discreet.contract import activate, active
from discreet.doors.report import tell, to_stderr
from discreet.doors.uncaught import run_guarded
from discreet.environment import setting
from discreet.export.ledger import LEDGER
from discreet.reporter import REPORTER
from discreet.seal.peek import traceback_of
from discreet.seal.values import placeholder

__all__ = ["arrive", "guarded_run", "install_in_worker", "message_to_child"]


def _directory() -> Path | None:
    try:
        return Path.cwd()
    except OSError:
        # It was deleted, which a program need not notice.
        return None


_AT_START: Final = _directory()
"""The directory in which the doors were opened first."""


def install_in_worker(
    contracts: Iterable[str | PathLike[str]] | None = None,
    attributes: Mapping[str, Any] | None = None,
    *,
    routes: Iterable[str] | None = None,
    hosts: Iterable[str] | None = None,
    match: Iterable[str] | None = None,
    strict: bool | None = None,
    streams: bool | None = None,
) -> None:
    """Install the guard in a worker process: for a pool's ``initializer``, where the guard doesn't come by itself.

    Args:
        contracts: contract files, or names of shipped ones; ``DISCREET_CONTRACTS`` when left out.
        attributes: application-wide attributes and their types; ``DISCREET_ATTRIBUTES`` when left out.
        routes: route templates of the application; ``DISCREET_ROUTES`` when left out.
        hosts: hosts that the program talks to; ``DISCREET_HOSTS`` when left out.
        match: loggers in match mode, as for :func:`discreet.install`; ``DISCREET_MATCH`` when left out.
        strict: as for :func:`discreet.install`; ``DISCREET_STRICT`` when left out.
        streams: as for :func:`discreet.install`; ``DISCREET_STREAMS`` when left out.

    Raises:
        ConfigurationError: a contract or another of these is wrong. The guard is installed all the same.

    .. versionadded:: 0.1.0
    """
    from discreet.choke import install
    from discreet.contract.shown import listed
    from discreet.match_mode import checked, set_match

    # First of all: what is wrong with a variable is said later.
    install()
    install(
        strict=setting("strict", default=False) if strict is None else strict,
        streams=setting("streams", default=False) if streams is None else streams,
    )
    activate(
        setting("contracts", ()) if contracts is None else contracts,
        setting("attributes", None) if attributes is None else attributes,
        setting("routes", ()) if routes is None else routes,
        setting("hosts", ()) if hosts is None else hosts,
    )
    set_match("install", checked(listed(setting("match", ()) if match is None else match, "match")))


class _State(NamedTuple):
    contracts: tuple[str, ...]
    strict: bool
    streams: bool
    attributes: dict[str, dict[str, object]]
    routes: tuple[str, ...]
    hosts: tuple[str, ...]
    match: tuple[str, ...]
    client_addresses: bool = False


class _Message:
    """Installs the guard in the process in which it is unpickled."""

    __slots__ = ("state",)

    def __init__(self, state: _State) -> None:
        self.state = state

    def __reduce__(self) -> tuple[Any, ...]:
        return arrive, tuple(self.state)


def message_to_child() -> object:
    """Return what a process object carries to a child that isn't forked. Never raises.

    .. versionadded:: 0.1.0
    """
    try:
        return _Message(_state())
    except Exception as error:
        # The program starts a process. It gets the guard all the same, without what its parent declared safe.
        LEDGER.failure("worker", error)
        return _Message(_State((), strict=False, streams=False, attributes={}, routes=(), hosts=(), match=()))


def _state() -> _State:
    from discreet.choke import is_strict
    from discreet.contract.source import base_contracts
    from discreet.doors import streams_guarded
    from discreet.match_mode import match_prefixes
    from discreet.seal.types.hosts import registered_hosts, shows_client_addresses
    from discreet.seal.types.routes import registered_routes

    base, _ = base_contracts()
    registry = active()
    return _State(
        tuple(_absolute(one.file) for one in registry.contracts if one not in base),
        is_strict(),
        streams_guarded(),
        {name: {"type": kind.name, **dict(kind.options)} for name, kind in registry.attributes.items()},
        tuple(template for _, template in registered_routes()),
        tuple(sorted(registered_hosts())),
        match_prefixes(),
        shows_client_addresses(),
    )


def _absolute(file: str) -> str:
    """Return a contract's file as a child can open it: the program may have changed its directory since."""
    places = [place for place in (_directory(), _AT_START) if place is not None]
    return next((str(place / file) for place in places if (place / file).is_file()), file)


def arrive(*state: Any) -> None:
    """Install the guard as the parent had it; a child starts all the same if that fails.

    Args:
        *state: what the parent had, as it is pickled.

    .. versionadded:: 0.1.0
    """
    from discreet.seal.types import show_client_addresses

    try:
        parent = _State(*state)
        show_client_addresses(parent.client_addresses)
        install_in_worker(
            parent.contracts,
            parent.attributes,
            routes=parent.routes,
            hosts=parent.hosts,
            match=parent.match,
            strict=parent.strict,
            streams=parent.streams,
        )
    except Exception as error:
        LEDGER.failure("worker", error)


def guarded_run(run: Callable[[], Any]) -> Callable[[], None]:
    """Return a process's ``run`` that renders an exception our way: multiprocessing prints it with its text.

    The exit codes stay what they are.

    Args:
        run: the process's own.

    .. versionadded:: 0.1.0
    """

    def guarded() -> None:
        code = 1
        try:
            run()
            return
        except SystemExit as stop:
            if stop.code is None or type(stop.code) is int:
                code = stop.code or 0
            else:
                to_stderr(f"{placeholder(stop.code)}\n")
        except BaseException as exc:
            failed = exc
            run_guarded("worker", failed, lambda: _say(failed))
        finally:
            # A forked worker ends without running what is registered for the exit.
            REPORTER.close()
        raise SystemExit(code)

    return guarded


def _say(exc: BaseException) -> None:
    tell(
        "Uncaught exception in a process",
        "Uncaught exception",
        "uncaught_exception",
        None if issubclass(type(exc), KeyboardInterrupt) else logging.CRITICAL,
        exc,
        type(exc),
        traceback_of(exc),
        place="process",
    )
