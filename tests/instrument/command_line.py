"""Runs programs by `opentelemetry-instrument` and by themselves, and makes what they give comparable."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Collection
from importlib.metadata import distribution, distributions
from pathlib import Path
from typing import Any

from tests.forking import ROOT, environment

FILES = ("records.jsonl", "spans.jsonl")
CHANGING = re.compile(r"run_[0-9A-Z]{26}|(?<=127\.0\.0\.1:)\d+|\d+\.\d+(?= ms)")
ID = re.compile(r"[0-9a-f]{32}|[0-9a-f]{16}")
TIMES = re.compile("duration|latency|time|wait_s", re.IGNORECASE)


def installed(folder: Path, *, others: Collection[str] = (), first: bool = False) -> list[Path]:
    """Return folders that make this tree's instrumentors known and those of some other packages, and of no more.

    Whatever is installed: of a package that is found twice, the first one counts.

    Args:
        folder: where they are made.
        others: packages whose instrumentors are there too.
        first: whether theirs come before ours.
    """
    ours, theirs, hidden = folder / "ours", folder / "theirs", folder / "hidden"
    points = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["entry-points"]
    lines = [
        line
        for group, found in points.items()
        for line in (f"[{group}]", *(f"{name} = {value}" for name, value in found.items()))
    ]
    _known(ours, "discreet", "0.1.0", "\n".join(lines))
    for name in others:
        found = distribution(name)
        _known(theirs, name, found.version, found.read_text("entry_points.txt") or "")
    for one in distributions():
        if one.name not in ("discreet", *others) and one.entry_points.select(group="opentelemetry_instrumentor"):
            _known(hidden, one.name, one.version, "")
    return [theirs, ours, hidden] if first else [ours, theirs, hidden]


def _known(folder: Path, name: str, version: str, points: str) -> None:
    info = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n", "utf-8")
    (info / "entry_points.txt").write_text(points, "utf-8")


def instrument() -> str:
    """Return the command."""
    return str(Path(sys.executable).with_name("opentelemetry-instrument"))


def run(known: list[Path], folder: Path, *command: str, told: str = "", **variables: str) -> dict[str, list[Any]]:
    """Run a program in a folder of its own, and hear what it says; return the lines of its files, made comparable."""
    folder.mkdir()
    found = environment(**variables)
    found["PYTHONPATH"] = ":".join([*map(str, known), found["PYTHONPATH"]])
    done = subprocess.run(command, cwd=folder, env=found, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (0, told), done.stderr
    steady = Steady()
    return {
        name: [steady.of(json.loads(line)) for line in (folder / name).read_text("utf-8").splitlines()]
        for name in FILES
        if (folder / name).exists()
    }


class Steady:
    """Leaves out how long things took, and gives ids their numbers in the order in which they come."""

    def __init__(self) -> None:
        self._ids: dict[str, str] = {}

    def of(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {name: self.of(one) for name, one in value.items() if not TIMES.search(name)}
        if isinstance(value, list):
            return [self.of(one) for one in value]
        if not isinstance(value, str):
            return value
        return ID.sub(lambda found: self._ids.setdefault(found[0], f"<{len(self._ids)}>"), CHANGING.sub("~", value))
