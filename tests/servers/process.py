"""Starts one server, waits until it answers, and stops it for sure."""

from __future__ import annotations

import os
import random
import shutil
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

READY_S = 60.0
STOP_S = 20.0
# Below the range from which Linux takes the ports of outgoing connections.
PORTS = range(20_000, 32_000)


class ServerError(Exception):
    """A server didn't do what it was asked; the message has the end of its log."""


def free_port() -> int:
    """Return a port of 127.0.0.1 that nobody listens on."""
    for _ in range(200):
        port = random.choice(PORTS)
        with socket.socket() as probe:
            # As servers do it: a port that was ours a moment ago is free.
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise ServerError("no port of 127.0.0.1 is free")


def wait_until(holds: Callable[[], bool], what: str, seconds: float = READY_S, pause: float = 0.05) -> None:
    """Ask until it holds.

    Raises:
        ServerError: It didn't within that many seconds.
    """
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            raise ServerError(f"after {seconds:.0f} s still not: {what}")
        time.sleep(pause)


def get(url: str, data: bytes | None = None, headers: dict[str, str] | None = None) -> bytes:
    """Return the answer's body.

    Raises:
        OSError: Nobody answers, or the status says that it failed.
    """
    with urllib.request.urlopen(urllib.request.Request(url, data, headers or {}), timeout=30) as answer:
        return bytes(answer.read())


def answers(url: str) -> bool:
    """Whether a GET of the address is answered with success."""
    try:
        get(url)
    except (OSError, urllib.error.URLError):
        return False
    return True


class Server:
    """One process with its ports, its folder and its log.

    A subclass says in `arguments()` how it is run and in `ready()` how one sees that it listens. The ports stay the
    same when it is started again.
    """

    name = "server"
    port_names: tuple[str, ...] = ("http",)

    def __init__(self, program: Path, folder: Path) -> None:
        self.program = program
        self.folder = folder
        self.log = folder / f"{self.name}.log"
        self.ports: dict[str, int] = {}
        self.process: subprocess.Popen[bytes] | None = None
        folder.mkdir(parents=True, exist_ok=True)

    def arguments(self) -> list[str]:
        raise NotImplementedError

    def ready(self) -> bool:
        raise NotImplementedError

    def environment(self) -> dict[str, str]:
        """What is added to the environment."""
        return {}

    def url(self, path: str = "", port: str = "http") -> str:
        """Return an address of the server."""
        return f"http://127.0.0.1:{self.ports[port]}{path}"

    def start(self) -> Self:
        """Start it and wait until it answers.

        Raises:
            ServerError: It ended, or doesn't answer.
        """
        attempts = 1 if self.ports else 3
        for attempt in range(1, attempts + 1):
            if attempts > 1:
                self.ports = {name: free_port() for name in self.port_names}
            self._spawn()
            try:
                wait_until(self._up_or_ended, f"{self.name} answers")
            except ServerError as error:
                self.kill()
                raise ServerError(f"{error}\n{self.tail()}") from None
            if self.running:
                return self
            # A port can be taken between our look and the server's.
            if attempt == attempts or "address already in use" not in self.tail():
                break
        raise ServerError(f"{self.name} ended at its start\n{self.tail()}")

    def _spawn(self) -> None:
        # It goes when the tests go, also when they are killed.
        guard = ["setpriv", "--pdeathsig", "KILL"] if shutil.which("setpriv") else []
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [*guard, str(self.program), *self.arguments()],
                cwd=self.folder,
                env=os.environ | self.environment(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def _up_or_ended(self) -> bool:
        return not self.running or self.ready()

    @property
    def running(self) -> bool:
        """Whether the process lives."""
        return self.process is not None and self.process.poll() is None

    def tail(self, lines: int = 15) -> str:
        """Return the end of its log."""
        if not self.log.exists():
            return ""
        return "\n".join(self.log.read_text(encoding="utf-8", errors="replace").splitlines()[-lines:])

    def stop(self) -> None:
        """Ask it to end, and kill it if it doesn't."""
        if self.process is not None and self.running:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(STOP_S)
            except subprocess.TimeoutExpired:
                self.kill()

    def kill(self) -> None:
        """Kill it, as SIGKILL does."""
        if self.process is not None and self.running:
            self.process.kill()
            self.process.wait(STOP_S)

    def pause(self) -> None:
        """Let it hang: its ports take connections and nothing answers."""
        if self.process is not None:
            self.process.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Let it go on."""
        if self.process is not None:
            self.process.send_signal(signal.SIGCONT)

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.resume()
        self.stop()
