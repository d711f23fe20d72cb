"""The two durable ways from a service to the Collector: a rotated file, and the files of a container runtime."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import IO

WRITER = Path(__file__).with_name("writer.py")
SPLIT = 16_384


class Way:
    """Starts services whose lines reach the Collector in one way."""

    config: str

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True)

    @property
    def variables(self) -> dict[str, str]:
        """What the Collector's configuration is told."""
        raise NotImplementedError

    def start(self, progress: Path, records: int, pause: float) -> subprocess.Popen[bytes]:
        raise NotImplementedError

    def rotate(self) -> None:
        """Begin new files, by rename."""
        raise NotImplementedError

    def finish(self) -> None:
        """Wait until everything that was written is in files."""


def _command(target: str, progress: Path, records: int, pause: float) -> list[str]:
    return [sys.executable, str(WRITER), target, str(progress), str(records), str(pause)]


class Files(Way):
    """One file for all processes, rotated as logrotate does it."""

    config = "files.yaml"

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.path = folder / "app.jsonl"
        self.rotated = 0

    @property
    def variables(self) -> dict[str, str]:
        return {"LOG_FILES": f"{self.folder}/*.jsonl*"}

    def start(self, progress: Path, records: int, pause: float) -> subprocess.Popen[bytes]:
        return subprocess.Popen(_command(str(self.path), progress, records, pause), stdin=subprocess.DEVNULL)

    def rotate(self) -> None:
        self.rotated += 1
        self.path.rename(f"{self.path}.{self.rotated}")


class Container:
    """What a container runtime makes of a process's standard output: lines of CRI, long ones split."""

    def __init__(self, stream: IO[bytes], path: Path) -> None:
        self.path = path
        self.rotated = 0
        self._stream = stream
        self._wanted = threading.Event()
        self._file = path.open("ab", buffering=0)
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def rotate(self) -> None:
        self._wanted.set()

    def _run(self) -> None:
        # A buffered reader's readline would wait for a whole buffer; this one takes what is there.
        rest = b""
        while block := os.read(self._stream.fileno(), 65536):
            *lines, rest = (rest + block).split(b"\n")
            for line in lines:
                self._write(line)
        if rest:
            self._write(rest)
        self._stream.close()
        self._file.close()

    def _write(self, line: bytes) -> None:
        stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime()) + f".{time.time_ns() % 10**9:09d}Z"
        parts = [line[at : at + SPLIT] for at in range(0, len(line), SPLIT)] or [b""]
        marks = ["P"] * (len(parts) - 1) + ["F"]
        for mark, part in zip(marks, parts, strict=True):
            self._file.write(f"{stamp} stdout {mark} ".encode() + part + b"\n")
        if self._wanted.is_set():
            self._wanted.clear()
            self.rotated += 1
            self._file.close()
            self.path.rename(f"{self.path}.20261130-1645{self.rotated:02d}")
            self._file = self.path.open("ab", buffering=0)


class Pods(Way):
    """Standard output, as Kubernetes keeps it on a node; each process is a container of its own."""

    config = "kubernetes.yaml"

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.containers: list[Container] = []

    @property
    def variables(self) -> dict[str, str]:
        return {"POD_LOGS": str(self.folder)}

    def start(self, progress: Path, records: int, pause: float) -> subprocess.Popen[bytes]:
        command = _command("-", progress, records, pause)
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        number = len(self.containers)
        folder = self.folder / f"default_answers-{number}_5d3c0f4a-1f1e-4f9e-9a43-6c7d2b8e000{number % 10}" / "answers"
        folder.mkdir(parents=True)
        assert process.stdout is not None
        self.containers.append(Container(process.stdout, folder / "0.log"))
        return process

    def rotate(self) -> None:
        for container in self.containers:
            container.rotate()

    def finish(self) -> None:
        for container in self.containers:
            container.thread.join()
