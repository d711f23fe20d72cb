"""The kinds of panel that the dashboard is made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from grafana_foundation_sdk.builders import common, dashboard, logs, prometheus, stat, table, text, timeseries
from grafana_foundation_sdk.cog.builder import Builder
from grafana_foundation_sdk.cog.variants import Dataquery
from grafana_foundation_sdk.models import common as shapes
from grafana_foundation_sdk.models import dashboard as model
from grafana_foundation_sdk.models import prometheus as prometheus_model
from grafana_foundation_sdk.models.text import TextMode

__all__ = ["PROMETHEUS", "Column", "Line", "bands", "bars", "large", "lines", "logged", "page", "steps", "sums"]

PROMETHEUS: Final = shapes.DataSourceRef(type_val="prometheus", uid="${prometheus_datasource}")
"""The source of metrics, as the dashboard's variable says.

.. versionadded:: 0.1.0
"""

_NOTHING: Final = "no data"
_SHARE_DECIMALS: Final = 1
_BAND: Final = ("at least", "at most")


@dataclass(frozen=True, slots=True)
class Line:
    """One query of a graph.

    Args:
        query: PromQL.
        name: Of the line; labels stand in double braces.
        colour: Of Grafana's palette, for a line that always has the same one.

    .. versionadded:: 0.1.0
    """

    query: str
    name: str
    colour: str | None = None


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table that a query fills.

    Args:
        query: PromQL, with one row for each series.
        name: The column's head.
        unit: Grafana's name of the unit.

    .. versionadded:: 0.1.0
    """

    query: str
    name: str
    unit: str = "short"


def steps(*bounds: tuple[float, str], base: str = "green") -> dashboard.ThresholdsConfig:
    """Return colours by value.

    Args:
        bounds: From which value on which colour holds, in rising order.
        base: The colour below the first.

    .. versionadded:: 0.1.0
    """
    made = [model.Threshold(value=None, color=base), *(model.Threshold(value=at, color=name) for at, name in bounds)]
    return dashboard.ThresholdsConfig().mode(model.ThresholdsMode.ABSOLUTE).steps(made)


def large(
    title: str,
    description: str,
    queries: Sequence[Line],
    *,
    unit: str,
    colours: dashboard.ThresholdsConfig,
    nothing: str = _NOTHING,
) -> stat.Panel:
    """Return large numbers, with their names if there are several.

    Args:
        title: Of the panel.
        description: What it means, and what to do.
        queries: What is asked, for the present.
        unit: Grafana's name of the unit.
        colours: By value.
        nothing: What stands there if the query has no result.

    .. versionadded:: 0.1.0
    """
    panel = (
        stat.Panel()
        .title(title)
        .description(description)
        .datasource(PROMETHEUS)
        .unit(unit)
        .decimals(_SHARE_DECIMALS if unit == "percentunit" else 2 if unit == "s" else 0)
        .no_value(nothing)
        .thresholds(colours)
        .color_scheme(dashboard.FieldColor().mode(model.FieldColorModeId.THRESHOLDS))
        .color_mode(shapes.BigValueColorMode.VALUE)
        .graph_mode(shapes.BigValueGraphMode.NONE)
        .reduce_options(common.ReduceDataOptions().calcs(["lastNotNull"]))
    )
    for index, line in enumerate(queries):
        panel = panel.with_target(_instant(line.query, _ref(index)).legend_format(line.name))
    return panel if len(queries) == 1 else panel.text_mode(shapes.BigValueTextMode.VALUE_AND_NAME)


def lines(
    title: str,
    description: str,
    queries: Sequence[Line],
    *,
    unit: str,
    exemplars: bool = False,
    whole: bool = False,
) -> timeseries.Panel:
    """Return values over time.

    Args:
        title: Of the panel.
        description: What it means, and what to do.
        queries: Its lines.
        unit: Grafana's name of the unit.
        exemplars: Whether dots lead to traces.
        whole: Whether values are whole numbers.

    .. versionadded:: 0.1.0
    """
    panel = _graph(title, description, unit)
    for index, line in enumerate(queries):
        panel = panel.with_target(_range(line, index).exemplar(exemplars))
        panel = _coloured(panel, line)
    return panel.decimals(0) if whole else panel


def bars(title: str, description: str, queries: Sequence[Line]) -> timeseries.Panel:
    """Return counts over time, one bar for each step, so that bars add up to all that was counted.

    Args:
        title: Of the panel.
        description: What it means, and what to do.
        queries: Its bars; their window is ``$__interval``.

    .. versionadded:: 0.1.0
    """
    panel = (
        _graph(title, description, "short")
        .draw_style(shapes.GraphDrawStyle.BARS)
        .fill_opacity(80)
        .line_width(0)
        .show_points(shapes.VisibilityMode.NEVER)
        .bar_alignment(shapes.BarAlignment.BEFORE)
        .stacking(common.StackingConfig().mode(shapes.StackingMode.NORMAL).group("A"))
        .decimals(0)
        # Below the interval at which processes send, bars would come and go.
        .interval("1m")
    )
    for index, line in enumerate(queries):
        panel = _coloured(panel.with_target(_range(line, index)), line)
    return panel


