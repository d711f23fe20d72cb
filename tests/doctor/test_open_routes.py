"""The doctor names the one route that isn't guarded, and no canary gets out while it looks."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import tests.doctor.tools
from discreet.canary import found_in
from tests.doctor.configurations import CONFIGURATIONS
from tests.doctor.defects import DEFECTS
from tests.doctor.live import SENTENCE
from tests.forking import ForkServer, environment

assert tests.doctor.tools
pytestmark = pytest.mark.integration

OPEN = [name for name, one in CONFIGURATIONS.items() if one.status is not None]
# Those in which the program below does nothing that would bring text out: what is open concerns others.
QUIET = {
    "error_output_replaced_later",
    "library_outside_its_contract",
    "logging_instrumented_by_opentelemetry_with_a_hook",
    "loop_with_a_handler_of_its_own",
    "package_without_source",
    "worker_started_before_the_guard",
}
GUARDED = [name for name, one in CONFIGURATIONS.items() if one.status is None]


class Outcome:
    """What one configuration left: the doctor's report, and everything that was written then and later."""

    def __init__(self, folder: Path) -> None:
        left = json.loads((folder / "left.json").read_text(encoding="utf-8"))
        sinks = [path for path in folder.rglob("*") if path.is_file() and path.name != "left.json"]
        self.written = "\n".join(path.read_text(encoding="utf-8", errors="replace") for path in sinks)
        self.report: dict[str, Any] = left["report"]
        self.same_ledger: bool = left["same_ledger"]
        self.sent: list[str] = left["made"]
        everything = (self.written + json.dumps(self.report)).lower()
        self.canaries = [name for name in self.sent if name.lower() in everything]

    @property
    def not_guarded(self) -> list[dict[str, Any]]:
        return [route for route in self.report["routes"] if route["status"] != "guarded"]


Look = Callable[..., Outcome]


@pytest.fixture(scope="module")
def look(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Look]:
    """A function that runs a configuration in a process of its own, once for all tests."""
    known: dict[tuple[str, str], Outcome] = {}

    def run(name: str, defect: str = "none") -> Outcome:
        if (name, defect) not in known:
            folder = tmp_path_factory.mktemp(name)
            code = server.run({"name": name, "defect": defect, "folder": str(folder), "timeout": 60})
            assert code == 0, (folder / "stderr.txt").read_text(encoding="utf-8")
            known[name, defect] = Outcome(folder)
        return known[name, defect]

    with ForkServer(Path(__file__).with_name("server.py"), environment()) as server:
        yield run


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_no_canary_gets_out(name: str, look: Look) -> None:
    """Neither into a sink nor into the report, and the ledger counts none of them."""
    found = look(name)

    assert found.sent
    assert found.canaries == []
    assert found.same_ledger


@pytest.mark.parametrize("name", OPEN)
def test_the_one_route_that_is_not_guarded_is_named(name: str, look: Look) -> None:
    """With its status and with what to do about it; every other route is guarded."""
    found = look(name)

    (route,) = found.not_guarded
    expected = CONFIGURATIONS[name]
    assert route["status"] == expected.status
    assert expected.name is not None
    assert expected.name in route["name"]
    assert route["remedy"].endswith(".")
    assert found.report["exit_code"] == 1


@pytest.mark.parametrize("name", GUARDED)
def test_a_configuration_without_an_open_route_passes(name: str, look: Look) -> None:
    """All routes are guarded and the exit code is 0."""
    found = look(name)

    assert found.not_guarded == []
    assert found.report["exit_code"] == 0
    assert len(found.report["routes"]) >= 10


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_what_the_doctor_says_is_what_happens(name: str, look: Look) -> None:
    """A program that logs, prints and fails with a sentence gets it out where a route isn't guarded, nowhere else."""
    expected = CONFIGURATIONS[name].status is not None and name not in QUIET

    assert found_in(look(name).written, SENTENCE) == expected


@pytest.mark.parametrize("name", DEFECTS)
def test_a_guard_that_is_broken_is_open_where_it_stands(name: str, look: Look) -> None:
    """A planted defect makes canaries come out by the routes behind it, in the forms that it lets through."""
    found = look("nothing_open", name)

    routes = found.report["routes"]
    assert {route["name"]: route["came_out"] for route in routes if route["came_out"]} == DEFECTS[name].came_out
    assert {route["name"] for route in found.not_guarded} == set(DEFECTS[name].came_out)
    assert found.canaries == []


def test_there_are_more_than_twenty_configurations() -> None:
    """Each with one route that isn't guarded."""
    assert len(OPEN) >= 20
