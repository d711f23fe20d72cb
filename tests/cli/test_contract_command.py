"""`discreet contract list | show | check`."""

from __future__ import annotations

import argparse
from typing import Any

import pytest

from discreet.cli import contract
from discreet.contract import activate
from discreet.errors import ContractError
from tests.contract.small import other, small, toml


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Any:
    def call(*words: str) -> tuple[int, str, str]:
        parser = argparse.ArgumentParser()
        contract.add_parser(parser.add_subparsers())
        options = parser.parse_args(["contract", *words])
        status = options.run(options)
        out, err = capsys.readouterr()
        return status, out, err

    return call


def test_list_names_every_active_contract_and_what_is_installed(run, monkeypatch):
    """A release that a contract doesn't cover stands out."""
    monkeypatch.setattr("discreet.contract.installed.version", lambda name: "0.1")
    status, out, err = run("list")
    assert (status, err) == (0, "")
    assert [line.split()[0] for line in out.splitlines() if not line.startswith(" ")] == [
        "common",
        "discreet",
        "groundkit",
        "oloproof",
        "upstream",
        "verbatim",
    ]
    assert "            verbatim-core >=0.2.8,<0.4: 0.1, NOT COVERED\n" in out


def test_show_prints_all_that_a_contract_declares(run, tmp_path):
    """Names, types and meanings, in sections; what it doesn't declare has none."""
    path = tmp_path / "harbour.toml"
    path.write_text(toml(small()), encoding="utf-8")
    status, out, err = run("show", str(path))
    assert (status, err) == (0, "")
    assert (
        out
        == f"""harbour: Search in the papers of a harbour office.
{path}, format 1

covers
  harbour-search >=1.0,<3

loggers
  harbour
  tide.tables

content loggers
  harbour.content

wrappers
  harbour.log.say

attributes
  shelf: enum(values=letters|ledgers)
  pages: count
  took: duration_ms

events
  shelf_opened (INFO, shelf, pages): A shelf is open.

warning codes
  page_missing (Shelf): A page is not where it belongs.

error codes
  shelf_locked (harbour.ShelfError, upstream, retryable): Someone has the key.
  office_closed (no class, upstream): Nobody is there.

exceptions
  harbour.ShelfError: shelf_failed; upstream; or the instance's own code; safe message from >=1.5;
      shelf_lost if kind is burnt; shelf_locked if reply.status is 423; wait: duration_s; status:
      http_status; param: param

records
  harbour.shelf: "Opened {{}} with {{}} pages in {{{{braces}}}}" [enum(values=letters|ledgers) as shelf,
      count as pages] -> shelf_opened
  harbour.shelf: "Lost" -> shelf_lost
  harbour.shelf: "Lost" -> page_missing
  printed in harbour.old: "No page: {{}}" -> page_missing, the code of the exception being handled

patterns
  tide.tables: "{{step}} by {{size}} {{{{cm}}}}" [step: enum(values=rose|fell), size: count as pages] ->
      shelf_opened

retired
  event shelf_closed, since 0.9
"""
    )


def test_show_takes_the_name_of_any_active_contract(run, tmp_path):
    """Also of one that was added by path."""
    path = tmp_path / "quay.toml"
    path.write_text(other("quay"), encoding="utf-8")
    activate([path])
    assert run("show", "quay") == (0, f"quay: Another one.\n{path}, format 1\n", "")


@pytest.mark.parametrize("name", ["common", "discreet", "groundkit", "oloproof", "upstream", "verbatim"])
def test_show_prints_each_shipped_contract(run, name):
    """In lines that fit a terminal, where words allow it."""
    status, out, err = run("show", name)
    assert (status, out.partition(":")[0], err) == (0, name, "")


def test_show_of_an_unknown_name_says_which_there_are(run):
    """The command line turns the error into a line and the status 2."""
    with pytest.raises(ContractError, match=r"Take one of common, .*verbatim"):
        run("show", "harbor")


def test_check_says_that_a_file_is_right(run, tmp_path):
    """With what is in it, so that a forgotten table shows."""
    path = tmp_path / "harbour.toml"
    path.write_text(toml(small()), encoding="utf-8")
    counts = (
        "2 loggers, 1 content logger, 3 attributes, 1 event, 1 warning code, 2 error codes, 1 exception, "
        "4 records, 1 pattern"
    )
    assert run("check", str(path)) == (0, f"{path}: the contract harbour is right: {counts}\n", "")


def test_check_says_what_is_wrong_with_a_file(run, tmp_path):
    """File, key and remedy on standard error, and the status 1."""
    path = tmp_path / "harbour.toml"
    path.write_text(other("harbour", loggers={"names": ["har bour"]}), encoding="utf-8")
    error = f"{path}: loggers.names[0]: 'har bour' can't stand here. Write a logger's name as it is.\n"
    assert run("check", str(path)) == (1, "", error)


