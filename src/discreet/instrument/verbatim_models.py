"""Models that verbatim 0.2.8 loads, and the records of it."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from functools import wraps
from inspect import signature
from threading import get_ident
from typing import Any, Final

from discreet.instrument.quiet import never_raises
from discreet.instrument.streams import pass_over

__all__ = ["embedding", "loaded"]

pass_over(__file__)

Part = Callable[..., Any]
_log: Final = logging.getLogger("verbatim_core.extractors")


def loaded(function: Part) -> Part:
    """Return what makes an extractor of 0.2.8, which says only that it begins to load its model.

    .. versionadded:: 0.1.0
    """
    form = signature(function)

    @never_raises
    def tell(milliseconds: float, *args: Any, **kwargs: Any) -> None:
        bound = form.bind(*args, **kwargs)
        bound.apply_defaults()
        model = bound.arguments.get("model_path", bound.arguments.get("model_name"))
        about = {"event": "model_loaded", "model": model, "device": args[0].device, "duration_ms": milliseconds}
        _log.info("Model loaded in %.0f ms", milliseconds, extra=about)

    @wraps(function)
    def made(self: Any, *args: Any, **kwargs: Any) -> None:
        started = time.perf_counter()
        function(self, *args, **kwargs)
        tell(round((time.perf_counter() - started) * 1000, 3), self, *args, **kwargs)

    return made


class _Loading:
    """A filter that gives the library's own record of a model what it lacks."""

    def __init__(self, owner: Any) -> None:
        self._owner = owner
        self._thread = get_ident()
        self._started = time.perf_counter()

    def filter(self, record: logging.LogRecord) -> bool:
        if get_ident() == self._thread and record.levelno == logging.INFO:
            self._add(record)
        return True

    @never_raises
    def _add(self, record: logging.LogRecord) -> None:
        milliseconds = round((time.perf_counter() - self._started) * 1000, 3)
        about = {"event": "model_loaded", "duration_ms": milliseconds}
        for name, attribute in (("model", "model_name"), ("device", "device")):
            value = getattr(self._owner, attribute, None)
            about |= {name: value} if type(value) is str else {}
        for name, value in about.items():
            vars(record).setdefault(name, value)


def embedding(function: Part) -> Part:
    """Return what loads an embedding model, of which 0.2.8 itself logs only the name.

    .. versionadded:: 0.1.0
    """
    log = logging.getLogger(function.__module__)

    @wraps(function)
    def load(self: Any, *args: Any, **kwargs: Any) -> Any:
        loading = _Loading(self)
        log.addFilter(loading)
        try:
            return function(self, *args, **kwargs)
        finally:
            log.removeFilter(loading)

    return load
