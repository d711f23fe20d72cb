"""Runs a program of `programs` in a process of its own and gives back what it wrote."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.forking import environment
from tests.interplay.calls import found_in

PROGRAMS = Path(__file__).parent / "programs"
TIMEOUT_S = 120


@dataclass(frozen=True)
class Outcome:
    """What a program left: its streams, and its files by name."""

    stdout: str
    stderr: str
    files: dict[str, str]

    def lines(self, name: str) -> list[dict[str, Any]]:
        """Return the JSON values in a file, one a line."""
        return [json.loads(line) for line in self.files[name].splitlines()]

    @property
    def leaks(self) -> list[str]:
        """Customer text, wherever it is."""
        return found_in(self.stdout, self.stderr, *self.files.values())


def run(program: str, folder: Path, *arguments: str) -> Outcome:
    """Run a program in a folder; what it writes there are its files."""
    done = subprocess.run(
        [sys.executable, "-W", "error", str(PROGRAMS / program), *arguments],
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "--- Logging error ---" not in done.stderr
    files = {path.name: path.read_text("utf-8") for path in sorted(folder.iterdir()) if path.is_file()}
    return Outcome(done.stdout, done.stderr, files)
