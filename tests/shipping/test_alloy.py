"""Grafana Alloy's configuration: not loaded by it here, but held to what the Collector was tested with."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import yaml

from tests.shipping.guard import write_allow_list
from tests.shipping.shipping import CONFIGS
from tests.shipping.test_collector_configs import configs, validate

ALLOY = CONFIGS.parent / "alloy"
BLOCK = re.compile(
    r'^  (?P<signal>\w+)_statements \{\n    context    = "(?P<context>\w+)"\n    statements = \[\n(?P<lines>.*?)    \]',
    re.MULTILINE | re.DOTALL,
)


def literal(value: object) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} = {literal(one)}" for key, one in value.items()) + "}"
    return json.dumps(value)


def test_alloy_reads_lines_by_the_operators_that_the_collector_has() -> None:
    """In the same order, with the same options."""
    receiver = yaml.safe_load((CONFIGS / "files.yaml").read_text(encoding="utf-8"))["receivers"]["file_log"]
    expected = "".join(f"    {literal(one)},\n" for one in receiver["operators"])

    assert f"  operators = [\n{expected}  ]\n" in (ALLOY / "files.alloy").read_text(encoding="utf-8")


def test_the_shipped_allow_list_for_alloy_is_that_of_the_shipped_contracts(tmp_path: Path) -> None:
    """Make it anew with `make docs`."""
    made = write_allow_list(tmp_path / "allow-list.alloy", [], "--format", "alloy")

    assert made.read_text(encoding="utf-8") == (ALLOY / "allow-list.alloy").read_text(encoding="utf-8")


@pytest.mark.integration
@pytest.mark.servers
def test_the_collector_takes_the_statements_that_alloy_is_given(tmp_path: Path) -> None:
    """With the contexts that Alloy needs."""
    text = (ALLOY / "allow-list.alloy").read_text(encoding="utf-8")
    blocks = [
        (found["signal"], {"context": found["context"], "statements": re.findall(r"`(.*)`", found["lines"])})
        for found in BLOCK.finditer(text)
    ]
    guard = {
        "error_mode": "ignore",
        "log_statements": [block for signal, block in blocks if signal == "log"],
        "trace_statements": [block for signal, block in blocks if signal == "trace"],
    }
    path = tmp_path / "allow-list.yaml"
    path.write_text(json.dumps({"processors": {"transform/allow_list": guard}}), encoding="utf-8")

    assert [block["context"] for _, block in blocks] == ["log", "span", "spanevent"]
    assert validate([*(one for one in configs("otlp", "loki") if one.stem != "allow-list"), path]) == ""
