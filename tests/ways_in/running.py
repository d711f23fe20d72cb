"""Starts a program with a printed configuration, and reads what it wrote."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import redirect_stdout
from http.client import HTTPConnection
from io import StringIO
from pathlib import Path
from typing import Any, Self

from discreet.cli.main import main
from tests.forking import environment

HERE = Path(__file__).parent
APPS = HERE / "apps"
DEADLINE_S = 60

# Numbers that differ from run to run: process ids, ports, durations. Read in this order.
_VOLATILE = (
    (re.compile(r"(?<=127\.0\.0\.1:)\d{2,5}"), "PORT"),
    (re.compile(r"(?<=pid: )\d+|(?<=pid:)\d+|(?<=process \[)\d+|(?<=\()\d+(?=\)$)"), "PID"),
    (re.compile(r"(?<=\[)[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?=\])"), "ID"),
    (re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d"), "TIME"),
    (re.compile(r"\b\d+\.\d+(?=s\b)|(?<= )\d+\.\d+$"), "SECONDS"),
)


def ask(port: int, method: str, target: str, body: str = "", **headers: str) -> int:
    """Send one request on a connection of its own, and return the status of its answer."""
    connection = HTTPConnection("127.0.0.1", port, timeout=DEADLINE_S)
    try:
        connection.request(method, target, body.encode(), {"Connection": "close", **headers})
        answer = connection.getresponse()
        answer.read()
        return answer.status
    finally:
        connection.close()


def printed(*arguments: str) -> str:
    """Return what ``discreet config`` prints."""
    out = StringIO()
    with redirect_stdout(out):
        assert main(["config", *arguments]) == 0
    return out.getvalue()


def steady(line: Mapping[str, Any]) -> dict[str, Any]:
    """Return a line without what differs from run to run."""
    found = dict(line)
    found.pop("timestamp")
    for pattern, name in _VOLATILE:
        found["message"] = pattern.sub(name, found["message"])
    for key in ("duration_s", "code_line", "task_id"):
        if key in found:
            found[key] = type(found[key]).__name__
    if "exception_frames" in found:
        # The last frame says where it happened; those of libraries before it change with their releases.
        found["exception_frames"] = found["exception_frames"].rpartition(" > ")[2].rpartition(":")[0]
    if "origin" in found:
        found["origin"] = re.sub(r":\d+$", ":PORT", found["origin"])
    return found


class Program:
    """A process whose output goes to files; a context manager that ends it and all that it started."""

    def __init__(self, folder: Path, *command: str, **settings: str) -> None:
        settings["PYTHONPATH"] = os.pathsep.join([str(APPS), str(folder), environment()["PYTHONPATH"]])
        self._files = folder / "stdout.txt", folder / "stderr.txt"
        with self._files[0].open("wb") as out, self._files[1].open("wb") as err:
            self.process = subprocess.Popen(
                [sys.executable, *command],
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                env=environment(PYTHONUTF8="1", PYTHONUNBUFFERED="1", **settings),
                start_new_session=True,
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.kill()

    @property
    def stdout(self) -> str:
        return self._files[0].read_text(encoding="utf-8")

    @property
    def stderr(self) -> str:
        return self._files[1].read_text(encoding="utf-8")

    @property
    def lines(self) -> list[dict[str, Any]]:
        """The whole lines of standard output, which are JSON; anything else there fails."""
        return [json.loads(line) for line in self.stdout.splitlines(keepends=True) if line.endswith("\n")]

    def wait_for(self, what: str) -> re.Match[str]:
        """Wait until a pattern stands in the output, and return it."""
        found: list[re.Match[str]] = []

        def seen() -> bool:
            match = re.search(what, self.stdout) or re.search(what, self.stderr)
            found.extend([match] if match else [])
            return match is not None

        self._wait(seen, what)
        return found[0]

    def wait_for_lines(self, number: int, **fields: Any) -> None:
        """Wait until that many whole lines have these fields, since an answer comes before its access line."""

        def seen() -> bool:
            whole = self.stdout.rpartition("\n")[0].splitlines()
            lines = [json.loads(line) for line in whole if line.startswith("{")]
            return sum(all(line.get(key) == value for key, value in fields.items()) for line in lines) >= number

        self._wait(seen, f"{number} lines with {fields}")

    def _wait(self, done: Callable[[], bool], what: str) -> None:
        end = time.monotonic() + DEADLINE_S
        while not done():
            ended = self.process.poll() is not None
            if (ended and not done()) or time.monotonic() > end:
                state = "ended" if ended else "runs"
                raise AssertionError(f"no {what}; the program {state}.\n{self.stdout}\n{self.stderr}")
            time.sleep(0.02)

    def stop(self) -> int:
        """Ask the process to end, and return its exit status."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=DEADLINE_S)

    def kill(self) -> None:
        """End the process and whatever it started, at once."""
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            return
        finally:
            self.process.wait(timeout=DEADLINE_S)

    def finish(self) -> int:
        """Wait until the process ends by itself, and return its exit status."""
        return self.process.wait(timeout=DEADLINE_S)
