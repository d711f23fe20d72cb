"""Prints the other Python interpreters that the suite can run on: version, blank, path.

A program of its own for the Makefile, so it needs nothing but the standard library.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

MINORS = range(11, 15)

# Free-threaded builds are left out: some of our dependencies have no wheels for them.
PROBE = """
import ensurepip, json, sys, sysconfig, venv
print(json.dumps({
    "version": sys.version_info[:2],
    "final": sys.version_info.releaselevel == "final",
    "cpython": sys.implementation.name == "cpython",
    "gil": not sysconfig.get_config_var("Py_GIL_DISABLED"),
}))
"""


def candidates(home: Path) -> Iterator[str]:
    """Paths at which an interpreter may be, the likeliest first; many will not exist."""
    for minor in MINORS:
        name = f"python3.{minor}"
        if on_path := shutil.which(name):
            yield on_path
        roots = [Path("/usr/bin"), Path("/usr/local/bin"), Path("/opt/homebrew/bin")]
        for root in (home / ".pyenv/versions", home / ".local/share/uv/python"):
            roots += sorted(root.glob("*/bin"), reverse=True)
        yield from (str(root / name) for root in roots)


def probe(path: str) -> int | None:
    """The minor version of the interpreter at `path`; None if it can't run the suite.

    It is executed, because a version manager's shim exists for interpreters that don't.
    """
    try:
        answer = subprocess.run([path, "-I", "-c", PROBE], capture_output=True, timeout=60, check=True, text=True)
        facts = json.loads(answer.stdout)
    except (OSError, subprocess.SubprocessError, ValueError):
        return None
    usable = facts["final"] and facts["cpython"] and facts["gil"] and facts["version"][0] == 3
    minor = facts["version"][1]
    return minor if usable and minor in MINORS else None


def find(paths: Iterable[str], without: Iterable[int]) -> dict[int, str]:
    """For each minor version not in `without` the first of `paths` that is one."""
    found: dict[int, str] = {}
    done = set(without)
    seen: set[str] = set()
    for path in paths:
        if path in seen or not os.access(path, os.X_OK):
            continue
        seen.add(path)
        minor = probe(path)
        if minor is not None and minor not in done:
            done.add(minor)
            found[minor] = path
    return found


if __name__ == "__main__":
    others = find(candidates(Path.home()), without=[sys.version_info.minor])
    for minor, path in sorted(others.items()):
        print(f"3.{minor} {path}")
