"""Runs a program in a process of its own, with the URL of a collector as its argument."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.forking import environment

HEAD = """
import json, logging, os, signal, sys, threading, time
import discreet
url = sys.argv[1]
log = logging.getLogger("app")

def say(count, who="parent"):
    for n in range(count):
        log.info("record", extra={"n": n, "pid": os.getpid()})

def tell(**values):
    # One write call: children share the pipe.
    os.write(1, (json.dumps(values) + "\\n").encode())

def counts(name="otlp_logs"):
    return discreet.export.ledger.LEDGER.sink(name).as_dict()

def set_up(**options):
    options = {"json": None, "otlp": url, "attributes": {"n": "int", "pid": "int"}, **options}
    return discreet.configure(**options)
"""


@dataclass
class Ended:
    """How a program ended, and what it said: each line of its standard output is JSON."""

    code: int
    said: list[Any]
    stderr: str


def run(program: str, url: str, folder: Path, **variables: str) -> Ended:
    """Run a program after :data:`HEAD`; fail if it takes longer than three minutes."""
    file = folder / "program.py"
    file.write_text(HEAD + textwrap.dedent(program), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-W", "error", str(file), url],
        env=environment(**{"DISCREET_REPORT_EVERY": "0", "OTEL_METRICS_EXPORTER": "none", **variables}),
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    return Ended(done.returncode, [json.loads(line) for line in done.stdout.splitlines()], done.stderr)
