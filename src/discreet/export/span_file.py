"""SpanFileExporter: finished spans as lines of JSON in a file."""

from __future__ import annotations

import contextlib
import math
import os
import time
from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any, Final

from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

from discreet.errors import ConfigurationError
from discreet.export.encode import encode
from discreet.export.ledger import LEDGER
from discreet.forks import ForkSafeLock

__all__ = ["SpanFileExporter", "span_fields"]

_MAX_INT: Final = 2**64
_MAX_DEPTH: Final = 8


class SpanFileExporter(SpanExporter):
    """Append each finished span as one line of JSON to a file.

    The bytes of a batch are written with one call to a file opened for appending, so that
    forked children and other processes may write to it as well without mixing lines.

    It writes what it is given: put `GuardedSpanExporter` in front of it for spans that
    others make.

    Args:
        path: The file; made when it is missing.
        name: What the ledger calls this sink, which counts spans.

    Raises:
        ConfigurationError: The file can't be opened for appending.

    .. versionadded:: 0.1.0
    """

    def __init__(self, path: str | PathLike[str], *, name: str = "span_file") -> None:
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_CLOEXEC", 0)
        try:
            self._fd = os.open(path, flags, 0o640)
        except (OSError, TypeError, ValueError) as error:
            raise ConfigurationError(
                f"can't open the file for appending ({type(error).__name__})",
                place="exporter",
                remedy="Check that its folder exists and may be written to.",
            ) from error
        self._name = name
        self._torn = False
        self._lock = ForkSafeLock()

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Write spans; those that are not in the file afterwards are counted as missing."""
        counts = LEDGER.sink(self._name)
        lines: list[bytes] = []
        for span in spans:
            try:
                lines.append(encode(span_fields(span)))
            except Exception as error:
                # A foreign span may hold anything. The others of its batch must still get out.
                counts.count_missing("unreadable")
                LEDGER.failure("span_file", error)
        written = self._write(lines)
        for _ in range(written):
            counts.count_observed()
        return SpanExportResult.SUCCESS if written == len(spans) else SpanExportResult.FAILURE

    def _write(self, lines: list[bytes]) -> int:
        """Return how many lines are whole in the file."""
        with self._lock:
            if self._fd < 0:
                self._miss("closed", len(lines))
                return 0
            # After a write that broke off, the next line must not be glued to the half one.
            lead = b"\n" if self._torn else b""
            data = memoryview(lead + b"".join(lines))
            done = 0
            try:
                while done < len(data):
                    done += os.write(self._fd, data[done:])
            except OSError as error:
                LEDGER.failure("span_file", error)
            whole, end = 0, len(lead)
            while whole < len(lines) and end + len(lines[whole]) <= done:
                end += len(lines[whole])
                whole += 1
            if done:
                self._torn = done > end
            self._miss("write_failed", len(lines) - whole)
            return whole

    def _miss(self, reason: str, count: int) -> None:
        for _ in range(count):
            LEDGER.sink(self._name).count_missing(reason)

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        """Do nothing: every span is handed to the operating system at once."""
        return True

    def shutdown(self) -> None:
        """Close the file; spans that come later are counted as missing."""
        with self._lock:
            if self._fd >= 0:
                with contextlib.suppress(OSError):
                    # Nothing is buffered here, so a failing close loses nothing.
                    os.close(self._fd)
                self._fd = -1


def span_fields(span: ReadableSpan) -> dict[str, Any]:
    """Return the fields of a span's line; what a span doesn't have is absent.

    Times are RFC 3339 in UTC with nanoseconds, ids are hexadecimal, `duration_ms` is in
    milliseconds, and attributes keep their names one level down.

    Args:
        span: A finished span.

    .. versionadded:: 0.1.0
    """
    out: dict[str, Any] = {}
    start, end = span.start_time, span.end_time
    if start is not None:
        out["start_time"] = rfc3339(start)
    if end is not None:
        out["end_time"] = rfc3339(end)
    if start is not None and end is not None:
        out["duration_ms"] = (end - start) / 1e6
        out["start_time_unix_nano"] = start
        out["end_time_unix_nano"] = end
    out["name"] = span.name
    out["kind"] = span.kind.name
    out["status"] = span.status.status_code.name
    if span.status.description:
        out["status_description"] = span.status.description
    context = span.get_span_context()
    if context is not None:
        out["trace_id"] = f"{context.trace_id:032x}"
        out["span_id"] = f"{context.span_id:016x}"
    if span.parent is not None:
        out["parent_span_id"] = f"{span.parent.span_id:016x}"
    scope = span.instrumentation_scope
    if scope is not None and scope.name:
        out["scope"] = scope.name
    service = span.resource.attributes.get("service.name")
    if service is not None:
        out["service"] = service
    if span.attributes:
        out["attributes"] = span.attributes
    if span.events:
        out["events"] = [
            {
                "name": event.name,
                "time": rfc3339(event.timestamp),
                "time_unix_nano": event.timestamp,
                "attributes": event.attributes or {},
            }
            for event in span.events
        ]
    if span.links:
        out["links"] = [
            {
                "trace_id": f"{link.context.trace_id:032x}",
                "span_id": f"{link.context.span_id:016x}",
                "attributes": link.attributes or {},
            }
            for link in span.links
        ]
    return {key: _plain(value, 0) for key, value in out.items()}


def rfc3339(nanoseconds: int) -> str:
    """Return a time in UTC with nine digits, such as ``2026-01-31T09:30:00.250000000Z``.

    Args:
        nanoseconds: Since the epoch.

    .. versionadded:: 0.1.0
    """
    seconds, rest = divmod(nanoseconds, 1_000_000_000)
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(seconds))}.{rest:09d}Z"


def _plain(value: object, depth: int) -> Any:
    """Return a value that JSON can hold; null for what it can't, and for what nests too deep."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        if value.isascii():
            return value
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, int):
        return value if -_MAX_INT // 2 <= value < _MAX_INT else None
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if depth >= _MAX_DEPTH:
        return None
    if isinstance(value, Mapping):
        return {_plain(key, depth): _plain(item, depth + 1) for key, item in value.items() if isinstance(key, str)}
    if isinstance(value, list | tuple):
        return [_plain(item, depth + 1) for item in value]
    return None
