"""Which contracts are active in the process."""

from __future__ import annotations

import io
import json
import logging
import os
import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from discreet.contract import (
    activate,
    active,
    coverage,
    current,
    generation,
    load_shipped,
    report,
    reporting,
    reset,
    shipped,
)
from discreet.contract.installed import Coverage, release_in
from discreet.contract.source import base_contracts, find
from discreet.errors import ConfigurationError, ContractError
from discreet.export.json import JsonHandler
from discreet.seal.types import value_type
from tests.contract.small import other, small, toml

SHIPPED = ("common", "discreet", "groundkit", "oloproof", "upstream", "verbatim")


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    reset()
    yield
    base_contracts.cache_clear()
    reset()


@pytest.fixture
def harbour(tmp_path: Path) -> str:
    path = tmp_path / "harbour.toml"
    path.write_text(toml(small()), encoding="utf-8")
    return str(path)


def names() -> list[str]:
    return [one.name for one in active().contracts]


def test_all_shipped_contracts_are_active_from_the_start():
    """Nobody has to name them, and they don't contradict each other."""
    assert shipped() == SHIPPED
    assert names() == list(SHIPPED)
    assert active().problems == ()
    assert active() is active()


def test_a_contract_is_added_by_path_and_stays(harbour):
    """What one component adds, the next one finds."""
    before = generation()
    registry = activate([harbour])
    assert registry is active()
    assert names() == [*SHIPPED, "harbour"]
    assert registry.policy("harbour.shelf").contract == "harbour"
    assert generation() > before


def test_a_contract_that_is_active_already_changes_nothing(harbour, tmp_path):
    """Shipped names are accepted, and so is the same file twice or a copy of it."""
    copy = tmp_path / "copy.toml"
    copy.write_text(toml(small()), encoding="utf-8")
    registry = activate([harbour, Path(harbour), copy, "verbatim"])
    assert names() == [*SHIPPED, "harbour"]
    now = generation()
    assert activate(["verbatim", harbour]) is registry
    assert activate([copy]) is registry
    assert generation() == now


def test_attributes_of_the_application_are_added_and_replaced():
    """They hold for every logger; the same name again replaces its type."""
    activate(attributes={"tenant": "id"})
    activate(attributes={"team": {"type": "enum", "values": ["north"]}})
    activate(attributes={"tenant": "count"})
    expected = {"tenant": value_type("count"), "team": value_type({"type": "enum", "values": ["north"]})}
    assert active().policy("app").attributes == {**expected, "request_id": value_type("id")}
    assert {**active().policy("verbatim_core").attributes, **expected} == active().policy("verbatim_core").attributes


@pytest.mark.parametrize(
    ("attributes", "place"),
    [
        ({"tenant": "text"}, "attributes[tenant]"),
        ({"event": "id"}, "attributes[event]"),
        ({"a b": "id"}, "attributes"),
        ({7: "id"}, "attributes"),
        ({"tenant": {"type": "id", "pattern": "("}}, "attributes[tenant]"),
        ({"tenant": None}, "attributes[tenant]"),
    ],
)
def test_a_wrong_attribute_is_refused_and_nothing_changes(attributes, place):
    """The error says where, and what was active stays so."""
    before = active()
    with pytest.raises(ConfigurationError) as caught:
        activate(attributes=attributes)
    assert (caught.value.place, bool(caught.value.remedy)) == (place, True)
    assert active() is before


def test_a_wrong_contract_is_refused_and_nothing_changes(harbour, tmp_path):
    """Also when another of the same call is right."""
    wrong = tmp_path / "wrong.toml"
    wrong.write_text(other("wrong", loggers={"names": ["harbour"]}), encoding="utf-8")
    before = active()
    with pytest.raises(ContractError, match="logger harbour is declared by the contract harbour too"):
        activate([harbour, wrong])
    assert active() is before


@pytest.mark.parametrize(
    ("what", "message"),
    [
        ("harbor", "no contract of this name comes with discreet"),
        ("harbour/office.toml", "the file can't be read"),
        (7, "a contract is given by name or path, not as int"),
    ],
)
def test_a_contract_that_is_not_there_is_refused(what: Any, message: str):
    """A bare name is one that is shipped, anything else a path."""
    with pytest.raises(ContractError, match=message) as caught:
        activate([what])
    assert caught.value.remedy


