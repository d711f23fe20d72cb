"""What the doctor found: one route after the other, and what that means for the exit status."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any, Final, Literal

__all__ = ["DEFECT", "STATUSES", "UNKNOWN", "Report", "Route", "Status"]

Status = Literal["guarded", "partial", "open", "cannot see"]

STATUSES: Final[tuple[Status, ...]] = ("open", "partial", "cannot see", "guarded")
"""All values of a route's status, the worst first.

.. versionadded:: 0.1.0
"""

DEFECT: Final = "Report it as SECURITY.md of discreet says: the guard has to hold there."
"""What to do where a canary came out of what is guarded.

.. versionadded:: 0.1.0
"""

UNKNOWN: Final = "Report it, with the releases of the tools that this process uses."
"""What to do where looking failed.

.. versionadded:: 0.1.0
"""


@dataclass(frozen=True, slots=True)
class Route:
    """One way that a record, an exception or a printed line can take.

    .. versionadded:: 0.1.0
    """

    kind: str
    """``handler``, ``hook``, ``door``, ``stream``, ``spans``, ``logs``, ``tool``, ``process`` or ``setting``."""

    name: str
    """What it is and where; the same in every process with the same configuration."""

    status: Status
    """``guarded``, ``partial``, ``open`` or ``cannot see``."""

    detail: str = ""
    """What was found."""

    remedy: str | None = None
    """What to do; None where nothing has to be done."""

    sent: tuple[str, ...] = ()
    """The forms in which a canary was sent down the route; empty where code of others would have run."""

    came_out: tuple[str, ...] = ()
    """Those of them in which it would have come out."""


@dataclass(frozen=True, slots=True)
class Report:
    """All routes of a running configuration.

    ``str()`` gives it for people.

    .. versionadded:: 0.1.0
    """

    routes: tuple[Route, ...]
    """The routes, the worst first."""

    versions: Mapping[str, Any]
    """Python, discreet, contracts with what they cover, and the libraries that are installed of it."""

    time: datetime
    """When it was made, in UTC."""

    allow_partial: bool = False
    """Whether routes that are partial, or that can't be seen, pass too."""

    @property
    def exit_code(self) -> int:
        """0 if every route is guarded, else 1; with ``allow_partial`` 1 only if one is open."""
        passing = {"guarded", "partial", "cannot see"} if self.allow_partial else {"guarded"}
        return int(any(route.status not in passing for route in self.routes))

    @property
    def configuration(self) -> str:
        """A SHA-256 over kind, name and status of all routes: equal for equal configurations."""
        normal = sorted((route.kind, route.name, route.status) for route in self.routes)
        return sha256(json.dumps(normal, ensure_ascii=True).encode()).hexdigest()

    @property
    def counts(self) -> dict[Status, int]:
        """How many routes there are of each status, the worst first."""
        found = Counter(route.status for route in self.routes)
        return {status: found[status] for status in STATUSES}

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain values, for JSON."""
        return {
            "time": self.time.isoformat(timespec="seconds").replace("+00:00", "Z"),
            "versions": dict(self.versions),
            "configuration": self.configuration,
            "allow_partial": self.allow_partial,
            "exit_code": self.exit_code,
            "counts": dict(self.counts),
            "routes": [
                {
                    "kind": route.kind,
                    "name": route.name,
                    "status": route.status,
                    "detail": route.detail,
                    "remedy": route.remedy,
                    "sent": list(route.sent),
                    "came_out": list(route.came_out),
                }
                for route in self.routes
            ],
        }

    def __str__(self) -> str:
        from discreet.checkup.table import table

        return table(self)
