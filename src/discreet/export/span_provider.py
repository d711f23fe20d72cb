"""A tracer provider of our own in front of one span exporter."""

from __future__ import annotations

# A tracer provider runs a thread pool in every forked child. The pool's own fork hook must have
# released the pool's lock by then, and hooks run in the order in which modules registered them.
import concurrent.futures.thread  # noqa: F401
import inspect
import threading
from os import PathLike
from typing import TYPE_CHECKING, Any, Final

from opentelemetry.sdk.trace import SpanProcessor, SynchronousMultiSpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import (
    BatchSpanProcessor,
    ConsoleSpanExporter,
    SimpleSpanProcessor,
    SpanExporter,
)
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from discreet.errors import ConfigurationError
from discreet.exits import at_exit, not_at_exit
from discreet.export.ledger import LEDGER
from discreet.export.otlp.settings import Endpoint, sdk_disabled
from discreet.export.otlp.setup import DEFAULT_SHUTDOWN_S
from discreet.export.resource import service_resource
from discreet.export.span_file import SpanFileExporter
from discreet.export.span_guard import GuardedSpanExporter

if TYPE_CHECKING:
    from discreet.export.otlp.spans import OtlpSpanProcessor

__all__ = ["SpanPipeline", "open_exporter"]

# These do their work within the call and start no thread that could be lost in a fork.
_IN_PROCESS: Final = (SpanFileExporter, InMemorySpanExporter, ConsoleSpanExporter)


def open_exporter(
    exporter: SpanExporter | type[SpanExporter] | str | PathLike[str],
) -> SpanExporter:
    """Return the span exporter that an option names.

    Args:
        exporter: A path, for `SpanFileExporter`; an exporter; or the class of one, which is
            called without arguments.

    Raises:
        ConfigurationError: It is none of these, or the file can't be opened.

    .. versionadded:: 0.1.0
    """
    if isinstance(exporter, str | PathLike):
        return SpanFileExporter(exporter)
    if inspect.isclass(exporter):
        try:
            exporter = exporter()
        except Exception as error:
            raise ConfigurationError(
                f"the exporter's class can't be called without arguments ({type(error).__name__})",
                place="exporter",
                remedy="Give an exporter instead of its class.",
            ) from error
    if not callable(getattr(exporter, "export", None)) or not callable(getattr(exporter, "shutdown", None)):
        raise ConfigurationError(
            "is neither a path nor a span exporter",
            place="exporter",
            remedy="In a dictConfig name an object or class: ext://package.Exporter.",
        )
    return exporter


class SpanPipeline:
    """A tracer provider whose spans go through the guard into an exporter, over OTLP, or both.

    Exporters that write within this process are called for each span; others get batches
    from the SDK's background thread.

    Args:
        exporter: As for `open_exporter`; None for OTLP alone.
        service: The `service.name` of the resource; by default what the SDK finds in the
            environment.
        otlp: Where spans are sent over OTLP.
        shutdown_timeout: Seconds that the end of the process may take to send what waits.

    Raises:
        ConfigurationError: The exporter is none, or its file can't be opened; a variable of the SDK
            is wrong; or OTLP lacks its libraries.

    .. versionadded:: 0.1.0
    """

    provider: TracerProvider
    """The provider: what leaves it is guarded."""

    processor: SpanProcessor
    """Where its spans go, to which other providers may lead spans as well."""

    def __init__(
        self,
        exporter: SpanExporter | type[SpanExporter] | str | PathLike[str] | None,
        *,
        service: str | None = None,
        otlp: Endpoint | None = None,
        shutdown_timeout: float = DEFAULT_SHUTDOWN_S,
    ) -> None:
        resource = service_resource(service)
        processors: list[SpanProcessor] = []
        self._batched = False
        self._otlp: OtlpSpanProcessor | None = None
        if otlp is not None and not sdk_disabled():
            from discreet.export.otlp.spans import OtlpSpanProcessor

            self._otlp = OtlpSpanProcessor(otlp, shutdown_timeout=shutdown_timeout)
            processors.append(self._otlp)
            self._batched = True
        if exporter is not None:
            opened = open_exporter(exporter)
            inner: Any = opened.exporter if isinstance(opened, GuardedSpanExporter) else opened
            guarded = opened if isinstance(opened, GuardedSpanExporter) else GuardedSpanExporter(opened)
            in_process = isinstance(inner, _IN_PROCESS)
            processors.append(SimpleSpanProcessor(guarded) if in_process else BatchSpanProcessor(guarded))
            self._batched = self._batched or not in_process
        self.processor = _together(processors)
        # We stop it ourselves: `stop` must know whether the SDK already has.
        try:
            self.provider = TracerProvider(resource=resource, shutdown_on_exit=False)
        except ValueError:
            # Its sentence has the variable's text.
            raise ConfigurationError(
                "a variable of OpenTelemetry's SDK has a wrong value",
                place="spans",
                remedy="Look at those whose names end in _LIMIT: each is a whole number.",
            ) from None
        self.provider.add_span_processor(self.processor)
        self._stopped = False
        at_exit(self._stop_now)

    def force_flush(self, timeout_ms: int = 30_000) -> bool:
        """Export the spans that wait in the queue.

        Args:
            timeout_ms: How long to wait, in milliseconds.

        Returns:
            Whether that was done in time.
        """
        if not self._batched or self._stopped:
            return self.provider.force_flush(timeout_ms)
        # The SDK's batches don't keep to their timeout:
        # https://github.com/open-telemetry/opentelemetry-python/issues/4568
        done: list[bool] = []
        thread = threading.Thread(
            target=lambda: done.append(self.provider.force_flush(timeout_ms)),
            name="discreet-span-flush",
            daemon=True,
        )
        try:
            thread.start()
        except RuntimeError as error:
            # The interpreter is going down, or there are too many threads. What waits is sent at the end.
            LEDGER.failure("otlp", error)
            return False
        thread.join(timeout_ms / 1000)
        return done == [True]

    def begin_stopping(self, timeout: float) -> None:
        """Take no more for OTLP, and send what waits within a time.

        Args:
            timeout: Seconds.
        """
        if self._otlp is not None:
            self._otlp.stop(timeout, wait=False)

    def stop(self, timeout: float | None = None, *, wait: bool = False) -> None:
        """Export what waits and shut the exporters down.

        With `wait` this returns when all is done, or with a `timeout` when that is over.
        Without, a batch's shutdown runs in a thread of its own, for whose end the interpreter
        waits before it exits: `dictConfig` closes handlers under a lock that the exporting
        thread needs as soon as it logs.

        Args:
            timeout: Seconds to wait.
            wait: Whether to wait without a bound.
        """
        if self._stopped:
            return
        if wait or not self._batched:
            self._stop_now()
            return
        thread = threading.Thread(target=self._stop_now, name="discreet-span-shutdown", daemon=False)
        try:
            thread.start()
        except RuntimeError:
            # The interpreter is going down and starts no more threads: only waiting is left.
            self._stop_now()
            return
        if timeout is not None:
            thread.join(timeout)
            if self._otlp is not None:
                # What has no answer by now is counted, so that nothing is pending that nobody waits for.
                self._otlp.stop(0)

    def _stop_now(self) -> None:
        if self._stopped:
            return
        self._stopped = True
        not_at_exit(self._stop_now)
        self.provider.shutdown()


def _together(processors: list[SpanProcessor]) -> SpanProcessor:
    if len(processors) == 1:
        return processors[0]
    both = SynchronousMultiSpanProcessor()  # type: ignore[no-untyped-call]  # as the SDK has it
    for processor in processors:
        both.add_span_processor(processor)
    return both
