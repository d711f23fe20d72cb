"""A tracer provider of our own in front of one span exporter."""

from __future__ import annotations

import atexit

# A tracer provider runs a thread pool in every forked child. The pool's own fork hook must have
# released the pool's lock by then, and hooks run in the order in which modules registered them.
import concurrent.futures.thread  # noqa: F401
import inspect
import threading
from os import PathLike
from typing import Any, Final

from opentelemetry.sdk.resources import SERVICE_NAME, Resource
from opentelemetry.sdk.trace import SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import (
    BatchSpanProcessor,
    ConsoleSpanExporter,
    SimpleSpanProcessor,
    SpanExporter,
)
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from discreet.errors import ConfigurationError
from discreet.export.span_file import SpanFileExporter
from discreet.export.span_guard import GuardedSpanExporter

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
    """A tracer provider whose spans go through the guard into one exporter.

    Exporters that write within this process are called for each span; others get batches
    from the SDK's background thread.

    Args:
        exporter: As for `open_exporter`.
        service: The `service.name` of the resource; by default what the SDK finds in the
            environment.

    Raises:
        ConfigurationError: The exporter is none, or its file can't be opened.

    .. versionadded:: 0.1.0
    """

    provider: TracerProvider
    """The provider: what leaves it is guarded."""

    processor: SpanProcessor
    """Its one processor, to which other providers may lead spans as well."""

    def __init__(
        self,
        exporter: SpanExporter | type[SpanExporter] | str | PathLike[str],
        *,
        service: str | None = None,
    ) -> None:
        if service is not None and (type(service) is not str or not service):
            raise ConfigurationError("must be a text", place="service", remedy="Give the service's name.")
        opened = open_exporter(exporter)
        inner: Any = opened.exporter if isinstance(opened, GuardedSpanExporter) else opened
        guarded = opened if isinstance(opened, GuardedSpanExporter) else GuardedSpanExporter(opened)
        self._batched = not isinstance(inner, _IN_PROCESS)
        self.processor = BatchSpanProcessor(guarded) if self._batched else SimpleSpanProcessor(guarded)
        resource = Resource.create({SERVICE_NAME: service} if service is not None else {})
        # We stop it ourselves: `stop` must know whether the SDK already has.
        self.provider = TracerProvider(resource=resource, shutdown_on_exit=False)
        self.provider.add_span_processor(self.processor)
        self._stopped = False
        atexit.register(self._stop_now)

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
        thread.start()
        thread.join(timeout_ms / 1000)
        return done == [True]

    def stop(self, *, wait: bool = False) -> None:
        """Export what waits and shut the exporter down.

        With `wait` this returns when all is done. Without, a batch's shutdown runs in a
        thread of its own, for whose end the interpreter waits before it exits: `dictConfig`
        closes handlers under a lock that the exporting thread needs as soon as it logs.
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

    def _stop_now(self) -> None:
        if self._stopped:
            return
        self._stopped = True
        atexit.unregister(self._stop_now)
        self.provider.shutdown()