def test_a_file_without_a_suffix_is_found_by_its_name(tmp_path, monkeypatch):
    """A bare name that no shipped contract has is a file, if there is one."""
    monkeypatch.chdir(tmp_path)
    Path("quay").write_text(other("quay"), encoding="utf-8")
    assert find("quay").name == "quay"
    Path("verbatim").write_text(other("quay"), encoding="utf-8")
    assert find("verbatim") == load_shipped("verbatim")


def test_reset_takes_back_what_was_added(harbour):
    """Contracts and attributes both."""
    activate([harbour], {"tenant": "id"})
    now = generation()
    reset()
    assert names() == list(SHIPPED)
    assert active().policy("app").attributes == {"request_id": value_type("id")}
    assert generation() > now


def test_threads_that_ask_at_once_get_the_same_registry():
    """The contracts are read once."""
    start = threading.Barrier(8)
    found: list[Any] = []

    def ask() -> None:
        start.wait()
        found.append(active())

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8
    assert len({id(one) for one in found}) == 1


def test_a_record_made_while_contracts_are_read_is_sealed_without_any(monkeypatch):
    """Reading may log; whoever handles that record asks for contracts in the same thread."""
    inside: list[Any] = []
    make = current._make

    def logging_make(*args: Any) -> Any:
        inside.append(active())
        return make(*args)

    monkeypatch.setattr(current, "_make", logging_make)
    assert names() == list(SHIPPED)
    assert [one.contracts for one in inside] == [()]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_child_can_ask_while_its_parent_is_reading():
    """The lock that another thread held at the fork isn't the child's."""
    held, done = threading.Event(), threading.Event()

    def hold() -> None:
        with current._process.lock:
            held.set()
            done.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()
    child = os.fork()
    if child == 0:
        os._exit(0 if names() == list(SHIPPED) else 1)
    done.set()
    thread.join()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def offer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, **points: str) -> Path:
    """Put a distribution with these entry points on the path; return where its package goes."""
    root = tmp_path / "site"
    info = root / "port_lib-1.4.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: port-lib\nVersion: 1.4\n")
    lines = "".join(f"{name} = {value}\n" for name, value in points.items())
    (info / "entry_points.txt").write_text(f"[discreet.contracts]\n{lines}")
    package = root / "port_lib" / "names"
    package.mkdir(parents=True)
    (root / "port_lib" / "__init__.py").write_text("raise AssertionError('imported')\n")
    monkeypatch.syspath_prepend(str(root))
    base_contracts.cache_clear()
    reset()
    return package


def test_an_installed_package_brings_its_contract(tmp_path, monkeypatch):
    """The entry point names package and file, and the package is not imported for it."""
    package = offer(tmp_path, monkeypatch, port="port_lib.names:port.toml")
    (package / "port.toml").write_text(other("port", loggers={"names": ["port_lib"]}))
    assert names() == [*SHIPPED, "port"]
    assert active().policy("port_lib.crane").contract == "port"
    assert "port_lib" not in sys.modules


def test_a_package_that_was_installed_as_a_link_brings_its_contract(tmp_path, monkeypatch):
    """Then its files don't stand next to its metadata."""
    package = offer(tmp_path, monkeypatch, port="port_lib.names:port.toml")
    elsewhere = tmp_path / "checkout"
    package.parent.rename(elsewhere / "port_lib" if elsewhere.mkdir() is None else elsewhere)
    (elsewhere / "port_lib" / "names" / "port.toml").write_text(other("port"))
    monkeypatch.syspath_prepend(str(elsewhere))
    assert names() == [*SHIPPED, "port"]
    assert "port_lib" not in sys.modules


def test_a_package_with_a_wrong_contract_does_not_stop_the_rest(tmp_path, monkeypatch):
    """What is wrong with it is kept for reports; a log call must not fail for it."""
    package = offer(
        tmp_path,
        monkeypatch,
        bad="port_lib.names:bad.toml",
        code="port_lib.names:CONTRACT",
        double="port_lib.names:double.toml",
        gone="port_lib.names:gone.toml",
        same="port_lib.names:same.toml",
        zgood="port_lib.names:good.toml",
    )
    (package / "bad.toml").write_text("x = ")
    (package / "double.toml").write_text(other("double", loggers={"names": ["verbatim_core"]}))
    (package / "same.toml").write_text(Path(load_path("verbatim")).read_text(encoding="utf-8"), encoding="utf-8")
    (package / "good.toml").write_text(other("good"))
    assert names() == [*SHIPPED, "good"]
    assert [error.message.partition(":")[0] for error in active().problems] == [
        "this is no TOML",
        "the entry point names no file",
        "logger verbatim_core is declared by the contract verbatim too",
        "the file of the entry point isn't there",
    ]


