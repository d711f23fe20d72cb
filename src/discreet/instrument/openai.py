"""openai's client: requests to models, sync, async and streamed, and the client's own retries."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection
from functools import wraps
from inspect import iscoroutinefunction, unwrap
from types import TracebackType
from typing import Any, Final, Self

from opentelemetry.trace import SpanKind

from discreet.call_counts import CALLS
from discreet.calls import begun
from discreet.instrument.base import LibraryInstrumentor, Target
from discreet.instrument.hidden import Begun
from discreet.instrument.openai_streams import watch_stream
from discreet.instrument.openai_texts import texts_of
from discreet.instrument.openai_watch import RUNNING, Kind, Watch
from discreet.instrument.streams import Stretches, inside, pass_over

__all__ = ["OpenAIInstrumentor"]

pass_over(__file__)

_CHAT: Final = Kind("openai.chat", "chat", "messages")
_RESPONSES: Final = Kind("openai.responses", "chat", "input")
_COMPLETIONS: Final = Kind("openai.completions", "text_completion", "prompt")
_EMBEDDINGS: Final = Kind("openai.embeddings", "embeddings", "input")

_METHODS: Final = (
    (_CHAT, "openai.resources.chat.completions.completions", "Completions", "create"),
    (_CHAT, "openai.resources.chat.completions.completions", "Completions", "parse"),
    (_RESPONSES, "openai.resources.responses.responses", "Responses", "create"),
    (_RESPONSES, "openai.resources.responses.responses", "Responses", "parse"),
    (_COMPLETIONS, "openai.resources.completions", "Completions", "create"),
    (_EMBEDDINGS, "openai.resources.embeddings", "Embeddings", "create"),
)


def _watched(kind: Kind) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def within(function: Callable[..., Any]) -> Callable[..., Any]:
        CALLS.declare(kind.operation)
        if iscoroutinefunction(function):
            return _awaited(function, kind)
        # A decorator of the client's own hides what kind of function it is. It refuses what it is called with at once.
        return _later(function, kind) if iscoroutinefunction(unwrap(function)) else _returned(function, kind)

    return within


class _Request:
    """A request and its call: the client's own retries are told of while it is made."""

    def __init__(self, kind: Kind, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self._call = begun(kind.operation, texts_of(kind.text, kwargs), None, SpanKind.CLIENT)
        self._watch = Watch(self._call, kind)
        self._watch.asked(args, kwargs)
        self._before: Watch | None = None

    def __enter__(self) -> Self:
        self._before = RUNNING.get()
        RUNNING.set(self._watch)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        RUNNING.set(self._before)
        if error is not None:
            self._call.end(error, inside(error))

    def answered(self, value: Any, stretches: Stretches) -> None:
        """End the call, unless a stream does."""
        if not watch_stream(value, self._call, self._watch, stretches):
            self._watch.answered(value)
            self._call.end()


def _returned(function: Callable[..., Any], kind: Kind) -> Callable[..., Any]:
    @wraps(function)
    def request(*args: Any, **kwargs: Any) -> Any:
        stretches = Stretches()
        with stretches:
            with _Request(kind, args, kwargs) as made:
                value = function(*args, **kwargs)
            made.answered(value, stretches)
        return value

    return request


def _awaited(function: Callable[..., Any], kind: Kind) -> Callable[..., Any]:
    @wraps(function)
    async def request(*args: Any, **kwargs: Any) -> Any:
        return await _waited_for(lambda: function(*args, **kwargs), kind, args, kwargs)

    return request


def _later(function: Callable[..., Any], kind: Kind) -> Callable[..., Any]:
    @wraps(function)
    def request(*args: Any, **kwargs: Any) -> Any:
        waited_for: Any = _waited_for(Begun(function(*args, **kwargs)), kind, args, kwargs)
        waited_for.__name__, waited_for.__qualname__ = request.__name__, request.__qualname__
        return waited_for

    return request


async def _waited_for(
    begin: Callable[[], Awaitable[Any]], kind: Kind, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    stretches = Stretches()
    with stretches:
        with _Request(kind, args, kwargs) as made:
            value = await begin()
        made.answered(value, stretches)
    return value


def _waits(function: Callable[..., Any]) -> Callable[..., Any]:
    """The client asks this how long to wait, once before each attempt but the first, and for nothing else."""

    @wraps(function)
    def wait(*args: Any, **kwargs: Any) -> Any:
        seconds = function(*args, **kwargs)
        watch = RUNNING.get()
        if watch is not None:
            watch.retried(seconds)
        return seconds

    return wait


class OpenAIInstrumentor(LibraryInstrumentor):
    """Observes requests to models that openai's client makes, as of its releases 2 and 3.

    ::

        OpenAIInstrumentor().instrument()

    Each of these is a call as of :func:`discreet.observe_call`, with the client sync or async, whole or streamed:

    - ``openai.chat``: ``chat.completions.create`` and ``parse``;
    - ``openai.responses``: ``responses.create`` and ``parse``;
    - ``openai.completions`` and ``openai.embeddings``: their ``create``.

    The span has the numbers and names of OpenTelemetry's GenAI conventions, and no content. What the model is given is
    registered as customer text while the request runs; what it replies, in the call or text scope around it until that
    ends. Each failed attempt that the client itself repeats has one record ``attempt_failed`` with its error code and
    ``wait_s``, and ``call_finished`` has the number of ``retries``. Nothing is repeated by this.

    .. versionadded:: 0.1.0
    """

    package = "openai"
    dependencies = ("openai >= 2, < 4",)

    def targets(self) -> Collection[Target]:
        """Return the client's methods."""
        return (
            *(
                Target(where=f"{module}:{prefix}{name}.{method}", how=None, within=_watched(kind))
                for kind, module, name, method in _METHODS
                for prefix in ("", "Async")
            ),
            Target(where="openai._base_client:BaseClient._calculate_retry_timeout", how=None, within=_waits),
        )
