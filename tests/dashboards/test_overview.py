"""The dashboard as a file: laid out, explained, with units, and as the code makes it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from discreet.cli.main import main
from discreet.contract import load_shipped, shipped
from discreet.dashboards.alerts import RULES
from discreet.dashboards.files import FILES, rendered
from tests.contract.small import small, toml

pytestmark = pytest.mark.integration

FOLDER = Path(__file__).parents[2] / "dashboards"
OVERVIEWS = [name for name in FILES if name.endswith(".json")]


@cache
def made() -> dict[str, str]:
    """All files, with the shipped contracts and no others."""
    return rendered([load_shipped(name) for name in shipped()])


def overview(name: str = "grafana/overview.json") -> dict[str, Any]:
    return json.loads(made()[name])


def panels(dashboard: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """All panels, rows and what they hold."""
    for panel in dashboard["panels"]:
        yield panel
        yield from panel.get("panels", ())


def shown(dashboard: dict[str, Any]) -> list[dict[str, Any]]:
    return [panel for panel in panels(dashboard) if panel["type"] != "row"]


@pytest.mark.parametrize("name", FILES)
def test_a_shipped_file_is_what_the_contracts_make(name: str) -> None:
    """`discreet dashboards render --out dashboards` writes it anew."""
    assert (FOLDER / name).read_text(encoding="utf-8") == made()[name]


@pytest.mark.parametrize("name", OVERVIEWS)
def test_panels_fill_rows_and_none_overlaps(name: str) -> None:
    """Each cell of the grid belongs to at most one panel, and no row has a hole."""
    taken: dict[tuple[int, int], str] = {}
    for panel in panels(overview(name)):
        place = panel["gridPos"]
        assert place["x"] + place["w"] <= 24
        for x in range(place["x"], place["x"] + place["w"]):
            for y in range(place["y"], place["y"] + place["h"]):
                assert taken.setdefault((x, y), panel["title"]) == panel["title"]
    height = max(y for _, y in taken) + 1

    assert len(taken) == 24 * height


@pytest.mark.parametrize("name", OVERVIEWS)
def test_every_panel_has_a_title_of_its_own_and_says_what_it_means(name: str) -> None:
    """A whole sentence at least, and a title that stands once but for the small numbers above."""
    found = [panel for panel in shown(overview(name)) if panel["type"] != "stat"]

    assert all(len(panel["description"]) > 60 and panel["description"].endswith(".") for panel in shown(overview(name)))
    assert len({panel["title"] for panel in found}) == len(found)


@pytest.mark.parametrize("name", OVERVIEWS)
def test_every_number_has_a_unit_and_says_when_there_is_none(name: str) -> None:
    """A share is a percentage, a duration in seconds; nothing is told from 0."""
    units = {}
    for panel in shown(overview(name)):
        if panel["type"] in {"stat", "timeseries"}:
            units[panel["type"], panel["title"]] = panel["fieldConfig"]["defaults"]["unit"]
        if panel["type"] in {"stat", "timeseries", "table"}:
            assert panel["fieldConfig"]["defaults"]["noValue"] in {"no data", "no calls"}

    assert {title: unit for (_, title), unit in units.items() if unit != "short"} == {
        "Degraded": "percentunit",
        "Errors": "percentunit",
        "p95": "s",
        "Latency": "s",
        "Degraded share": "percentunit",
        "Error share": "percentunit",
    }


@pytest.mark.parametrize("name", OVERVIEWS)
def test_sources_are_variables_and_every_variable_is_used(name: str) -> None:
    """The dashboard goes into any Grafana: no panel names a source of one."""
    dashboard = overview(name)
    text = json.dumps(dashboard["panels"])
    variables = [one["name"] for one in dashboard["templating"]["list"]]
    sources = {panel["datasource"]["uid"] for panel in shown(dashboard) if panel.get("targets")}
    used = set(re.findall(r"\$\{?([a-z_]+)", text)) - {"__interval", "__from", "__to"}

    assert used == set(variables)
    assert sources == {f"${{{one}}}" for one in variables if one.endswith("_datasource") and one != "tempo_datasource"}


@pytest.mark.parametrize("name", OVERVIEWS)
def test_every_panel_has_an_id_of_its_own(name: str) -> None:
    """Links go by it."""
    ids = [panel["id"] for panel in panels(overview(name))]

    assert ids == list(range(1, len(ids) + 1))


def test_every_alert_leads_to_a_panel_that_shows_more() -> None:
    """By the dashboard's and the panel's ids, in either form of the dashboard."""
    rules = yaml.safe_load(made()["grafana/provisioning/alerting/discreet.yaml"])["groups"][0]["rules"]
    for name in OVERVIEWS:
        titles = {panel["id"]: panel["title"] for panel in panels(overview(name))}
        types = {panel["id"]: panel["type"] for panel in panels(overview(name))}

        assert {one["dashboardUid"] for one in rules} == {overview(name)["uid"]}
        assert {one["title"]: titles[one["panelId"]] for one in rules} == {one.name: one.panel for one in RULES}
        assert {types[one["panelId"]] for one in rules} == {"timeseries", "table"}


def test_degraded_failed_and_unmeasured_have_colours_of_their_own() -> None:
    """The same in every panel: yellow, red, purple; nobody takes one for the other."""
    (outcomes,) = (panel for panel in shown(overview()) if panel["title"] == "Calls by outcome")
    colours = {
        one["matcher"]["options"]: one["properties"][0]["value"]["fixedColor"]
        for one in outcomes["fieldConfig"]["overrides"]
    }
    (unmeasured,) = (panel for panel in shown(overview()) if panel["title"] == "Unmeasured")

    assert colours == {"ok": "green", "degraded": "yellow", "error": "red", "cancelled": "blue"}
    assert unmeasured["fieldConfig"]["defaults"]["thresholds"]["steps"][1] == {"value": 1, "color": "purple"}


@pytest.mark.parametrize("name", OVERVIEWS)
def test_no_share_stands_without_its_bounds(name: str) -> None:
    """Whoever reads one sees what those calls could change of which nothing is known."""
    found = {
        (panel["type"], panel["title"]): {target["legendFormat"] for target in panel["targets"]}
        for panel in shown(overview(name))
        if panel.get("fieldConfig", {}).get("defaults", {}).get("unit") == "percentunit"
    }

    assert len(found) == 4
    assert set(map(frozenset, found.values())) == {frozenset({"at least", "share", "at most"})}


def test_a_share_is_drawn_within_its_band() -> None:
    """The upper bound is filled down to the lower one, without lines of their own."""
    (degraded,) = (panel for panel in shown(overview()) if panel["title"] == "Degraded share")
    overrides = {
        one["matcher"]["options"]: {part["id"]: part["value"] for part in one["properties"]}
        for one in degraded["fieldConfig"]["overrides"]
    }

    assert [target["legendFormat"] for target in degraded["targets"]] == ["at least", "at most", "share"]
    assert overrides["at most"]["custom.fillBelowTo"] == "at least"
    assert overrides["at most"]["custom.lineWidth"] == overrides["at least"]["custom.lineWidth"] == 0
    assert "custom.lineWidth" not in overrides["share"]


def test_codes_of_a_contract_of_ones_own_are_explained(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The command writes all files and names them; the dashboard has the codes of the contract it was given."""
    path = tmp_path / "harbour.toml"
    path.write_text(toml(small()), encoding="utf-8")
    out = tmp_path / "out"

    assert main(["dashboards", "render", "--out", str(out), "--contract", str(path)]) == 0

    assert capsys.readouterr().out.splitlines() == [str(out / name) for name in FILES]
    text = (out / "grafana" / "overview.json").read_text(encoding="utf-8")
    assert "harbour" in text
    assert "harbour" not in made()["grafana/overview.json"]


def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With its path, and exit status 2."""
    taken = tmp_path / "file"
    taken.write_text("", encoding="utf-8")

    assert main(["dashboards", "render", "--out", str(taken)]) == 2
    assert "can't be written: Not a directory" in capsys.readouterr().err
