"""Where the dashboard's lines of logs come from, and where they lead."""

from __future__ import annotations

import json
import urllib.parse
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from grafana_foundation_sdk.builders import dashboard, loki
from grafana_foundation_sdk.cog.builder import Builder
from grafana_foundation_sdk.cog.variants import Dataquery
from grafana_foundation_sdk.models import common as shapes
from grafana_foundation_sdk.models import dashboard as model

__all__ = ["STORES", "Store", "traces_link"]

# The number that OpenTelemetry gives to ERROR; CRITICAL is 21.
_ERROR: Final = 17
_LINES: Final = 200
_LOKI: Final = f'{{service_name=~"$service"}} | severity_number >= {_ERROR}'
# A regular expression of LogsQL isn't anchored.
_LOGSQL: Final = f'service.name:~"^(${{service:pipe}})$" severity_number:>={_ERROR}'
_TRACES: Final = '{ resource.service.name =~ "${service:pipe}" && status = error }'


@dataclass(frozen=True, slots=True)
class Store:
    """A store of log records.

    Args:
        plugin: Grafana's name of the kind of source.
        query: Makes the query for the last records at ERROR or above.

    .. versionadded:: 0.1.0
    """

    plugin: str
    query: Callable[[], Builder[Dataquery]]

    @property
    def variable(self) -> str:
        """The dashboard's variable that chooses the source."""
        return f"{self.plugin.removesuffix('-datasource').replace('-', '_')}_datasource"

    @property
    def source(self) -> shapes.DataSourceRef:
        """The source, as the variable says."""
        return shapes.DataSourceRef(type_val=self.plugin, uid=f"${{{self.variable}}}")


class _LogsQL(Dataquery):
    """A query of the plugin for VictoriaLogs, which the SDK doesn't know."""

    def to_json(self) -> dict[str, Any]:
        return {"refId": "A", "expr": _LOGSQL, "queryType": "instant", "maxLines": _LINES}


class _LogsQLBuilder(Builder[Dataquery]):
    def build(self) -> Dataquery:
        return _LogsQL()


def _loki() -> Builder[Dataquery]:
    return loki.Dataquery().expr(_LOKI).query_type("range").max_lines(_LINES).ref_id("A")


STORES: Final = {
    "loki": Store("loki", _loki),
    "victorialogs": Store("victoriametrics-logs-datasource", _LogsQLBuilder),
}
"""The stores that the dashboard can be made for, by the name that the command line takes.

.. versionadded:: 0.1.0
"""


def traces_link() -> dashboard.DashboardLink:
    """Return a link to the traces with an error, in Grafana's Explore.

    .. versionadded:: 0.1.0
    """
    pane = {
        "errors": {
            "datasource": "${tempo_datasource}",
            "queries": [{"refId": "A", "queryType": "traceql", "query": _TRACES}],
            "range": {"from": "${__from}", "to": "${__to}"},
        }
    }
    # Grafana fills variables in before it decodes the address.
    panes = urllib.parse.quote(json.dumps(pane), safe="${}:")
    return (
        dashboard.DashboardLink("Traces with an error")
        .type(model.DashboardLinkType.LINK)
        .url(f"/explore?schemaVersion=1&panes={panes}")
        .target_blank(True)
    )
