"""The Collector's allow-list for the records that tests write."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ATTRIBUTES = ("pid", "worker", "seq")


def write_allow_list(path: Path, attributes: Sequence[str] = ATTRIBUTES, *options: str) -> Path:
    """Write it as an operator does, by the command line."""
    words = [word for name in attributes for word in ("--attribute", name)]
    command = [sys.executable, "-m", "discreet.cli.main", "contract", "allow-list", *words, *options]
    path.write_text(subprocess.run(command, check=True, capture_output=True, text=True).stdout, encoding="utf-8")
    return path
