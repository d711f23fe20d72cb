"""A picture of everything global that logging has, and the way back to it."""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

# Whoever guards or spies on logging replaces methods of these.
PATCHED = (
    logging.Filterer,
    logging.Handler,
    logging.StreamHandler,
    logging.Formatter,
    logging.Logger,
    logging.LogRecord,
    logging.LoggerAdapter,
    logging.Manager,
)
HOOKS = [
    (sys, "excepthook"),
    (sys, "unraisablehook"),
    (threading, "excepthook"),
]
# A module that was first imported inside a test keeps its logger, so loggers stay and only
# their settings go. The one handler that may stay says nothing.
SILENT = logging.NullHandler


@dataclass(frozen=True)
class LoggerSettings:
    """What can be set on one logger."""

    level: int = logging.NOTSET
    handlers: tuple[logging.Handler, ...] = ()
    filters: tuple[Any, ...] = ()
    propagate: bool = True
    disabled: bool = False

    @classmethod
    def of(cls, logger: logging.Logger) -> LoggerSettings:
        return cls(
            logger.level,
            tuple(logger.handlers),
            tuple(logger.filters),
            logger.propagate,
            logger.disabled,
        )

    def restore(self, logger: logging.Logger) -> None:
        logger.level = self.level
        logger.handlers[:] = self.handlers
        logger.filters[:] = self.filters
        logger.propagate = self.propagate
        logger.disabled = self.disabled


def _loggers() -> dict[str, logging.Logger]:
    manager = logging.Logger.manager
    named = {k: v for k, v in manager.loggerDict.items() if isinstance(v, logging.Logger)}
    return {"": logging.root, **named}


def _dunder(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


def _vars(owner: object) -> dict[str, Any]:
    return {name: value for name, value in vars(owner).items() if not _dunder(name)}


def _set_back(owner: Any, before: dict[str, Any]) -> None:
    now = _vars(owner)
    for name in now.keys() - before.keys():
        if not isinstance(now[name], ModuleType):  # `import logging.config` stays done
            delattr(owner, name)
    for name, value in before.items():
        if name not in now or now[name] is not value:
            setattr(owner, name, value)


@dataclass
class LoggingState:
    """The picture. `restore` may be called once."""

    module: dict[str, Any] = field(default_factory=lambda: _vars(logging))
    classes: dict[type, dict[str, Any]] = field(default_factory=lambda: {cls: _vars(cls) for cls in PATCHED})
    hooks: list[Callable[..., Any]] = field(default_factory=lambda: [getattr(owner, name) for owner, name in HOOKS])
    loggers: dict[str, LoggerSettings] = field(
        default_factory=lambda: {name: LoggerSettings.of(it) for name, it in _loggers().items()}
    )
    level_to_name: dict[int, str] = field(default_factory=lambda: dict(logging._levelToName))
    name_to_level: dict[str, int] = field(default_factory=lambda: dict(logging._nameToLevel))
    handler_list: list[Any] = field(default_factory=lambda: list(logging._handlerList))  # type: ignore[attr-defined]
    handlers: dict[str, Any] = field(default_factory=lambda: dict(logging._handlers))
    disable: int = field(default_factory=lambda: logging.root.manager.disable)
    logger_class: Any = field(default_factory=lambda: logging.root.manager.loggerClass)
    record_factory: Any = field(default_factory=lambda: logging.root.manager.logRecordFactory)

    def restore(self) -> None:
        """Put everything back and close the handlers made since."""
        if logging._warnings_showwarning is not None:  # type: ignore[attr-defined]
            logging.captureWarnings(False)
        _set_back(logging, self.module)
        for cls, before in self.classes.items():
            _set_back(cls, before)
        for (owner, name), hook in zip(HOOKS, self.hooks, strict=True):
            setattr(owner, name, hook)
        self._restore_handlers()
        self._restore_loggers()
        _refill(logging._levelToName, self.level_to_name)
        _refill(logging._nameToLevel, self.name_to_level)

    def _restore_handlers(self) -> None:
        known = {id(reference()) for reference in self.handler_list}
        for reference in list(logging._handlerList):  # type: ignore[attr-defined]
            handler = reference()
            if handler is not None and id(handler) not in known:
                handler.close()
        logging._handlerList[:] = self.handler_list  # type: ignore[attr-defined]
        logging._handlers.clear()
        logging._handlers.update(self.handlers)

    def _restore_loggers(self) -> None:
        manager = logging.root.manager
        manager.disable = self.disable
        manager.loggerClass = self.logger_class
        manager.logRecordFactory = self.record_factory
        for name, logger in _loggers().items():
            silent = tuple(handler for handler in logger.handlers if type(handler) is SILENT)
            self.loggers.get(name, LoggerSettings(handlers=silent)).restore(logger)
        manager._clear_cache()  # type: ignore[attr-defined]


def _refill(target: dict[Any, Any], content: dict[Any, Any]) -> None:
    target.clear()
    target.update(content)
