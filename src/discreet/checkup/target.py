"""What the command looks at: an application's set-up, or a logging configuration, applied in its own process."""

from __future__ import annotations

import configparser
import importlib
import inspect
import json
import logging.config
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Final, TypeVar, cast

from discreet.contract import active
from discreet.errors import ConfigurationError, DiscreetError
from discreet.seal.exceptions import describe
from discreet.seal.names import remember_loggers
from discreet.seal.peek import cause, context

__all__ = ["apply_config", "run_app", "set_up"]

T = TypeVar("T")

_MAX_LINKS: Final = 50


def set_up(app: str | None, config: str | None, then: Callable[[], T]) -> T:
    """Set a process up as a command's options say, and do something then.

    Args:
        app: the application, as for :func:`run_app`.
        config: the path of a logging configuration, applied first; without both it is ``discreet.configure()``.
        then: what to do then.

    Returns:
        What that returned.

    Raises:
        ConfigurationError: it can't be applied.

    .. versionadded:: 0.1.0
    """

    def settled() -> T:
        # No customer has come to this process: its loggers are the program's.
        remember_loggers(again=True)
        return then()

    if config is not None:
        apply_config(config)
    if app is not None:
        return run_app(app, settled)
    if config is None:
        from discreet.config import configure

        configure()
    return settled()


def apply_config(path: str) -> None:
    """Apply a logging configuration: a dictConfig as YAML or JSON, or a fileConfig.

    Args:
        path: the file; ``.yaml`` or ``.yml``, ``.json``, ``.ini``, ``.cfg`` or ``.conf``.

    Raises:
        ConfigurationError: it can't be read, or logging or a part of ours refuses it.

    .. versionadded:: 0.1.0
    """
    file = Path(path)
    try:
        text = file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"can't be read ({type(error).__name__})", place=path) from error
    kind = file.suffix.lower()
    if kind in (".ini", ".cfg", ".conf"):
        _apply(path, lambda: logging.config.fileConfig(path))
        return
    found = _parsed(path, kind, text)
    if not isinstance(found, dict):
        raise ConfigurationError("isn't a mapping", place=path, remedy="Begin it with version: 1.")
    _apply(path, lambda: logging.config.dictConfig(found))


def _parsed(path: str, kind: str, text: str) -> Any:
    if kind == ".json":
        try:
            return json.loads(text)
        except ValueError as error:
            raise ConfigurationError("isn't JSON", place=path) from error
    if kind not in (".yaml", ".yml"):
        raise ConfigurationError("has no known ending", place=path, remedy="Use .yaml, .json or .ini.")
    try:
        import yaml
    except ImportError as error:
        raise ConfigurationError(
            "can't be read without PyYAML", place=path, remedy='Install "discreet[cli]", or give JSON.'
        ) from error
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ConfigurationError("isn't YAML", place=path) from error


def _apply(path: str, work: Callable[[], None]) -> None:
    try:
        work()
    except DiscreetError:
        raise
    except (configparser.Error, KeyError) as error:
        raise ConfigurationError(f"isn't a logging configuration ({type(error).__name__})", place=path) from error
    except Exception as error:
        ours = _ours(error)
        if ours is not None:
            raise ConfigurationError(f"can't be applied: {ours}", place=path) from error
        # logging's own sentence names the part of the file that is wrong.
        said = str(error) if type(error) is ValueError else ""
        why = _why(error.__cause__ or error)
        raise ConfigurationError(f"can't be applied: {f'{said}, ' if said else ''}{why}", place=path) from error


def run_app(target: str, then: Callable[[], T]) -> T:
    """Import an application's module, call its set-up if one is named, and do something then.

    A set-up that is a coroutine function is awaited, and what is done then is done in the same loop. What a name stands
    for that isn't a function, such as an ASGI application, is only imported.

    Args:
        target: ``package.module``, or ``package.module:setup``.
        then: what to do then.

    Returns:
        What that returned.

    Raises:
        ConfigurationError: the module can't be imported, or the set-up can't be called or fails.

    .. versionadded:: 0.1.0
    """
    name, _, path = target.partition(":")
    if not all(part.isidentifier() for part in name.split(".")):
        raise ConfigurationError("is no package.module or package.module:setup", place="--app")
    if "" not in sys.path and str(Path.cwd()) not in sys.path:
        # As servers do it: the command lies somewhere else than the application.
        sys.path.insert(0, str(Path.cwd()))
    found: Any = _guarded(f"can't import {name}", lambda: importlib.import_module(name))
    for part in filter(None, path.split(".")):
        try:
            found = getattr(found, part)
        except AttributeError as error:
            raise ConfigurationError(f"{name} has no {path}", place="--app") from error
    if not path or not (inspect.isroutine(found) or inspect.isclass(found)):
        return then()
    try:
        inspect.signature(found).bind()
    except (TypeError, ValueError) as error:
        raise ConfigurationError(
            f"{path}() takes arguments", place="--app", remedy="Name a function that takes none."
        ) from error
    made = _guarded(f"{path} failed", found)
    if not inspect.isawaitable(made):
        return then()
    return _in_loop(path, made, then)


def _in_loop(path: str, made: Awaitable[Any], then: Callable[[], T]) -> T:
    import asyncio

    failed: list[ConfigurationError] = []

    async def main() -> T | None:
        try:
            await made
        except Exception as error:  # whatever the application raises
            failed.append(_failure(f"{path} failed", error))
            return None
        return then()

    found = asyncio.run(main())
    if failed:
        raise failed[0]
    return cast("T", found)


def _guarded(what: str, work: Callable[[], Any]) -> Any:
    try:
        return work()
    except DiscreetError:
        raise
    except SystemExit as stop:
        raise ConfigurationError(f"{what}: it ended the process", place="--app") from stop
    except Exception as error:
        raise _failure(what, error) from error


def _failure(what: str, error: BaseException) -> ConfigurationError:
    ours = _ours(error)
    return ConfigurationError(f"{what}: {ours if ours is not None else _why(error)}", place="--app")


def _ours(error: BaseException | None) -> DiscreetError | None:
    """Return our own error behind another: its sentence says what to do."""
    for _ in range(_MAX_LINKS):
        if error is None or isinstance(error, DiscreetError):
            return error
        behind = cause(error)
        error = context(error) if behind is None else behind
    return None


def _why(error: BaseException) -> str:
    """Return an exception as it may be told: its class, the module that is missing, and where it was raised."""
    if isinstance(error, SyntaxError) and type(error.filename) is str and type(error.lineno) is int:
        return f"{type(error).__name__} in {Path(error.filename).name}, line {error.lineno}"
    facts = describe(error, error.__traceback__, active())
    missing = error.name if isinstance(error, ImportError) else None
    module = f" for {missing}" if type(missing) is str and all(map(str.isidentifier, missing.split("."))) else ""
    # An import that fails was raised by importlib.
    where = f", at {facts.frames[-1]}" if facts.frames and not module else ""
    return f"{facts.type}{module}{where}"
