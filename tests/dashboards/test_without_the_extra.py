"""`discreet dashboards` where Grafana's library isn't installed."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from discreet.cli.main import main


@pytest.mark.parametrize("library", ["grafana_foundation_sdk", "yaml"])
def test_the_command_says_which_extra_is_missing(
    library: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the command that installs it, and nothing is written."""
    for name in list(sys.modules):
        if name.partition(".")[0] == library or name == "discreet.dashboards._grafana.overview":
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, library, None)

    assert main(["dashboards", "render", "--out", str(tmp_path / "out")]) == 2

    assert capsys.readouterr().err == (
        "discreet: the extra `dashboards` isn't installed. Run: pip install 'discreet[dashboards]'\n"
    )
    assert not (tmp_path / "out").exists()
