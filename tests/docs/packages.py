"""Builds a package of docs/examples and installs it, without a network, beside what runs the tests."""

from __future__ import annotations

import shutil
import subprocess
import sys
import venv
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

from tests.forking import environment

_SCRIPT = """\
#!{python}
import sys
from {module} import {attribute}
sys.exit({attribute}())
"""


def copied(package: Path, to: Path) -> Path:
    """A copy of the package's folder, so that nothing that is built or run there stays in the project."""
    shutil.copytree(package, to, ignore=shutil.ignore_patterns("__pycache__", ".*_cache"))
    return to


def wheel(package: Path, into: Path) -> Path:
    """The wheel of a package, built by what is installed here."""
    _pip("wheel", "--no-deps", "--no-build-isolation", "--no-index", "--wheel-dir", str(into), str(package))
    (built,) = into.glob("*.whl")
    return built


def installed(built: Path, into: Path, *, beside: bool = True) -> str:
    """The interpreter of a new environment that has this wheel.

    Args:
        built: The wheel.
        into: The folder of the environment.
        beside: Whether it has all that is installed here too, discreet among it.
    """
    builder = venv.EnvBuilder(with_pip=False)
    builder.create(into)
    context = builder.ensure_directories(into)
    python: str = context.env_exe
    _pip("--python", python, "install", "--no-deps", "--no-index", str(built))
    if beside:
        (site,) = into.glob("lib/python*/site-packages")
        lines = [f"import site; site.addsitedir({path!r})\n" for path in sys.path if path.endswith("-packages")]
        (site / "beside.pth").write_text("".join(lines), encoding="utf-8")
        for point in entry_points(group="console_scripts"):
            if point.name in {"discreet", "pytest"}:
                _script(point, Path(context.bin_path), python)
    return python


def _script(point: EntryPoint, folder: Path, python: str) -> None:
    script = folder / point.name
    script.write_text(
        _SCRIPT.format(python=python, module=point.module, attribute=point.attr.partition(".")[0]), encoding="utf-8"
    )
    script.chmod(0o755)


def _pip(*arguments: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", *arguments],
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout
