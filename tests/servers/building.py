"""Builds the servers from their released sources, once for each set of versions."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

GO = Path(__file__).parent / "go"
FLAGS = ("-trimpath", "-ldflags=-s -w")


class BuildError(Exception):
    """A server couldn't be built; the message says what is wanting."""


@dataclass(frozen=True)
class Program:
    """A program that can be built; `sources` are what its version follows from."""

    name: str
    sources: tuple[bytes, ...]
    make: Callable[[Path], None]

    @property
    def path(self) -> Path:
        """Where it is once it was built; another version has another place."""
        return cache() / self._version() / self.name

    def _version(self) -> str:
        whole = hashlib.sha256()
        for source in self.sources:
            whole.update(len(source).to_bytes(8) + source)
        return whole.hexdigest()[:16]

    def build(self) -> float:
        """Build it unless that was done before.

        Returns:
            The seconds that it took.

        Raises:
            BuildError: It can't be built.
        """
        started = time.monotonic()
        with _alone(self.path.parent):
            if not self.path.exists():
                with tempfile.TemporaryDirectory(dir=self.path.parent) as folder:
                    made = Path(folder, self.name)
                    self.make(made)
                    made.chmod(0o755)
                    made.rename(self.path)
        return time.monotonic() - started


def cache() -> Path:
    """The folder of everything that was built."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base, "discreet-ci", "servers")


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _run(command: list[str], **options: object) -> str:
    done = subprocess.run(command, check=False, capture_output=True, text=True, **options)  # type: ignore[call-overload]
    if done.returncode:
        raise BuildError(f"{' '.join(command[:3])} ended with {done.returncode}:\n{done.stderr[-2000:]}")
    return str(done.stdout)


def _go(name: str, package: str) -> Program:
    folder = GO / name

    def make(path: Path) -> None:
        if shutil.which("go") is None:
            raise BuildError("Go 1.26 or newer is needed to build the servers, and there is no `go`.")
        # No C compiler is needed so, and the program runs wherever its kernel does.
        environment = os.environ | {"CGO_ENABLED": "0", "GOFLAGS": "-mod=readonly -buildvcs=false"}
        _run(["go", "build", *FLAGS, "-o", str(path), package], cwd=folder, env=environment)

    sources = sorted(file for file in folder.iterdir() if file.suffix in {".go", ".mod", ".sum"})
    return Program(name, (*(file.read_bytes() for file in sources), *(flag.encode() for flag in FLAGS)), make)


def _debian(name: str, program: str, *libraries: str, package: str | None = None) -> Program:
    """A program of a Debian package, which has its name or another, with the shared libraries that it needs."""

    def make(path: Path) -> None:
        with tempfile.TemporaryDirectory() as folder:
            for one in (package or name, *libraries):
                _unpacked(one, Path(folder))
            if not libraries:
                shutil.copy2(Path(folder, program), path)
                return
            home = path.parent.parent
            for file in (Path(folder, program), *Path(folder).glob("**/lib*.so.*")):
                shutil.copy2(file, home / f"_{file.name}" if file.match(program) else home / file.name)
            path.write_text(
                f'#!/bin/sh\nLD_LIBRARY_PATH="${{0%/*}}" exec "${{0%/*}}/_{Path(program).name}" "$@"\n',
                encoding="utf-8",
            )

    return Program(name, tuple(f"debian {part}".encode() for part in (name, program, *libraries)), make)


def _apt(*command: str, folder: Path, own: Path | None = None) -> None:
    options = ["APT::Sandbox::User=root"]
    if own is not None:
        options += [f"Dir::State::Lists={own}/lists", f"Dir::Cache={own}", "APT::Update::Error-Mode=any"]
    try:
        _run(["apt-get", *command, "-q", *(f"-o{option}" for option in options)], cwd=folder)
    except BuildError as error:
        if own is None:
            raise
        raise BuildError(f"{error}\nDebian's packages come from the mirrors of its apt sources.") from None


def _unpacked(package: str, folder: Path) -> None:
    if shutil.which("apt-get") is None or shutil.which("dpkg-deb") is None:
        raise BuildError(f"{package} comes from Debian's package, and there is no apt-get.")
    # Downloaded and unpacked, never installed: a test machine gets no service of its own from it.
    try:
        _apt("download", package, folder=folder)
    except BuildError:
        # The machine's lists are old or, in most containers, not there. Lists of our own need no root.
        own = cache() / "apt"
        (own / "lists" / "partial").mkdir(parents=True, exist_ok=True)
        with _alone(own):
            _apt("update", folder=folder, own=own)
            _apt("download", package, folder=folder, own=own)
    (file,) = folder.glob(f"{package}_*.deb")
    _run(["dpkg-deb", "--extract", str(file), str(folder)])


PROGRAMS = {
    program.name: program
    for program in (
        _go("collector", "."),
        _go("victorialogs", "github.com/VictoriaMetrics/VictoriaLogs/app/victoria-logs"),
        _go("manifests", "."),
        _go("jaeger", "github.com/jaegertracing/jaeger/cmd/all-in-one"),
        _debian("prometheus", "usr/bin/prometheus"),
        _debian("promtool", "usr/bin/promtool", package="prometheus"),
        _debian("logrotate", "usr/sbin/logrotate", "libpopt0"),
    )
}
"""What `python -m tests.servers build` builds, by name."""
