"""The dashboard "Overview"."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, Final

from grafana_foundation_sdk.builders import dashboard, logs, stat, table, text, timeseries
from grafana_foundation_sdk.cog.builder import Builder
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.models import dashboard as model

from discreet.contract.model import Contract
from discreet.dashboards import names
from discreet.dashboards._grafana import guard, stores
from discreet.dashboards._grafana.calls import calls_row, codes_row, first_rows
from discreet.dashboards._grafana.panels import PROMETHEUS, logged, page
from discreet.dashboards.meanings import meanings

__all__ = ["UID", "overview", "panel_ids"]

UID: Final = "discreet-overview"
"""The dashboard's id in every Grafana.

.. versionadded:: 0.1.0
"""

_WIDTH: Final = 24
_ABOUT: Final = (
    "What the calls of a service came to, whether its logs may hold customer text, and whether records get where they "
    "should. Made by `discreet dashboards render`."
)
_LAST_ERRORS: Final = (
    "The last records at ERROR or above, without customer text. A record of a call leads to its trace: open the line "
    "and follow `trace_id`. No data: there was none, or records don't reach this store; the row above tells which."
)
_MEANINGS: Final = "The codes of the contracts that this dashboard was made from. What isn't there is `undeclared`."

_Panel = stat.Panel | table.Panel | timeseries.Panel | logs.Panel | text.Panel


def overview(contracts: Iterable[Contract], *, store: str = "loki") -> str:
    """Return the dashboard as the text of a JSON file.

    Args:
        contracts: Whose codes are explained.
        store: Where log records are: ``loki`` or ``victorialogs``.

    .. versionadded:: 0.1.0
    """
    logs_store = stores.STORES[store]
    made = (
        dashboard.Dashboard("Overview")
        .uid(UID)
        .description(_ABOUT)
        .tags(["discreet"])
        .timezone("browser")
        .time("now-3h", "now")
        .refresh("1m")
        .tooltip(model.DashboardCursorSync.CROSSHAIR)
        .readonly()
        .variables(_variables(logs_store))
    )
    _row(made, None, first_rows())
    _row(made, "Calls", calls_row())
    _row(made, "Codes", codes_row())
    _row(made, "Content guard", guard.guard_row())
    _row(made, "Pipeline", guard.pipeline_row())
    last = logged("Last errors", _LAST_ERRORS, logs_store.source, logs_store.query()).links([stores.traces_link()])
    _row(made, "Last errors", [(last, _WIDTH, 10)])
    explained = [(page(title, _MEANINGS, markdown), _WIDTH // 2, 16) for title, markdown in meanings(contracts)]
    _row(made, "What the codes mean", explained, collapsed=True)
    built: Any = json.loads(json.dumps(made.build(), cls=JSONEncoder))
    for number, panel in enumerate(_panels(built), start=1):
        # Links to a panel, such as an alert's, go by its id.
        panel["id"] = number
    return json.dumps(built, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def _row(
    made: dashboard.Dashboard, title: str | None, panels: list[tuple[Any, int, int]], *, collapsed: bool = False
) -> None:
    """Add a row and its panels, left to right, after all that is there."""
    row = dashboard.Row(title).collapsed(collapsed) if title else None
    if row is not None and not collapsed:
        made.with_row(row)
    for panel, width, height in panels:
        sized = panel.span(width).height(height)
        if row is not None and collapsed:
            row.with_panel(sized)
        else:
            made.with_panel(sized)
    if row is not None and collapsed:
        made.with_row(row)


def panel_ids(dashboard: str) -> dict[str, int]:
    """Return the ids of the dashboard's panels by their titles; of two with one title, the lower one's.

    Args:
        dashboard: What `overview` returned.

    .. versionadded:: 0.1.0
    """
    return {panel["title"]: panel["id"] for panel in _panels(json.loads(dashboard))}


def _panels(dashboard: Any) -> Iterator[Any]:
    for panel in dashboard["panels"]:
        yield panel
        yield from panel.get("panels", ())


def _variables(store: stores.Store) -> list[Builder[model.VariableModel]]:
    services = f"label_values({names.GUARD_FAILURES}, {names.SERVICE})"
    operations = f'label_values({names.STARTED}{{{names.SERVICE}=~"$service"}}, operation)'
    return [
        _source("prometheus", "prometheus_datasource", "Metrics"),
        _source(store.plugin, store.variable, "Logs"),
        _source("tempo", "tempo_datasource", "Traces"),
        # Loki takes no expression that an empty name would fit.
        _chosen("service", "Service", services, ".+"),
        _chosen("operation", "Operation", operations, ".*"),
        dashboard.IntervalVariable("window")
        .label("Window")
        .description("How long back counts and shares go. Prometheus forgets a process after five minutes.")
        .values("10m,15m,30m,1h,6h,24h")
        .current(model.VariableOption(selected=True, text="15m", value="15m"))
        .auto(False),
    ]


def _source(plugin: str, name: str, label: str) -> dashboard.DatasourceVariable:
    return dashboard.DatasourceVariable(name).label(label).type(plugin)


def _chosen(name: str, label: str, query: str, everything: str) -> dashboard.QueryVariable:
    return (
        dashboard.QueryVariable(name)
        .label(label)
        .datasource(PROMETHEUS)
        .query({"query": query, "refId": name})
        .definition(query)
        .refresh(model.VariableRefresh.ON_TIME_RANGE_CHANGED)
        .sort(model.VariableSort.ALPHABETICAL_ASC)
        .multi(True)
        .include_all(True)
        .all_value(everything)
        .current(model.VariableOption(selected=True, text=["All"], value=["$__all"]))
    )
