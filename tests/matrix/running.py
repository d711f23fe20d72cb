"""Runs the whole matrix, each column in a process of its own, and tells which texts came out of which."""

from __future__ import annotations

import gzip
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.forking import environment
from tests.matrix.columns import OURS, PEERS
from tests.matrix.rows import ROWS
from tests.matrix.sentences import stands_in

TIMEOUT_S = 300
AT_ONCE = 2


@dataclass(frozen=True)
class Outcome:
    """What a process wrote, by the name of the file, the stream or the place on the server."""

    code: int
    written: Mapping[str, bytes]

    @cached_property
    def found(self) -> dict[str, list[str]]:
        """Return what of the sentences came out, and where, by row."""
        shown: dict[str, list[str]] = {}
        for place, output in self.written.items():
            for number, row in enumerate(ROWS):
                for text in stands_in(number, output):
                    shown.setdefault(row, []).append(f"{text} in {place}")
        return shown

    def unended(self, mark: str) -> list[str]:
        """Return the rows whose marks did not come out."""
        whole = b"\n".join(self.written.values())
        return [row for number, row in enumerate(ROWS) if mark.format(number).encode() not in whole]


@dataclass(frozen=True)
class Results:
    """What came of every column: ours with the guard and without it, and other packages."""

    guarded: Mapping[str, Outcome]
    plain: Mapping[str, Outcome]
    peers: Mapping[str, Outcome]


class _Receiver(BaseHTTPRequestHandler):
    """Takes whatever is sent, as OTLP or as envelopes."""

    received: list[tuple[str, bytes]]

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.received.append((self.path, gzip.decompress(body) if self.headers["Content-Encoding"] == "gzip" else body))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- the base class calls it so
        """Say nothing."""


@contextmanager
def _server() -> Iterator[tuple[str, list[tuple[str, bytes]]]]:
    received: list[tuple[str, bytes]] = []
    handler = type("Receiver", (_Receiver,), {"received": received})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}", received
        server.shutdown()
        thread.join()


def run_column(table: str, name: str, guard: str) -> Outcome:
    """Run one column: `ours` or `peers`, its name, `guarded` or `plain`."""
    with TemporaryDirectory() as folder, _server() as (url, received):
        done = subprocess.run(
            [sys.executable, "-m", "tests.matrix.program", table, name, guard, folder, url],
            env=environment(),
            capture_output=True,
            timeout=TIMEOUT_S,
            check=False,
        )
        written = {path.name: path.read_bytes() for path in sorted(Path(folder).iterdir())}
        for number, (path, body) in enumerate(received):
            written[f"{path} {number}"] = body
    return Outcome(done.returncode, {"stdout": done.stdout, "stderr": done.stderr, **written})


def run_all() -> Results:
    """Run every column, with the guard and without it, and every other package."""
    jobs = [("ours", name, guard) for name in OURS for guard in ("guarded", "plain")]
    jobs += [("peers", name, "plain") for name, peer in PEERS.items() if peer.same is None]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        outcomes = dict(zip(jobs, pool.map(lambda job: run_column(*job), jobs), strict=True))
    plain = {name: outcomes["ours", name, "plain"] for name in OURS}
    return Results(
        guarded={name: outcomes["ours", name, "guarded"] for name in OURS},
        plain=plain,
        peers={
            name: outcomes["peers", name, "plain"] if peer.same is None else plain[peer.same]
            for name, peer in PEERS.items()
        },
    )
