"""The templates of `common` stand in the sources of the libraries they are about."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from discreet.contract.model import RecordRow
from discreet.contract.source import load_shipped
from tests.contract.library_sources import installed
from tests.contract.log_calls import template_keys

pytestmark = [pytest.mark.integration, pytest.mark.long]

# What the installed release makes of pieces, or reads from its configuration.
COMPUTED = {
    "gunicorn": {
        "Worker (pid:{}) was sent {}! Perhaps out of memory?",
        '{} {} {} {} "{}" {} {} "{}" "{}" {}',
        '{} {} {} {} "{}" {} {}',
        '{} "{} {} {}" {} {} {}',
    },
    "uvicorn": {
        "Uvicorn running on {}://{}:{} (Press CTRL+C to quit)",
        "Uvicorn running on {}://[{}]:{} (Press CTRL+C to quit)",
    },
}

# `http.server` of the standard library writes these for Django's development server.
OF_OTHERS = {'"{}" {} {}', "code {}, message {}"}


def _package(row: RecordRow) -> str:
    return (row.logger or row.module or "").partition(".")[0]


def _rows() -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for row in load_shipped("common").records:
        if not (row.note or "").startswith("Up to release"):
            found.setdefault(_package(row), set()).add(row.key)
    return found


@pytest.mark.parametrize("package", sorted(_rows()))
def test_the_templates_of_a_library_stand_in_its_source(package):
    """A template that the installed release doesn't have any more is noted as an older one's, or stale."""
    root = Path(asyncio.__file__).parent.parent if package == "asyncio" else installed(package)
    stale = _rows()[package] - template_keys(root, package) - COMPUTED.get(package, set()) - OF_OTHERS
    assert stale == set()
