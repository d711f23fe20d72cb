"""stamina's retries: each attempt that is repeated is logged, by a hook of stamina's own kind."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import wraps
from types import FunctionType
from typing import Any, Final

from discreet.instrument.attempts import Reason, attempt_failed
from discreet.instrument.base import LibraryInstrumentor, Target
from discreet.instrument.observed import Switch
from discreet.instrument.quiet import never_raises
from discreet.instrument.streams import pass_over

__all__ = ["StaminaInstrumentor"]

pass_over(__file__)

_LOGGING: Final = frozenset({"stamina.instrumentation._logging", "stamina.instrumentation._structlog"})
"""Where stamina makes its own hooks that log."""


class _Config:
    """stamina's configuration as a loop of retries sees it: of that, only the hooks are looked at."""

    def __init__(self, config: Any, hook: Callable[[Any], None]) -> None:
        self._config = config
        self._hook = hook

    @property
    def on_retry(self) -> tuple[Callable[[Any], Any], ...]:
        """The hooks to call: ours first, so that an attempt is told of whatever another hook raises."""
        return (self._hook, *(hook for hook in self._config.on_retry if not _logs(hook)))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._config, name)


def _logs(hook: Any) -> bool:
    # Of a function only: an object of the application's may answer with code of its own.
    return type(hook) is FunctionType and hook.__module__ in _LOGGING


def _hooked(switch: Switch) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    @never_raises
    def hook(details: Any) -> None:
        # A loop that runs when this is undone has it until its end.
        if switch.on:
            attempt_failed(Reason.of(details.caused_by), details.retry_num, details.wait_for)

    def within(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def make(name: Any, config: Any, *others: Any, **options: Any) -> Any:
            return function(name, _Config(config, hook), *others, **options)

        return make

    return within


class StaminaInstrumentor(LibraryInstrumentor):
    """Logs each attempt that stamina repeats, as of its releases from 24.3 to 26.

    ::

        StaminaInstrumentor().instrument()

    Each has one record ``attempt_failed`` at INFO on the logger ``discreet`` with the number of the attempt, the wait
    in seconds, and the exception's error code by contract, or its class if it has none; nothing of the function's name,
    its arguments or the exception's text. In a call that :func:`discreet.observe_call` observes, it has the call's
    operation, and ``call_finished`` has the number of ``retries``. What fails in its last attempt is an ``error``
    there.

    The hooks that the application gives to ``stamina.instrumentation.set_on_retry_hooks()`` are called as ever, before
    and after this is undone. stamina's own two hooks that log, of which one is its default, are not called meanwhile:
    they log arguments and the exception's text, one of them past `logging`.

    .. versionadded:: 0.1.0
    """

    package = "stamina"
    dependencies = ("stamina >= 24.3, < 27",)

    def targets(self) -> Collection[Target]:
        """Return the function with which stamina makes what it calls before it waits."""
        return (Target(where="stamina._core:_make_before_sleep", how=None, within=_hooked(self._switch)),)
