"""One sealed record as one line of JSON: always valid, always one physical line, never over the size limit."""

from __future__ import annotations

import json
import math
import re
import time
from collections.abc import Mapping
from typing import Any, Final

import orjson

from discreet.seal.record import Sealed

DEFAULT_MAX_BYTES: Final = 16_384
"""Container runtimes split a line of standard output at about 16 KiB, and a split line is no JSON."""

# Python's str.splitlines() and many viewers break lines at these; terminals obey the C1 controls; the bidirectional
# controls reorder what a person reads. JSON itself needs none of them escaped.
_UNSAFE: Final = re.compile("[\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")

# By place, because a keyword takes longer.
_dumps: Final = orjson.dumps
_NEWLINE: Final = orjson.OPT_APPEND_NEWLINE

_last_second: tuple[float, str] = (-1.0, "")
# One more than there are: a fraction just below a second can round up to it.
_DIGITS: Final = (*(f"{number:03d}" for number in range(1000)), "999")


def timestamp(created: float) -> str:
    """Return RFC 3339 in UTC with microseconds, such as ``2026-01-31T09:30:00.250000Z``.

    Args:
        created: seconds since the epoch.
    """
    global _last_second
    second = created // 1.0
    # Read once: another thread may put another second there meanwhile.
    last = _last_second
    if last[0] != second:
        last = _last_second = (second, time.strftime("%Y-%m-%dT%H:%M:%S.", time.gmtime(second)))
    micros = min(999_999, int((created - second) * 1e6 + 0.5))
    # A fifth of the time of "06d".
    return f"{last[1]}{_DIGITS[micros // 1000]}{_DIGITS[micros % 1000]}Z"


def plain_line(sealed: Sealed) -> bytes:
    """Return the line of a record whose fields go out as they are.

    Args:
        sealed: the record.
    """
    values = sealed.fields
    if values["timestamp"] is None:
        # As timestamp() does, without its call.
        created = sealed.created
        last = _last_second
        passed = created - last[0]
        if 0.0 <= passed < 1.0:
            micros = min(999_999, int(passed * 1e6 + 0.5))
            values["timestamp"] = f"{last[1]}{_DIGITS[micros // 1000]}{_DIGITS[micros % 1000]}Z"
        else:
            values["timestamp"] = timestamp(created)
    try:
        line = _dumps(values, None, _NEWLINE)
    except (TypeError, ValueError):
        return encode(values)
    return line if line.isascii() else _one_line(line)


def encode(values: dict[str, Any]) -> bytes:
    """Return one line of JSON with its line feed."""
    try:
        line = _dumps(values, None, _NEWLINE)
    except (TypeError, ValueError):
        line = _encode_slowly(values)
    if line.isascii():
        return line
    return _one_line(line)


def _encode_slowly(values: dict[str, Any]) -> bytes:
    # orjson refuses lone surrogates and integers over 64 bits; everything else that is odd becomes null.
    clean = {_text(key): _plain(value) for key, value in values.items()}
    return (json.dumps(clean, ensure_ascii=False, allow_nan=False, separators=(",", ":")) + "\n").encode()


def _text(value: str) -> str:
    return _SURROGATE.sub("\ufffd", value)


def _plain(value: object) -> Any:
    if type(value) is str:
        return _text(value)
    if type(value) is float:
        return value if math.isfinite(value) else None
    if value is None or type(value) is bool or type(value) is int:
        return value
    if type(value) is dict:
        return {_text(key): _plain(item) for key, item in value.items()}
    return None


def _one_line(line: bytes) -> bytes:
    text = line.decode()
    if _UNSAFE.search(text) is None:
        return line
    return _UNSAFE.sub(lambda match: f"\\u{ord(match[0]):04x}", text).encode()


_CUT_FIRST: Final = ("exception_frames", "exception_chain", "exception_message", "message")
_KEPT: Final = (
    "timestamp",
    "level",
    "logger",
    "event",
    "warning_code",
    "error_code",
    "error_class",
    "trace_id",
    "span_id",
)


def shortened(values: dict[str, Any], line: bytes, limit: int, names: Mapping[str, str]) -> bytes:
    """Return a line of at most ``limit`` bytes, line feed included, for a record whose line is longer.

    What is long is cut first: frames, chain, message; then attributes go, last ones first. ``truncated`` says so.

    Args:
        values: the fields.
        line: the line that is too long.
        limit: bytes; at least 1024.
        names: the names under which the fields go out, where they are changed.
    """
    values = dict(values)
    values["truncated"] = True
    for name in (names.get(field, field) for field in _CUT_FIRST):
        value = values.get(name)
        if type(value) is str:
            # No character takes less than one byte, and none more than six once it is escaped.
            keep = min(len(value), limit)
            while len(line) > limit and keep > 0:
                values[name] = value[:keep] + "…"
                line = encode(values)
                keep -= max(1, (len(line) - limit) // 6)
            if len(line) <= limit:
                return line
    kept = {names.get(field, field) for field in (*_KEPT, "message", "truncated")}
    for name in [name for name in reversed(values) if name not in kept]:
        del values[name]
        line = encode(values)
        if len(line) <= limit:
            return line
    # Only names are left; none of them is longer than 300 characters.
    return encode({name: value[:100] if type(value) is str else value for name, value in values.items()})
