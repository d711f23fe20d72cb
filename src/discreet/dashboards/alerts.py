"""Five alert rules, for Prometheus and for Grafana."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from discreet.dashboards import names
from discreet.dashboards.queries import DEGRADED, Calls, counted, now, per_service

__all__ = ["DEGRADED_SHARE", "RULES", "AlertRule", "grafana_rules", "prometheus_rules"]

DEGRADED_SHARE: Final = 0.2
"""The share of degraded calls from which on an alert is given, unless it could be below.

.. versionadded:: 0.1.0
"""

_INTERVAL: Final = "1m"
_VALUE: Final = "VALUE"


@dataclass(frozen=True, slots=True)
class AlertRule:
    """One rule: an alert for each series of `query` that is above `above`.

    Args:
        name: Of the alert.
        query: PromQL; its labels are the alert's.
        above: The number that a value must exceed.
        lasts: How long it must do so, such as ``5m``.
        severity: ``critical``: look now; ``warning``: look today.
        summary: One line; `VALUE` stands for the value.
        action: What it means and what to do.
        panel: The title of the dashboard's panel that shows more.
        share: Whether the value is a share, shown as a percentage.

    .. versionadded:: 0.1.0
    """

    name: str
    query: str
    above: float
    lasts: str
    severity: str
    summary: str
    action: str
    panel: str
    share: bool = False

    @property
    def uid(self) -> str:
        """The rule's id in Grafana."""
        return "".join(f"-{letter.lower()}" if letter.isupper() else letter for letter in self.name).lstrip("-")

    def annotations(self, value: str) -> dict[str, str]:
        """Return what an alert says.

        Args:
            value: The template of the value, in the language of whoever gives the alert.
        """
        function = "humanizePercentage" if self.share else "humanize"
        return {
            "summary": self.summary.replace(_VALUE, f"{{{{ {function} {value} }}}}"),
            "description": self.action,
        }


def _absent() -> str:
    """Services that are up and were called within the day before, and not within the last half-hour."""
    up = now(names.GUARD_FAILURES, per_service(), names.SERVICE, "count")
    lately = counted(names.STARTED, per_service(), "30m", names.SERVICE)
    # A day of which the last half-hour is left out.
    before = f"sum by ({names.SERVICE}) (last_over_time({names.STARTED}{{{per_service()}}}[1d] offset 30m))"
    return f"{up} and on ({names.SERVICE}) ({before} > 0) unless on ({names.SERVICE}) ({lately} > 0)"


_SERVICE: Final = f"{{{{ $labels.{names.SERVICE} }}}}"
_BY_CODE: Final = f"{names.SERVICE},error_code"

RULES: Final = (
    AlertRule(
        name="DiscreetGuardFailed",
        query=counted(names.GUARD_FAILURES, per_service(), "15m", names.SERVICE),
        above=0,
        lasts="0s",
        severity="critical",
        summary=f"{_SERVICE}: the guard could not seal {_VALUE} records",
        action="Everything of those records was withheld, so nothing leaked, and nothing can be read. It is a defect: "
        "find the records guard_failed, whose error_type says where, and report it.",
        panel="Guard failures",
    ),
    AlertRule(
        name="DiscreetContentLoggerOpen",
        query=now(names.CONTENT, per_service(), f"{names.SERVICE},logger", "max"),
        above=0,
        lasts="0s",
        severity="warning",
        summary=f"{_SERVICE}: the content logger {{{{ $labels.logger }}}} is open",
        action="Its DEBUG records hold what customers wrote. Set it back to INFO once you have read what you needed, "
        "and delete what was written.",
        panel="Open content loggers",
    ),
    AlertRule(
        name="DiscreetDegradedShare",
        # The lower bound: calls of which nothing is known give no alert.
        query=Calls(per_service(), "30m", names.SERVICE).least(DEGRADED, calls=20),
        above=DEGRADED_SHARE,
        lasts="5m",
        severity="warning",
        summary=f"{_SERVICE}: at least {_VALUE} of the calls gave degraded results",
        action="Results are correct and something was left out. The table of warning codes says what: quotes not "
        "found, chunks cut, a fallback in use. Of the last half-hour, from 20 calls on.",
        panel="Degraded share",
        share=True,
    ),
    AlertRule(
        name="DiscreetUpstreamErrors",
        query=counted(names.EVENTS, per_service('error_class="upstream"'), "10m", _BY_CODE),
        above=5,
        lasts="2m",
        severity="critical",
        summary=f"{_SERVICE}: {_VALUE} records with {{{{ $labels.error_code }}}} in ten minutes",
        action="A service that this one needs fails or doesn't answer: LLM, reranker, store. The last error lines name "
        "it by upstream_service. These are records, since some libraries swallow the error; one call may log several.",
        panel="Error codes",
    ),
    AlertRule(
        name="DiscreetCallsAbsent",
        query=_absent(),
        above=0,
        lasts="5m",
        severity="warning",
        summary=f"{_SERVICE}: no call in half an hour, and {_VALUE} processes are up",
        action="It was called within the day before. Look whether requests reach it: load balancer, queue, DNS; then "
        "whether it still observes its calls. A service that sleeps at night needs a mute timing.",
        panel="Calls by outcome",
    ),
)
"""The rules, as they are shipped.

.. versionadded:: 0.1.0
"""


def prometheus_rules() -> dict[str, Any]:
    """Return the rules as a rule file of Prometheus has them.

    .. versionadded:: 0.1.0
    """
    rules = [
        {
            "alert": rule.name,
            "expr": f"{_bracketed(rule.query)} > {rule.above:g}",
            "for": rule.lasts,
            "labels": {"severity": rule.severity},
            "annotations": rule.annotations("$value"),
        }
        for rule in RULES
    ]
    return {"groups": [{"name": "discreet", "interval": _INTERVAL, "rules": rules}]}


def grafana_rules(dashboard: str, panels: Mapping[str, int]) -> dict[str, Any]:
    """Return the rules as a provisioning file of Grafana has them.

    Args:
        dashboard: The id of the dashboard that shows more.
        panels: The ids of its panels by their titles.

    .. versionadded:: 0.1.0
    """
    rules = [
        {
            "uid": rule.uid,
            "title": rule.name,
            "condition": "B",
            "data": [
                {
                    "refId": "A",
                    "relativeTimeRange": {"from": 600, "to": 0},
                    "datasourceUid": "prometheus",
                    "model": {"refId": "A", "expr": rule.query, "instant": True, "range": False},
                },
                {
                    "refId": "B",
                    "relativeTimeRange": {"from": 0, "to": 0},
                    "datasourceUid": "__expr__",
                    "model": {
                        "refId": "B",
                        "type": "threshold",
                        "expression": "A",
                        "conditions": [{"evaluator": {"type": "gt", "params": [rule.above]}}],
                    },
                },
            ],
            # Without calls there is no share; and a store of metrics that is away isn't a guard that failed.
            "noDataState": "OK",
            "execErrState": "Error",
            "for": rule.lasts,
            "labels": {"severity": rule.severity},
            "annotations": rule.annotations("$values.A.Value"),
            "dashboardUid": dashboard,
            "panelId": panels[rule.panel],
        }
        for rule in RULES
    ]
    group = {"orgId": 1, "name": "discreet", "folder": "discreet", "interval": _INTERVAL, "rules": rules}
    return {"apiVersion": 1, "groups": [group]}


def _bracketed(query: str) -> str:
    return f"({query})"
