"""The base of our handlers: they seal by themselves, count every record and never raise."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from discreet.errors import ConfigurationError
from discreet.export.counts import SinkCounts
from discreet.export.ledger import LEDGER
from discreet.seal.classes import shown_class
from discreet.seal.record import Sealed, SealedRecord
from discreet.seal.sealing import seal


class SealingHandler(logging.Handler):
    """A handler whose subclasses see sealed records only.

    .. versionadded:: 0.1.0
    """

    def __init__(self, level: int | str = logging.NOTSET, *, sink: str) -> None:
        # First, since logging itself will close what it has once heard of.
        if type(sink) is not str or not sink:
            raise ConfigurationError("must be a text", place="name", remedy="Leave it out for the default.")
        try:
            super().__init__(level)
        except (TypeError, ValueError) as error:
            raise ConfigurationError(
                "is not a level", place="level", remedy="Use DEBUG, INFO, WARNING, ERROR, CRITICAL or a number."
            ) from error
        self.sink_name = sink
        self.counts: SinkCounts = LEDGER.sink(sink)
        self.retired = False
        self._said: set[str] = set()

    def write_sealed(self, sealed: Sealed) -> None:
        """Hand one sealed record on; whatever it raises is counted.

        Not called ``write``: loguru takes whatever has a method of that name for a stream.
        """
        raise NotImplementedError

    def accepts(self, sealed: Sealed) -> bool:
        """Tell whether a record is meant for this sink; others are counted as filtered."""
        return True

    def handle(self, record: logging.LogRecord) -> Any:
        """Filter, seal, count and write a record."""
        if self.filters:
            kept = self.filter(record)
            if not kept:
                self.counts.count_filtered()
                return kept
            if isinstance(kept, logging.LogRecord):
                record = kept
        self.emit(record)
        return True

    handle.__discreet_seals__ = True  # type: ignore[attr-defined]  # install() leaves this class alone

    def emit(self, record: logging.LogRecord) -> None:
        """Seal and write a record; a failure is counted, and told once on stderr by its class."""
        sealed = record.sealed if type(record) is SealedRecord else seal(record)
        counts = self.counts
        if not self.accepts(sealed):
            counts.count_filtered()
            return
        self.acquire()
        try:
            self.write_sealed(sealed)
            counts.count_observed()
        except Exception as error:
            self.failed(error, sealed)
        finally:
            self.release()

    def retire(self, timeout: float | None = None) -> None:
        """Close for good: what still comes, from a thread that was about to log, is counted as missing.

        Args:
            timeout: seconds that handing on what waits in memory may take, where something does.
        """
        self.retired = True
        self.close()

    def begin_retiring(self, timeout: float) -> None:
        """Let what waits in memory be handed on within a time, while nobody waits for that yet."""

    def failed(self, error: Exception, sealed: Sealed) -> None:
        """Count that a record is missing, and say so once: a log call must not fail because its sink does."""
        reason = "closed" if isinstance(error, BrokenPipeError) else "write_failed"
        try:
            self.counts.count_missing(reason)
            self._say(reason, error, sealed)
        except (RecursionError, MemoryError):
            # Near the limit of the stack or of memory: nothing more of ours is called, not even to count.
            missing = self.counts.missing_by_reason
            missing[reason] = missing.get(reason, 0) + 1

    def handleError(self, record: logging.LogRecord) -> None:
        """Count a failure; logging's own way would print the message and its arguments."""
        self.counts.count_missing("write_failed")

    @contextmanager
    def guarding(self) -> Iterator[None]:
        """Hold the handler's lock."""
        self.acquire()
        try:
            yield
        finally:
            self.release()

    def _say(self, reason: str, error: Exception, sealed: Sealed) -> None:
        if self.retired or not logging.raiseExceptions or reason in self._said:
            return
        self._said.add(reason)
        try:
            sys.stderr.write(
                f"--- Logging error --- sink {self.sink_name} failed with {shown_class(type(error))}"
                f" on logger {sealed.logger}; further failures are only counted\n"
            )
        except Exception as failed:
            # Whatever stands there as a stream: nobody listens on stderr: the ledger is the only place left.
            LEDGER.failure("stderr", failed)
