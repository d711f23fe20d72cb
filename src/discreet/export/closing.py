"""The last word of a set-up: what became of all records, on the sinks that are left and on stderr."""

from __future__ import annotations

import logging
import os
import sys
from typing import Final

from discreet.export.ledger import LEDGER, SHOWN

__all__ = ["say_closed"]


_said: Final[dict[tuple[str, str], int]] = {}
"""What was said last of a sink and a reason."""

if hasattr(os, "register_at_fork"):
    # A child counts anew: as many as its parent has said are others.
    os.register_at_fork(after_in_child=_said.clear)


def say_closed(*, sent: bool) -> None:
    """Log ``pipeline_closed`` with the counts of all sinks, and say on stderr what is missing.

    Sinks count in their own unit, records or spans; the sums are there to see that nothing is missing. Where lines of
    JSON were all there was and each was written, nothing was closed that could have lost one, and nothing is said.

    Args:
        sent: whether there were other sinks than those for lines of JSON.

    .. versionadded:: 0.1.0
    """
    sinks = {name: counts.as_dict() for name, counts in sorted(LEDGER.sinks.copy().items())}
    used = {name: counts for name, counts in sinks.items() if counts["total"]}
    missing = {
        (name, reason): count for name, counts in used.items() for reason, count in counts["missing_by_reason"].items()
    }
    # What an earlier set-up of this process has closed with was said then.
    new = {key: count for key, count in missing.items() if count != _said.get(key)}
    if not used or not (sent or new):
        return
    _said.update(missing)
    sums = {
        key: sum(counts[key] for counts in used.values())
        for key in ("total", "eligible", "filtered", "observed", "missing")
    }
    log = logging.getLogger("discreet")
    for (name, reason), count in new.items():
        _complain(name, reason, count, used[name]["eligible"])
    log.info(
        "The sinks were closed",
        extra={
            "event": "pipeline_closed",
            "sinks": len(used),
            **sums,
            "withheld_values": sum(count for key, count in LEDGER.withheld.items() if key[3] not in SHOWN),
        },
    )


def _complain(sink: str, reason: str, count: int, eligible: int) -> None:
    try:
        sys.stderr.write(f"discreet: {count} of {eligible} records are missing in the sink {sink}: {reason}\n")
    except Exception as error:
        # Whatever stands there as a stream: nobody listens on stderr, so the record is all there is.
        LEDGER.failure("stderr", error)
