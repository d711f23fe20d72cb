"""Every option that a page has to name is named on it."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import discreet
from discreet.environment import VARIABLES
from tests.docs.checks import ROOT

DOCS = ROOT / "docs"
ROW = re.compile(r"^\| (?P<first>.*?) \|(?P<rest>.*)$", re.MULTILINE)
CODE = re.compile(r"`([^`]+)`")

# What logging's own configurations pass by position and our parts refuse.
UNNAMED = {"defaults", "fmt", "self", "style"}

PAGES: list[tuple[str, Callable[..., Any], set[str]]] = [
    ("configure.md", discreet.configure, set()),
    ("json.md", discreet.JsonFormatter, {"datefmt"}),
    ("json.md", discreet.JsonHandler, {"level"}),
    ("console.md", discreet.ConsoleFormatter, set()),
    ("spans.md", discreet.OtelSpanHandler, set()),
    ("spans.md", discreet.GuardedSpanExporter, set()),
    ("otlp.md", discreet.OtelLogHandler, set()),
    ("otlp.md", discreet.GuardedLogRecordExporter, set()),
    ("metrics.md", discreet.OtelMetricHandler, set()),
    ("handlers.md", discreet.ContentGuard, {"name"}),
]


def _first_cells(page: str) -> set[str]:
    rows = ROW.finditer((DOCS / page).read_text(encoding="utf-8"))
    return {name for row in rows for name in CODE.findall(row["first"])}


@pytest.mark.parametrize(("page", "part", "left_out"), PAGES, ids=lambda value: getattr(value, "__name__", None))
def test_a_page_names_every_option_of_its_part(page: str, part: Callable[..., Any], left_out: set[str]) -> None:
    """Each has a row of its own or shares one."""
    options = set(inspect.signature(part).parameters) - UNNAMED - left_out

    assert options - _first_cells(page) == set()


def test_the_page_of_configure_names_every_variable() -> None:
    """A setting without a variable can't be changed by who deploys a service."""
    text = (DOCS / "configure.md").read_text(encoding="utf-8")

    assert {f"DISCREET_{name.upper()}" for name in VARIABLES} <= set(re.findall(r"DISCREET_[A-Z_]+", text))


def test_the_page_of_json_names_every_field() -> None:
    """The fixed ones; declared attributes have their own names."""
    documented = inspect.getdoc(discreet.JsonFormatter) or ""
    fields = re.search(r"absent when there is nothing: (?P<fields>.+?)\.\n", documented, re.DOTALL)
    assert fields is not None
    named = set(re.findall(r"``([a-z_]+)``", fields["fields"]))

    assert named - _first_cells("json.md") == set()


def test_the_index_leads_to_every_page() -> None:
    """A page that nothing leads to is not read."""
    index = (DOCS / "README.md").read_text(encoding="utf-8")
    pages = {path.name for path in DOCS.glob("*.md")} - {"README.md"}

    assert {page for page in pages if f"({page})" not in index} == set()


def test_the_documentation_names_every_public_name() -> None:
    """A name that no page explains is as good as private."""
    pages = [ROOT / "README.md", *sorted(DOCS.glob("*.md"))]
    text = "\n".join(Path(page).read_text(encoding="utf-8") for page in pages)

    assert {name for name in discreet.__all__ if name not in text} == set()