def load_path(name: str) -> str:
    """Return the path of a shipped contract."""
    return str(Path(current.__file__).parent.parent / "contracts" / f"{name}.toml")


def test_coverage_compares_contracts_with_what_is_installed(tmp_path, monkeypatch):
    """A release outside is uncovered, one that isn't installed is not."""
    package = offer(tmp_path, monkeypatch, port="port_lib.names:port.toml")
    text = other("port").replace(
        '"Another one."', '"Another one.", "covers" = {"port-lib" = ">=2", "quay-lib" = ">=2"}'
    )
    (package / "port.toml").write_text(text)
    assert [one for one in coverage() if one.contract == "port"] == [
        Coverage("port", "port-lib", "1.4", ">=2", covered=False),
        Coverage("port", "quay-lib", None, ">=2", covered=True),
    ]
    assert [release_in("port-lib", text) for text in (">=1", "==1.4", "<1")] == [True, True, False]
    assert release_in("quay-lib", ">=0") is False


def test_a_report_tells_each_finding_once(tmp_path, monkeypatch):
    """Releases outside and contracts that are broken; to whoever set logging up by dictConfig too."""
    package = offer(
        tmp_path, monkeypatch, port="port_lib.names:port.toml", bad="port_lib.names:bad.toml", gone="port_lib:gone.toml"
    )
    text = other("port").replace('"Another one."', '"Another one.", "covers" = {"port-lib" = ">=2"}')
    (package / "port.toml").write_text(text)
    (package / "bad.toml").write_text("x = ")
    monkeypatch.setattr(reporting, "_told", set())
    ours = [one for one in coverage() if one.contract == "port"]
    monkeypatch.setattr(reporting, "coverage", lambda: ours)
    stream = io.StringIO()
    logging.root.addHandler(JsonHandler(stream=stream))
    report()
    shown = ("level", "message", "event", "contract", "distribution", "version", "error_code")
    broken = "The contract of an installed package is not active: discreet contract list says why"
    told = [[line.get(name) for name in shown] for line in map(json.loads, stream.getvalue().splitlines())]
    outside = "An installed release lies outside what its contract covers"
    assert told == [
        ["WARNING", outside, "contract_loaded", "port", "port-lib", "1.4", None],
        *[["WARNING", broken, "contract_loaded", None, None, None, "invalid_contract"]] * 2,
    ]
    report()
    assert len(stream.getvalue().splitlines()) == 3
    report(again=True)
    assert len(stream.getvalue().splitlines()) == 6


def test_a_zipped_package_has_its_contracts(tmp_path):
    """Their folder is no package of its own, so that an importer from a zip file would not find it as one."""
    archive = tmp_path / "discreet.zip"
    root = Path(current.__file__).parent.parent
    with zipfile.ZipFile(archive, "w") as out:
        for path in sorted(root.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                out.write(path, path.relative_to(root.parent))
    program = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "import discreet, logging\n"
        "assert discreet.__file__.startswith(sys.argv[1])\n"
        "discreet.configure(json=None)\n"
        "from discreet.contract import shipped, active\n"
        "print(len(shipped()), len(active().contracts))\n"
    )
    done = subprocess.run([sys.executable, "-c", program, str(archive)], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("6 6\n", "")


@pytest.mark.parametrize(("version", "inside"), [("0.1.0a20", True), ("0.0.9", False), ("not a version", False)])
def test_a_pre_release_can_be_inside_a_specifier(monkeypatch, version, inside):
    """A contract that was written for a pre-release covers it."""
    monkeypatch.setattr("discreet.contract.installed.version", lambda name: version)
    assert release_in("oloproof", ">=0.1.0a20,<0.2") is inside


@pytest.mark.parametrize(
    "module",
    [
        "discreet.contract",
        "discreet.contract.model",
        "discreet.contract.source",
        "discreet.seal.types",
        "discreet.seal",
    ],
)
def test_any_part_can_be_imported_first(module):
    """Contracts need the types, which are a part of sealing, which needs contracts."""
    subprocess.run([sys.executable, "-c", f"import {module}"], check=True)
