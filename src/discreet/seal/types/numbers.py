"""Types whose values are numbers, and points in time."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timezone
from typing import Final
from zoneinfo import ZoneInfo

from discreet.seal.types.base import (
    INT64,
    WITHHELD,
    Scalar,
    ValueType,
    Withheld,
    integer,
    number,
)

__all__ = [
    "Bool",
    "Count",
    "CountOf",
    "DurationMs",
    "DurationS",
    "Errno",
    "ExitCode",
    "Float",
    "Int",
    "Timestamp",
]

_MAX_COUNT: Final = 10**15
_MAX_DURATION: Final = 10**12
_BEYOND: Final = 10**7
_MAX_ERRNO: Final = 2**16
_MIN_ERRNO: Final = -255
_MAX_EPOCH: Final = 10**11

_CONTAINERS: Final[tuple[type, ...]] = (list, tuple, dict, set, frozenset)

_ISO: Final = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"(?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]{1,9})?)?(?:Z|[-+][0-9]{2}:?[0-9]{2})?)?",
    re.ASCII,
)

# [10/Oct/2000:13:55:36 -0700], as Apache's common log format has it.
_ACCESS_LOG: Final = re.compile(
    r"\[([0-3][0-9])/([A-Z][a-z]{2})/([0-9]{4}):([0-9]{2}:[0-9]{2}:[0-9]{2}) ([-+][0-9]{2})([0-9]{2})\]", re.ASCII
)
_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


class Int(ValueType):
    """An integer of at most 64 bits, or a text of its digits."""

    __slots__ = ()
    name = "int"
    range = (int, -INT64, INT64 - 1)

    def safe(self, value: object) -> Scalar | Withheld:
        """Return the integer, or `WITHHELD`; see `ValueType.safe`."""
        if type(value) is int and -INT64 <= value < INT64:
            return value
        return super().safe(value)

    def _read(self, value: object) -> Scalar | Withheld:
        found = integer(value)
        return WITHHELD if found is None else found


class Float(ValueType):
    """A finite number below ten million, with nine digits."""

    __slots__ = ()
    name = "float"

    def _read(self, value: object) -> Scalar | Withheld:
        found = number(value)
        if found is None:
            return WITHHELD
        # False for NaN as well: JSON has no such number, and where null stands for it nobody knows that it was one.
        return float(f"{found:.9g}") if -_BEYOND < found < _BEYOND else WITHHELD


class Bool(ValueType):
    """True or False."""

    __slots__ = ()
    name = "bool"

    def safe(self, value: object) -> Scalar | Withheld:
        """Return the value, or `WITHHELD`; see `ValueType.safe`."""
        return value if type(value) is bool else super().safe(value)

    def _read(self, value: object) -> Scalar | Withheld:
        return value if type(value) is bool else WITHHELD


class Count(ValueType):
    """How many: an integer from 0."""

    __slots__ = ()
    name = "count"
    range = (int, 0, _MAX_COUNT)

    def safe(self, value: object) -> Scalar | Withheld:
        """Return the count, or `WITHHELD`; see `ValueType.safe`."""
        if type(value) is int and 0 <= value <= _MAX_COUNT:
            return value
        return super().safe(value)

    def _read(self, value: object) -> Scalar | Withheld:
        found = integer(value)
        return WITHHELD if found is None or not 0 <= found <= _MAX_COUNT else found


class CountOf(ValueType):
    """How many items a built-in container has; nothing of the items."""

    __slots__ = ()
    name = "count_of"

    def _read(self, value: object) -> Scalar | Withheld:
        return len(value) if type(value) in _CONTAINERS else WITHHELD  # type: ignore[arg-type]  # all have a length


class _Duration(ValueType):
    __slots__ = ()
    range = (float, 0, _MAX_DURATION)

    def safe(self, value: object) -> Scalar | Withheld:
        """Return the duration, or `WITHHELD`; see `ValueType.safe`."""
        # False for NaN as well.
        if (type(value) is float or type(value) is int) and 0 <= value <= _MAX_DURATION:
            return value
        return super().safe(value)

    def _read(self, value: object) -> Scalar | Withheld:
        found = number(value)
        return WITHHELD if found is None or not 0 <= found <= _MAX_DURATION else found


class DurationMs(_Duration):
    """A duration in milliseconds, from 0."""

    __slots__ = ()
    name = "duration_ms"


class DurationS(_Duration):
    """A duration in seconds, from 0."""

    __slots__ = ()
    name = "duration_s"


class ExitCode(ValueType):
    """A process's exit code, 0 to 255, or the negative number of the signal that ended it."""

    __slots__ = ()
    name = "exit_code"

    def _read(self, value: object) -> Scalar | Withheld:
        found = integer(value)
        return WITHHELD if found is None or not -64 <= found <= 255 else found  # noqa: PLR2004 -- bounds of the standard


class Errno(ValueType):
    """An error number of the operating system, or a negative one of its resolver."""

    __slots__ = ()
    name = "errno"

    def _read(self, value: object) -> Scalar | Withheld:
        found = integer(value)
        return WITHHELD if found is None or not _MIN_ERRNO <= found < _MAX_ERRNO else found


class Timestamp(ValueType):
    """A point in time in ISO 8601, also from an access log's form; seconds since the epoch give UTC."""

    __slots__ = ()
    name = "timestamp"

    def _read(self, value: object) -> Scalar | Withheld:
        if type(value) is str:
            return value.replace(" ", "T") if _ISO.fullmatch(value) else _from_access_log(value)
        if type(value) is datetime:
            zone = value.tzinfo
            if zone is None:
                return value.isoformat()
            # Any other class's utcoffset() would be code that isn't ours to run.
            if type(zone) is timezone or type(zone) is ZoneInfo:
                return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
            return WITHHELD
        if type(value) is date:
            return value.isoformat()
        seconds = number(value)
        if seconds is None or not 0 <= seconds <= _MAX_EPOCH:
            return WITHHELD
        return datetime.fromtimestamp(seconds, UTC).isoformat().replace("+00:00", "Z")


def _from_access_log(text: str) -> str | Withheld:
    found = _ACCESS_LOG.fullmatch(text)
    if found is None or found[2] not in _MONTHS:
        return WITHHELD
    return f"{found[3]}-{_MONTHS.index(found[2]) + 1:02}-{found[1]}T{found[4]}{found[5]}:{found[6]}"