def test_check_compares_a_file_with_the_active_contracts(run, tmp_path):
    """A shipped contract's logger can't be claimed; a newer text of an active contract is compared with the others."""
    path = tmp_path / "harbour.toml"
    path.write_text(other("harbour", loggers={"names": ["uvicorn"]}), encoding="utf-8")
    status, out, err = run("check", str(path))
    assert (status, out) == (1, "")
    assert err.startswith(f"{path}: loggers.names[0]: logger uvicorn is declared by the contract common too.")
    path.write_text(other("harbour", loggers={"names": ["harbour"]}), encoding="utf-8")
    activate([path])
    newer = tmp_path / "newer.toml"
    newer.write_text(other("harbour", loggers={"names": ["harbour", "quay"]}), encoding="utf-8")
    assert run("check", str(newer))[0] == 0


def test_check_refuses_the_name_of_a_shipped_contract(run, tmp_path):
    """A package that brought it would never have it active."""
    path = tmp_path / "common.toml"
    path.write_text(other("common", loggers={"names": ["harbour"]}), encoding="utf-8")
    error = f"{path}: contract.name: a contract that comes with discreet has the name common. Take another name.\n"
    assert run("check", str(path)) == (1, "", error)


def test_check_can_import_the_classes_that_a_contract_lists(run, tmp_path, monkeypatch):
    """A misspelt one would have no code in any record, and nothing else would say so."""
    (tmp_path / "quaylib").mkdir()
    (tmp_path / "quaylib" / "__init__.py").write_text("class Lost(Exception):\n    class Found(Exception): pass\n")
    (tmp_path / "quaylib" / "broken.py").write_text("import quay_that_is_not_there\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    path = tmp_path / "quay.toml"
    path.write_text(other("quay", exceptions=[{"class": "quaylib.Lost"}, {"class": "quaylib.Lost.Found"}]))
    right = f"{path}: the contract quay is right: 2 exceptions\n"
    assert run("check", "--import", str(path)) == (0, right, "")

    names = ("quaylib.Lots", "quaylib.lost.Lost", "quayside.Lost", "quaylib.broken.Lost", "json.JSONDecoder")
    path.write_text(other("quay", exceptions=[{"class": name} for name in names]))
    remedy = "Write the name by which it can be imported."
    assert run("check", str(path))[0] == 0
    assert run("check", "--import", str(path)) == (
        1,
        "",
        (
            f"{path}: exceptions[0].class: there is no class quaylib.Lots. {remedy}\n"
            f"{path}: exceptions[1].class: there is no class quaylib.lost.Lost. {remedy}\n"
            f"{path}: exceptions[2].class: there is no class quayside.Lost. {remedy}\n"
            f"{path}: exceptions[3].class: importing quaylib.broken failed (ModuleNotFoundError). {remedy}\n"
            f"{path}: exceptions[4].class: json.JSONDecoder is no class of exceptions. {remedy}\n"
        ),
    )


def test_check_of_a_file_that_is_not_there_is_another_status(run, tmp_path):
    """2: nothing was found wrong, since nothing could be looked at."""
    status, out, err = run("check", str(tmp_path / "none.toml"))
    assert (status, out) == (2, "")
    assert "the file can't be read (FileNotFoundError)" in err


def test_check_finds_codes_that_no_record_can_have(run, tmp_path, monkeypatch):
    """The class decides, with its bases: a listed code counts if the exception's own does, or a row gives it."""
    (tmp_path / "tidelib.py").write_text("class Tide(Exception): pass\nclass Ebb(Tide): pass\nclass Flood(Ebb): pass\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    path = tmp_path / "tide.toml"
    when = [{"attribute": "kind", "equals": "neap", "code": "neap_tide"}]
    codes = [("Tide", "no_tide"), ("Tide", "tide"), ("Tide", "neap_tide"), ("Ebb", "no_ebb"), ("Flood", "no_flood")]
    rows = [{"code": code, "exception": f"tidelib.{name}", "meaning": "None."} for name, code in codes]
    classes: list[dict[str, Any]] = [
        {"class": "tidelib.Tide", "code": "tide", "when": when},
        {"class": "tidelib.Ebb", "own_code": True},
        {"class": "tidelib.Flood"},
    ]
    path.write_text(other("tide", exceptions=classes, error_codes=rows))
    assert run("check", str(path))[0] == 0
    assert run("check", "--import", str(path)) == (
        1,
        "",
        (
            f"{path}: error_codes[0].code: no record can have the code no_tide: that of the exception doesn't count. "
            "Write own_code = true in the row of tidelib.Tide, or of a base of it.\n"
        ),
    )
