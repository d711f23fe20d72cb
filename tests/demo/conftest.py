"""Runs the demo: twice as it is, the second time as control, in another world, and unguarded."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

pytestmark = pytest.mark.integration

ROOT = Path(__file__).parents[2]
DEMO = ROOT / "docs" / "examples" / "demo"
AUDIT = Path(__file__).parent / "audit"


@dataclass(frozen=True)
class Run:
    """What one run of the demo left behind."""

    out: Path
    code: int
    stdout: str
    stderr: str

    def file(self, name: str) -> str:
        return (self.out / name).read_text(encoding="utf-8")

    def everything(self) -> dict[str, str]:
        """All that was written anywhere, by where it was written."""
        written = {path.name: path.read_text(encoding="utf-8") for path in self.out.iterdir()}
        return {**written, "stdout": self.stdout, "stderr": self.stderr}


@dataclass(frozen=True)
class Runs:
    first: Run
    control: Run
    other_world: Run
    unguarded: Run


def _start(out: Path, *arguments: str, **settings: str) -> subprocess.Popen[str]:
    inherited = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
    environment = {
        **os.environ,
        # The run starts in another directory, where relative entries would lead astray.
        "PYTHONPATH": os.pathsep.join([str(AUDIT), *map(os.path.abspath, inherited)]),
        "PYTHONHASHSEED": "0",
        "AUDIT_FILE": str(out.with_suffix(".connections")),
        "COLUMNS": "110",
        **settings,
    }
    return subprocess.Popen(
        [sys.executable, str(DEMO / "run.py"), "--out", str(out), "--plain", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        env=environment,
        # Away from the tree: what the demo leaves where it is started would be seen here.
        cwd=out.parent,
    )


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    directory = tmp_path_factory.mktemp("demo")
    started = {
        "first": _start(directory / "first"),
        "control": _start(directory / "control"),
        "other_world": _start(directory / "other_world", "--world", "7"),
        "unguarded": _start(directory / "unguarded", DISCREET_INSTALL="false"),
    }
    runs = {}
    for name, process in started.items():
        stdout, stderr = process.communicate()
        runs[name] = Run(directory / name, process.returncode, stdout, stderr)
    return Runs(**runs)
