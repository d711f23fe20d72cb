"""Where the sources of the libraries are whose records the shipped contracts map."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from zipfile import ZipFile

import pytest

VERBATIM_RAG = "verbatim-rag==0.2.8"
VERBATIM_RAG_SOURCE = "VERBATIM_RAG_SOURCE"
"""The environment variable that names a directory with the unpacked wheel, for work without network."""


def installed(package: str) -> Path:
    """Return the directory that holds an installed package's directory; nothing of the package runs."""
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        pytest.fail(f"{package} isn't installed; it is in the dependency group `integration`")
    return Path(spec.origin).parent.parent


def verbatim_rag() -> Path:
    """Return a directory with verbatim_rag's source, from its wheel.

    Installing it would bring gigabytes of dependencies, so its wheel is only unpacked, in a cache outside the clone.
    """
    given = os.environ.get(VERBATIM_RAG_SOURCE)
    if given:
        return Path(given)
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "discreet-tests"
    unpacked = cache / VERBATIM_RAG.replace("==", "-")
    if not unpacked.is_dir():
        cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache) as fresh:
            _download(Path(fresh))
            (wheel,) = Path(fresh).glob("*.whl")
            with ZipFile(wheel) as archive:
                archive.extractall(Path(fresh) / "source")
            try:
                (Path(fresh) / "source").rename(unpacked)
            except OSError:
                # Another run was quicker, and has put the same files there.
                if not unpacked.is_dir():
                    raise
    return unpacked


def _download(directory: Path) -> None:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]
    done = subprocess.run(
        [*command, "--dest", str(directory), VERBATIM_RAG], capture_output=True, text=True, check=False
    )
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or ["pip said nothing"])[-1]
        pytest.fail(
            f"{VERBATIM_RAG} can't be downloaded: {reason}\n"
            f"This test reads its source. Let the package index be reached once, or set {VERBATIM_RAG_SOURCE} to a "
            "directory with its unpacked wheel."
        )
