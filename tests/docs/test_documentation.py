"""Every code block of README and docs runs or loads, and every link leads somewhere."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.docs.blocks import Page, pages, read
from tests.docs.checks import ROOT, PageRun
from tests.docs.packages import copied, installed, wheel

LINK = re.compile(r"\]\((?P<target>[^)\s]+)\)")
HEADING = re.compile(r"^#+ (?P<title>.+)$", re.MULTILINE)
FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


def _page(path: Path) -> Page:
    return read(path, str(path.relative_to(ROOT)))


def _parameters() -> list[object]:
    return [
        pytest.param(page, id=page.name, marks=[pytest.mark.integration] if page.needs or page.package else [])
        for page in map(_page, pages(ROOT))
    ]


@pytest.mark.parametrize("page", _parameters())
def test_every_block_of_a_page_runs_or_loads(page: Page, tmp_path: Path) -> None:
    """The blocks of a page share a folder; code runs in a fresh process each time."""
    assert [name for name in page.needs if find_spec(name) is None] == []

    if page.package is None:
        PageRun(page, tmp_path).check()
    else:
        package = copied((ROOT / page.name).parent / page.package, tmp_path / "package")
        PageRun(page, package, python=installed(wheel(package, tmp_path / "wheels"), tmp_path / "environment")).check()


def _anchors(path: Path) -> set[str]:
    titles = HEADING.findall(FENCED.sub("", path.read_text(encoding="utf-8")))
    return {re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-") for title in titles}


@pytest.mark.parametrize("path", list(pages(ROOT)), ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_inside_the_project_leads_somewhere(path: Path) -> None:
    """Files exist and so do the headings inside them."""
    broken = []
    for target in LINK.findall(FENCED.sub("", path.read_text(encoding="utf-8"))):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        file = (path.parent / name) if name else path
        if not file.exists() or (anchor and anchor not in _anchors(file)):
            broken.append(target)

    assert broken == []
