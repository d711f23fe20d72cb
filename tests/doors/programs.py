"""Programs in processes of their own: what they print, how they end."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent
from typing import Any

from tests.forking import environment

QUESTION = "Where is the key of the boat house?"
"""Stands in every program for what a customer wrote."""

HEAD = f"""\
import logging, sys
import discreet
QUESTION = {QUESTION!r}
"""

TO_JSON = "logging.root.addHandler(discreet.JsonHandler(filename='log.jsonl'))\n"


@dataclass
class Ended:
    """A program that came to its end."""

    code: int
    out: str
    err: str
    folder: Path

    @property
    def records(self) -> list[dict[str, Any]]:
        """What it logged, without times."""
        file = self.folder / "log.jsonl"
        lines = file.read_text("utf-8").splitlines() if file.exists() else []
        records = [json.loads(line) for line in lines]
        for record in records:
            del record["timestamp"]
        return records

    @property
    def everything(self) -> str:
        """All that came out of it, in one text."""
        files = [file.read_text("utf-8") for file in self.folder.iterdir() if file.suffix != ".py" and file.is_file()]
        return "\n".join([self.out, self.err, *files])


def run(folder: Path, program: str, *, head: str = HEAD, **variables: str) -> Ended:
    """Run a program from a file, in a folder of its own, and see that nothing a customer wrote came out."""
    (folder / "app.py").write_text(head + dedent(program), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "app.py"],
        cwd=folder,
        env=environment(PYTHONUNBUFFERED="", **variables),
        capture_output=True,
        timeout=120,
        check=False,
    )
    ended = Ended(done.returncode, done.stdout.decode(), done.stderr.decode(), folder)
    assert "boat house" not in ended.everything
    return ended
