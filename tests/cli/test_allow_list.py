"""`discreet contract allow-list`."""

from __future__ import annotations

import json
import re

import pytest
import yaml

from discreet.cli.allow_list import FIELDS
from discreet.cli.main import main
from discreet.contract import active
from tests.contract.small import small, toml


def printed(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(["contract", "allow-list", *words]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def kept(statements: list[str], path: str) -> list[str]:
    """The names of the last list for `path`."""
    (*_, last) = (one for one in statements if one.startswith(f"keep_keys({path},"))
    return json.loads(re.search(r"\[.*\]", last)[0])


def test_names_are_those_of_contracts_of_records_and_of_the_command(capsys, tmp_path):
    """A contract of one's own and attributes that are declared in code come beside the shipped ones."""
    path = tmp_path / "harbour.toml"
    path.write_text(toml(small()), encoding="utf-8")
    before = printed(capsys, "--format", "names").split()
    after = printed(capsys, "--format", "names", "--contract", str(path), "--attribute", "tenant").split()
    declared = {name for one in active().contracts if one.name == "harbour" for name in one.attributes}

    assert before == sorted(set(before))
    assert set(FIELDS) < set(before)
    assert {"tenant", *declared} <= set(after)
    assert set(after) - set(before) >= {"tenant"}


def test_every_shipped_attribute_is_among_them(capsys):
    """Attributes of loggers, of exceptions and of arguments of messages."""
    names = set(printed(capsys, "--format", "names").split())
    declared = {name for one in active().contracts for name in one.attributes}
    carried = {safe.name for one in active().contracts for row in one.exceptions for safe in row.attributes}
    shown = {arg.attribute for one in active().contracts for row in one.records for arg in row.args if arg.attribute}

    assert declared | carried | shown <= names
    assert len(shown) > 0


def test_the_collector_gets_the_names_and_what_it_may_say_of_a_line(capsys):
    """As statements of its processor `transform`; content stays behind unless it is asked for."""
    processor = yaml.safe_load(printed(capsys))["processors"]["transform/allow_list"]
    with_content = yaml.safe_load(printed(capsys, "--content"))["processors"]["transform/allow_list"]
    names = printed(capsys, "--format", "names").split()
    withheld = [one for one in processor["log_statements"] if "<content, " in one]

    assert set(processor) == {"error_mode", "log_statements", "trace_statements"}
    assert kept(processor["log_statements"], "log.attributes") == sorted([*names, "log.iostream", "unparsed"])
    assert {*names, "http.request.method"} <= set(kept(processor["trace_statements"], "span.attributes"))
    assert "service.name" in kept(processor["log_statements"], "resource.attributes")
    assert len(withheld) == 1
    assert [one for one in processor["log_statements"] if one not in withheld] == with_content["log_statements"]


def test_alloy_gets_the_same_statements(capsys):
    """In its own notation."""
    alloy = printed(capsys, "--format", "alloy")
    processor = yaml.safe_load(printed(capsys))["processors"]["transform/allow_list"]

    for one in (*processor["log_statements"], *processor["trace_statements"]):
        assert f"      `{one}`,\n" in alloy


@pytest.mark.parametrize("name", ["", 'a"b', "a`b", "line\nfeed", "é", "x" * 101])
def test_a_name_that_would_change_a_statement_is_refused(name, capsys):
    """Nothing is printed then."""
    assert main(["contract", "allow-list", "--attribute", name]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("discreet: attribute: must be 1 to 100 of the characters A-Z a-z 0-9 _ . -")
    assert "\n" not in err[:-1]


def test_a_missing_contract_is_told(capsys, tmp_path):
    """By the file's place, with status 2."""
    assert main(["contract", "allow-list", "--contract", str(tmp_path / "none.toml")]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "none.toml" in err


def test_every_field_of_a_record_has_a_place() -> None:
    """Either it is an attribute, or OpenTelemetry's record has a place of its own for it."""
    own_place = {"level", "logger", "message", "trace_id", "span_id", "service"}
    documented = {
        name for row in re.findall(r"^\| (.*?) \|", _table(), re.MULTILINE) for name in re.findall(r"`([a-z_]+)`", row)
    }

    assert documented == own_place | set(FIELDS)


def _table() -> str:
    from tests.docs.checks import ROOT

    text = (ROOT / "docs" / "json.md").read_text(encoding="utf-8")
    return text[text.index("| field | what |") : text.index("A field is absent")]
