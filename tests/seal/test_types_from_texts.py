"""Types that make a shown form out of a text which a library has put together."""

from __future__ import annotations

import json
import sys
from types import ModuleType

import pytest

from discreet.seal.types import WITHHELD, value_type


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("[10/Oct/2000:13:55:36 -0700]", "2000-10-10T13:55:36-07:00"),
        ("[01/Jan/2026:00:00:00 +0000]", "2026-01-01T00:00:00+00:00"),
        ("[10/Foo/2000:13:55:36 -0700]", WITHHELD),
        ("[10/Oct/2000:13:55:36]", WITHHELD),
        ("the tenth of October", WITHHELD),
    ],
)
def test_the_time_of_an_access_line_shows_in_iso_8601(text, shown):
    """The common log format's time in brackets is a timestamp; any other text in its place is not."""
    assert value_type("timestamp").safe(text) == shown


def test_the_path_of_a_loaded_modules_file_shows_as_the_module(monkeypatch):
    """A warning names a file. Only a file that some module was loaded from has a name to show."""
    kind = value_type("module")
    stranger = ModuleType("stranger")
    stranger.__file__ = "/srv/app/stranger.py"
    assert kind.safe("/srv/app/stranger.py") is WITHHELD
    monkeypatch.setitem(sys.modules, "stranger", stranger)
    assert [kind.safe("/srv/app/stranger.py"), kind.safe(json.__file__), kind.safe("/srv/app/what hurts?.py")] == [
        "stranger",
        "json",
        WITHHELD,
    ]
