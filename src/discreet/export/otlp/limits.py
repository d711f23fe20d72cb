"""What log and trace stores refuse or cut by themselves, kept before sending: what is cut is marked and counted.

Loki refuses a record with more than 128 pieces of metadata, with more than 64 KiB of them, with a line over 256 KiB,
older than a week or ahead of its clock (https://grafana.com/docs/loki/latest/configure/#limits_config). Tempo cuts
attributes at 2,048 bytes (https://grafana.com/docs/tempo/latest/configuration/#distributor).
"""

from __future__ import annotations

from typing import Any, Final

from discreet.export.encode import DEFAULT_MAX_BYTES, encode, shortened

__all__ = ["MARK", "kept_fields", "kept_text", "kept_time"]

MARK: Final = "truncated"
"""The attribute that says that something was cut; the same as the field in a line of JSON.

.. versionadded:: 0.1.0
"""

MOST_BYTES: Final = DEFAULT_MAX_BYTES
"""Of a record's fields as JSON: as in a file, so that both ways cut alike, and far below Loki's limits."""

MOST_FIELDS: Final = 96
"""Of a record: Loki counts resource and scope too, and 32 are left for those."""

MOST_TEXT: Final = 2048
"""Bytes of a span's attribute."""

OLDEST_NS: Final = (7 * 24 * 3600 - 3600) * 10**9
NEWEST_NS: Final = 9 * 60 * 10**9
"""Loki's `creation_grace_period` is ten minutes, VictoriaLogs' two days."""

_WORST: Final = 6
"""Bytes that a character takes at most in JSON."""


def kept_fields(fields: dict[str, Any]) -> tuple[dict[str, Any], bool]:
    """Return fields that are within the limits, and whether something was cut.

    Args:
        fields: a record's, message included; they aren't changed.

    .. versionadded:: 0.1.0
    """
    few = len(fields) <= MOST_FIELDS
    if few and sum([len(value) for value in fields.values() if type(value) is str]) * _WORST < MOST_BYTES // 2:
        return fields, False
    cut = not few
    if cut:
        fields = {**dict(list(fields.items())[: MOST_FIELDS - 1]), MARK: True}
    line = encode({**fields, "timestamp": "9999-99-99T99:99:99.999999Z"})
    if len(line) <= MOST_BYTES:
        return fields, cut
    # What `shortened` leaves is known by its names: it makes a line, and fields are what is wanted here.
    import orjson

    short: dict[str, Any] = orjson.loads(shortened({"timestamp": None, **fields}, line, MOST_BYTES, {}))
    del short["timestamp"]
    return short, True


def kept_time(time_ns: int, now_ns: int) -> bool:
    """Tell whether stores take a record of this time.

    Args:
        time_ns: the record's own, in nanoseconds since the epoch.
        now_ns: the present one.

    .. versionadded:: 0.1.0
    """
    return now_ns - OLDEST_NS <= time_ns <= now_ns + NEWEST_NS


def kept_text(text: str) -> str | None:
    """Return the beginning of a text that is too long for a span's attribute, None for one that isn't.

    .. versionadded:: 0.1.0
    """
    if len(text) * 4 <= MOST_TEXT:
        return None
    raw = text.encode("utf-8", "replace")
    if len(raw) <= MOST_TEXT:
        return None
    return raw[: MOST_TEXT - 3].decode("utf-8", "ignore") + "…"
