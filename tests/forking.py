"""Many fresh processes for little time: a server that has imported what is needed forks one for each job.

Starting an interpreter and importing the SDK costs a third of a second, a fork of a process that has
done so a hundredth. Each job has its own exit, handlers and hooks, as if it had been started alone.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Self

import discreet
import discreet.contract

ROOT = Path(__file__).parents[1]
PRELOADED = (
    "discreet.config",
    "discreet.export.console",
    "discreet.export.span_guard",
    "opentelemetry.sdk.trace.export",
    "pythonjsonlogger.json",
)


def environment(**more: str) -> dict[str, str]:
    """Return an environment in which a process finds discreet as this one does, and the tests."""
    places = [str(Path(discreet.__file__).parents[1]), str(ROOT), os.environ.get("PYTHONPATH", "")]
    path = os.pathsep.join(filter(None, places))
    return {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1", **more}


class ForkServer:
    """Runs a script that calls :func:`serve`, and hands it jobs; a context manager that ends it."""

    def __init__(self, script: Path, env: Mapping[str, str]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, str(script)],
            env=dict(env),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()

    def close(self) -> None:
        """End the server, which waits for nothing: its jobs are done when `run` returns."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(timeout=10)
        self._process.stdout.close()

    def run(self, job: Mapping[str, Any]) -> int | None:
        """Run a job, whose `timeout` is in seconds; return its exit code, None if it had to be killed."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps(job), file=self._process.stdin, flush=True)
        code: int | None = json.loads(self._process.stdout.readline())
        return code


def serve(run: Callable[[dict[str, Any]], None]) -> None:
    """Fork a process for each line of standard input, run it as a job there, answer with its exit code.

    In the child this returns, so that it ends as a program does, with all that happens at exit.
    """
    for name in PRELOADED:
        importlib.import_module(name)
    # Contracts are data: read once, for all the forks.
    discreet.contract.active()
    # Else each fork would look through all that was loaded here when it ends.
    gc.freeze()
    for line in sys.stdin:
        job = json.loads(line)
        pid = os.fork()
        if pid == 0:
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            run(job)
            return
        print(json.dumps(_wait(pid, job["timeout"])), flush=True)


def _wait(pid: int, seconds: float) -> int | None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.002)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return None
