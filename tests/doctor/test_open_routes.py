"""The doctor names the one route that isn't guarded, and no canary gets out while it looks."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import tests.doctor.tools
from tests.doctor.configurations import CONFIGURATIONS
from tests.doctor.defects import DEFECTS
from tests.forking import ForkServer, environment

assert tests.doctor.tools
pytestmark = pytest.mark.integration

OPEN = [name for name, one in CONFIGURATIONS.items() if one.status is not None]
GUARDED = [name for name, one in CONFIGURATIONS.items() if one.status is None]


@pytest.fixture(scope="module")
def server() -> Iterator[ForkServer]:
    """A process that has imported what every configuration needs."""
    with ForkServer(Path(__file__).with_name("server.py"), environment()) as running:
        yield running


def _look(server: ForkServer, name: str, folder: Path, **more: str) -> dict[str, Any]:
    assert server.run({"name": name, "folder": str(folder), "timeout": 60, **more}) == 0, _errors(folder)
    left: dict[str, Any] = json.loads((folder / "left.json").read_text(encoding="utf-8"))
    sinks = [path for path in folder.rglob("*") if path.is_file() and path.name != "left.json"]
    written = "\n".join(path.read_text(encoding="utf-8", errors="replace") for path in sinks).lower()
    assert left["made"]
    assert [canary for canary in left["made"] if canary.lower() in written + json.dumps(left["report"]).lower()] == []
    assert left["same_ledger"]
    report: dict[str, Any] = left["report"]
    return report


def _errors(folder: Path) -> str:
    file = folder / "stderr.txt"
    return file.read_text(encoding="utf-8") if file.exists() else "no output"


@pytest.mark.parametrize("name", OPEN)
def test_the_one_route_that_is_not_guarded_is_named(name: str, server: ForkServer, tmp_path: Path) -> None:
    """With its status, and with what to do about it; every other route is guarded, and no canary is written."""
    report = _look(server, name, tmp_path)

    found = [route for route in report["routes"] if route["status"] != "guarded"]
    expected = CONFIGURATIONS[name]
    assert [route["status"] for route in found] == [expected.status], found
    assert expected.name in found[0]["name"]
    assert found[0]["remedy"].endswith(".")
    assert report["exit_code"] == 1


@pytest.mark.parametrize("name", GUARDED)
def test_a_configuration_without_an_open_route_passes(name: str, server: ForkServer, tmp_path: Path) -> None:
    """All routes are guarded and the exit code is 0."""
    report = _look(server, name, tmp_path)

    assert [route for route in report["routes"] if route["status"] != "guarded"] == []
    assert report["exit_code"] == 0
    assert len(report["routes"]) >= 10


@pytest.mark.parametrize("name", DEFECTS)
def test_a_guard_that_is_broken_is_open_where_it_stands(name: str, server: ForkServer, tmp_path: Path) -> None:
    """A planted defect makes canaries come out by the routes behind it, in the forms that it lets through."""
    report = _look(server, "nothing_open", tmp_path, defect=name)

    assert {one["name"]: one["came_out"] for one in report["routes"] if one["came_out"]} == DEFECTS[name].came_out
    opened = {one["name"] for one in report["routes"] if one["status"] != "guarded"}
    assert opened == set(DEFECTS[name].came_out)


def test_there_are_more_than_twenty_configurations() -> None:
    """Each with one open route, no two with the same."""
    assert len(OPEN) >= 20