def bands(
    title: str, description: str, least: str, share: str, most: str, *, colour: str, alert: float | None = None
) -> timeseries.Panel:
    """Return a share over time, within the band that holds whatever became of what could not be seen.

    Args:
        title: Of the panel.
        description: What it means, and what to do.
        least: PromQL of the lower bound.
        share: PromQL of the share.
        most: PromQL of the upper bound.
        colour: Of the share; the band has it too.
        alert: The value from which on an alert is given.

    .. versionadded:: 0.1.0
    """
    panel = _graph(title, description, "percentunit").min(0).axis_soft_max(0.1).decimals(_SHARE_DECIMALS)
    bounds = [model.DynamicConfigValue(id_val="custom.lineWidth", value=0)]
    filled = [
        model.DynamicConfigValue(id_val="custom.fillBelowTo", value=_BAND[0]),
        model.DynamicConfigValue(id_val="custom.fillOpacity", value=25),
    ]
    for index, line in enumerate((Line(least, _BAND[0], colour), Line(most, _BAND[1], colour))):
        panel = _coloured(panel.with_target(_range(line, index)), line, bounds + (filled if index else []))
    panel = _coloured(panel.with_target(_range(Line(share, "share"), 2)), Line(share, "share", colour))
    if alert is None:
        return panel
    return panel.thresholds(steps((alert, "red"), base="transparent")).thresholds_style(
        common.GraphThresholdsStyleConfig().mode(shapes.GraphThresholdsStyleMode.DASHED)
    )


def sums(
    title: str,
    description: str,
    columns: Sequence[Column],
    *,
    rows: Mapping[str, str],
    sort: str | None = None,
) -> table.Panel:
    """Return counts as a table.

    Args:
        title: Of the panel.
        description: What it means, and what to do.
        columns: Its columns.
        rows: The labels that name a row, and their heads.
        sort: The column by which rows are sorted, largest first.

    .. versionadded:: 0.1.0
    """
    panel = table.Panel().title(title).description(description).datasource(PROMETHEUS).no_value(_NOTHING).decimals(0)
    renamed, order = dict(rows), list(rows)
    for index, column in enumerate(columns):
        ref = _ref(index)
        field = f"Value #{ref}" if len(columns) > 1 else "Value"
        panel = panel.with_target(_instant(column.query, ref).format(prometheus_model.PromQueryFormat.TABLE))
        renamed[field] = column.name
        order.append(field)
        shown = [model.DynamicConfigValue(id_val="unit", value=column.unit)]
        if column.unit == "percentunit":
            shown.append(model.DynamicConfigValue(id_val="decimals", value=_SHARE_DECIMALS))
        panel = panel.override_by_name(column.name, shown)
    arranged: dict[str, object] = {
        "excludeByName": {"Time": True},
        "indexByName": {name: place for place, name in enumerate(order)},
        "renameByName": renamed,
    }
    panel = panel.with_transformation(model.DataTransformerConfig(id_val="merge", options={})).with_transformation(
        model.DataTransformerConfig(id_val="organize", options=arranged)
    )
    if sort:
        panel = panel.sort_by([common.TableSortByFieldState().display_name(sort).desc(True)])
    return panel


def logged(title: str, description: str, source: shapes.DataSourceRef, query: Builder[Dataquery]) -> logs.Panel:
    """Return lines of logs, newest first.

    Args:
        title: Of the panel.
        description: What it means, and what to do.
        source: The store of logs.
        query: In the store's language.

    .. versionadded:: 0.1.0
    """
    return (
        logs.Panel()
        .title(title)
        .description(description)
        .datasource(source)
        .with_target(query)
        .show_time(True)
        .wrap_log_message(True)
        .enable_log_details(True)
        .sort_order(shapes.LogsSortOrder.DESCENDING)
        .dedup_strategy(shapes.LogsDedupStrategy.NONE)
    )


def page(title: str, description: str, markdown: str) -> text.Panel:
    """Return a text.

    Args:
        title: Of the panel.
        description: What it is for.
        markdown: The text.

    .. versionadded:: 0.1.0
    """
    return text.Panel().title(title).description(description).mode(TextMode.MARKDOWN).content(markdown)


def _graph(title: str, description: str, unit: str) -> timeseries.Panel:
    return (
        timeseries.Panel()
        .title(title)
        .description(description)
        .datasource(PROMETHEUS)
        .unit(unit)
        .min(0)
        .no_value(_NOTHING)
        .show_points(shapes.VisibilityMode.AUTO)
        .legend(
            common.VizLegendOptions()
            .show_legend(True)
            .display_mode(shapes.LegendDisplayMode.LIST)
            .placement(shapes.LegendPlacement.BOTTOM)
        )
        .tooltip(common.VizTooltipOptions().mode(shapes.TooltipDisplayMode.MULTI).sort(shapes.SortOrder.DESCENDING))
    )


def _coloured(panel: timeseries.Panel, line: Line, more: Sequence[model.DynamicConfigValue] = ()) -> timeseries.Panel:
    if line.colour is None:
        return panel
    fixed: dict[str, Any] = {"mode": "fixed", "fixedColor": line.colour}
    return panel.override_by_name(line.name, [model.DynamicConfigValue(id_val="color", value=fixed), *more])


def _range(line: Line, index: int) -> prometheus.Dataquery:
    return prometheus.Dataquery().expr(line.query).range().legend_format(line.name).ref_id(_ref(index))


def _instant(query: str, ref: str) -> prometheus.Dataquery:
    return prometheus.Dataquery().expr(query).instant().ref_id(ref)


def _ref(index: int) -> str:
    return chr(ord("A") + index)
